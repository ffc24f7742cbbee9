"""A real PBX for tests: kamailio with two extensions, 200 (the box) and 300. See pbx.cfg."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

BOX, OTHER = "200", "300"
SECRETS = {BOX: "correct horse", OTHER: "other secret"}
_MODULES = ("/usr/lib/x86_64-linux-gnu/kamailio/modules", "/usr/lib64/kamailio/modules")
_OPTIONS = (
    b"OPTIONS sip:pbx SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bKup%d;rport\r\n"
    b"From: <sip:t@pbx>;tag=1\r\nTo: <sip:pbx>\r\nCall-ID: up%d\r\nCSeq: 1 OPTIONS\r\n"
    b"Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
)


class Pbx:
    """Use as a context manager; inside, it answers."""

    def __init__(self, folder: Path, *, self_calls: bool = True, tls: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        binary = shutil.which("kamailio") or shutil.which("kamailio", path="/usr/sbin")
        assert binary, "kamailio is missing: apt-get install kamailio"
        self.port, self.tls_port = _free_port(), _free_port()
        self._folder, self._binary = folder, binary
        places = [f"udp:127.0.0.1:{self.port}"]
        if tls:
            places += [f"tcp:127.0.0.1:{self.port}", f"tls:127.0.0.1:{self.tls_port}"]
            self.certificate = self.make_certificate(folder, "pbx")
        values = {
            "LISTEN": "\nlisten=".join(places),
            "NO_TCP": "no" if tls else "yes",
            "TLS": "#!define WITH_TLS" if tls else "",
            "FOLDER": str(folder),
            "SECRET": SECRETS[BOX],
            "MODULES": next(path for path in _MODULES if Path(path).is_dir()),
            "SELF_CALLS_REFUSED": "0" if self_calls else "1",
        }
        text = (Path(__file__).parent / "pbx.cfg").read_text()
        (folder / "pbx.cfg").write_text(re.sub(r"@(\w+)@", lambda match: values[match[1]], text))

    @staticmethod
    def make_certificate(folder: Path, name: str) -> Path:
        """A certificate for 127.0.0.1, which is its own authority."""
        path = folder / f"{name}.crt"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                   "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / f"{name}.key"),
                   "-out", str(path)]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        return path

    @property
    def server(self) -> str:
        return f"sip:127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        with (self._folder / "pbx.log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._binary, "-f", str(self._folder / "pbx.cfg"), "-DD", "-E",
                 "-w", str(self._folder), "-Y", str(self._folder), "-m", "64", "-M", "8"],
                stdout=log, stderr=log,
            )  # fmt: skip
        try:
            self._until_it_answers()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(10)

    def _until_it_answers(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
            phone.bind(("127.0.0.1", 0))
            phone.settimeout(0.2)
            port = phone.getsockname()[1]
            for number in range(75):
                phone.sendto(_OPTIONS % (port, number, number), ("127.0.0.1", self.port))
                try:
                    assert phone.recv(4096).startswith(b"SIP/2.0 200")
                except (TimeoutError, ConnectionError):
                    time.sleep(0.05)
                else:
                    return
        raise AssertionError("kamailio did not start:\n" + (self._folder / "pbx.log").read_text())


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
