"""What an operator does with a box in the air-gap proof, and what is tried on purpose.

    install.sh ─> appliance setup ─> first call ─> ( another flow ─> appliance apply ─> call ) …

Everything goes the way that the documents tell; what the commands say is kept in the proof's
folder. It judges nothing: `report` does.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from appliance.testing.airgap.wire import CONNECTIONS, FILTERED, Wire
from appliance.testing.bare_box import BareBox, BoxError

TEMPLATES = Path("scripts/airgap")
_SETTINGS = Path("etc/appliance/appliance.toml")
_READY_S = 120.0
_POLL_S = 0.2
_PEOPLE = """
[sources.mcp.people]
command = ["/opt/appliance/current/bin/python", "-m", "appliance.samples.people"]
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is installed, and the key that it is signed with."""

    archive: Path
    key: Path


class Operator:
    """Who has a box, a wire to its PBX, and the password of the box's extension there."""

    def __init__(self, out: Path, wire: Wire, box: BareBox, box_secret: str) -> None:
        self._out = out
        self._wire = wire
        self._box = box
        self._box_secret = box_secret
        self._shipped = ""

    def receive(self, bundle: Bundle) -> None:
        """The bundle and its key come on a disk."""
        for file in (bundle.archive, bundle.key):
            shutil.copy(file, self._box.root / "root")

    def install(self, bundle: Bundle) -> None:
        """Unpack, and install.sh."""
        self._box.sh(
            "cd /root && mkdir bundle && "
            f"tar -C bundle --strip-components=1 -xf '{bundle.archive.name}'"
        )
        self._keep("install.log", f"/root/bundle/install.sh --key '/root/{bundle.key.name}'")

    def set_up(self) -> None:
        """`appliance setup` with the first of the flows, until the box takes calls."""
        home = self._box.root / "root"
        self._shipped = self._box.sh(
            "/opt/appliance/current/bin/python -c 'import appliance.flows as f; print(*f.__path__)'"
        )
        write_secret(home / "sip-password", self._box_secret)
        answers = (TEMPLATES / "answers.toml").read_text("utf-8")
        (home / "answers.toml").write_text(
            answers.replace("@PBX@", str(self._wire.pbx.address))
            .replace("@ADDRESS@", str(self._wire.box.address))
            .replace("@FLOWS@", self._shipped)
        )
        self._keep("setup.log", "appliance setup --answers /root/answers.toml")
        self._await_ready()

    def first_call(self, caller_secret: Path) -> None:
        """Call until the box answers.

        Raises:
            BoxError: it does not.
        """
        address = str(self._wire.pbx.address)
        log = self._out / "first_call.log"
        called = self._call(
            log, "-m", "appliance.testing.airgap.first_call", f"sip:200@{address}",
            "--address", address, "--password-file", str(caller_secret),
        )  # fmt: skip
        if called:
            raise BoxError(f"no call was answered: {log}")

    def call_with(self, flow: str, caller_secret: Path) -> None:
        """Give the box this flow and call it; whether the call went well, its record says."""
        settings = self._box.root / _SETTINGS
        accounts = f"{self._shipped}/{flow}/accounts.example.yaml"
        text = with_flow(settings.read_text("utf-8"), flow, accounts)
        settings.write_text(with_people(text) if flow == "status" else text, "utf-8")
        if flow == "status":
            documents = f"{self._shipped}/../samples/documents"
            self._keep("documents.log", f"appliance docs add --config /{_SETTINGS} {documents}")
        self._keep("apply.log", "appliance apply")
        self._await_ready()
        calls = self._out / "calls"
        self._call(
            calls / f"{flow}.log", "scripts/bench_latency.py", "--flow", flow, "--calls", "1",
            "--target", f"sip:200@{self._wire.pbx.address}", "--warm-up", "0", "--register",
            "--user", "300", "--password-file", str(caller_secret),
            "--calls-folder", str(self._box.root / "var/lib/appliance/calls"),
            "--json", str(calls / f"{flow}.json"),
        )  # fmt: skip

    def try_on_purpose(self) -> None:
        """What must be seen: a look-up, connections by IPv4 and IPv6; and one from a unit."""
        self._box.sh("timeout 4 getent hosts control.invalid || true")
        for address in CONNECTIONS:
            self._box.sh(f"timeout 4 bash -c 'exec 3<>/dev/tcp/{address}/443' 2>/dev/null || true")
        self._box.sh(
            "timeout 8 systemd-run -q --wait -p IPAddressDeny=any -p RuntimeMaxSec=4 "
            f"bash -c 'exec 3<>/dev/tcp/{FILTERED}/443' 2>/dev/null || true"
        )

    def journal(self) -> None:
        """Keep what the box's services said."""
        self._keep("journal.log", "journalctl -q --no-pager -o short-iso")

    def sockets(self) -> None:
        """Keep what listens and is connected in the box."""
        self._keep("sockets.txt", "ss -Htulpn")

    def _keep(self, name: str, script: str) -> None:
        (self._out / name).write_text(self._box.sh(script) + "\n", "utf-8")

    def _call(self, log: Path, *arguments: str) -> int:
        with log.open("wb") as said:
            return subprocess.run(
                [*self._wire.pbx.enter, sys.executable, *arguments],
                stdout=said, stderr=subprocess.STDOUT, check=False,
            ).returncode  # fmt: skip

    def _await_ready(self) -> None:
        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            with contextlib.suppress(BoxError):
                if '"ready": true' in self._box.sh("appliance health --json"):
                    return
            time.sleep(_POLL_S)
        raise BoxError(f"not ready; its journal: {self._box.sh('journalctl -q -n 50')}")


def with_flow(text: str, flow: str, accounts: str) -> str:
    """The configuration with another flow and its accounts in [call], as an operator edits it."""

    def edited(section: re.Match[str]) -> str:
        lines = re.sub(r"(?m)^flow = .*", f'flow = "{flow}"', section[0])
        return re.sub(r"(?m)^(# ?)?accounts = .*", f'accounts = "{accounts}"', lines, count=1)

    return re.sub(r"(?ms)^\[call\]$.*?(?=^\[|\Z)", edited, text, count=1)


def with_people(text: str) -> str:
    """The configuration with the sample people as a source; once, and not only in a comment."""
    return text if re.search(r"(?m)^\[sources\.mcp\.people\]", text) else text + _PEOPLE


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner reads, from its first moment on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text + "\n", "utf-8")
