"""Proves that an installed box sends nothing but to its PBX; makes a report for an auditor.

    ┌ namespace: PBX ─────────────┐ wire ┌ namespace: box ──────────────────────────────────┐
    │ kamailio (registrar, digest)│ ⇄  ⇄ │ a bare Debian, booted with its own systemd:      │
    │ scripted caller             │      │ bundle -> install.sh -> appliance setup -> calls │
    └─────────────────────────────┘      └──────────────────────────────────────────────────┘
                              capture + counters ──> report

The box has default routes and a name server, all beyond the PBX: a packet or a look-up that it
tried to send elsewhere would be on the wire, and be seen. At the end that is tried on purpose.
scripts/prove_airgap.sh runs this.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from appliance.errors import ConfigError
from appliance.testing.airgap import wire as wires
from appliance.testing.airgap.report import Run, write_report
from appliance.testing.airgap.wire import CONNECTIONS, FILTERED, Wire
from appliance.testing.bare_box import BareBox, BoxError, bare_root, booted

FLOWS = ("collections", "booking", "campaign", "renovation", "status")
ARCHIVE = Path("var/package/bare.tar")
TEMPLATES = Path("scripts/airgap")
MODULES = Path("/usr/lib/x86_64-linux-gnu/kamailio/modules")
NAME_SERVER = "198.51.100.53"
"""Of TEST-NET-2 (RFC 5737): one that is not there."""

_TOOLS = (
    "debootstrap", "systemd-nspawn", "nsenter", "ip", "nft", "dumpcap", "tshark", "kamailio",
    "flite",
)  # fmt: skip
_SETTINGS = Path("etc/appliance/appliance.toml")
_READY_S = 120.0
_POLL_S = 0.2
_NOT_TRIED = 2
_PEOPLE = """
[sources.mcp.people]
command = ["/opt/appliance/current/bin/python", "-m", "appliance.samples.people"]
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is installed, and the key that it is signed with."""

    archive: Path
    key: Path


class Proof:
    """One run: its folder, its wire, its box, and the passwords of both extensions."""

    def __init__(self, out: Path, wire: Wire, box: BareBox, box_secret: str) -> None:
        self._out = out
        self._wire = wire
        self._box = box
        self._box_secret = box_secret
        self._shipped = ""

    def install(self, bundle: Bundle) -> None:
        """As an operator does: unpack, install.sh, `appliance setup`."""
        home = self._box.root / "root"
        for file in (bundle.archive, bundle.key):
            shutil.copy(file, home)
        self._box.sh(
            "cd /root && mkdir bundle && "
            f"tar -C bundle --strip-components=1 -xf '{bundle.archive.name}'"
        )
        self._keep("install.log", f"/root/bundle/install.sh --key '/root/{bundle.key.name}'")
        say("installed")
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
        say("set up, registered, ready")

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
        say("first call answered")

    def call_with(self, flow: str, caller_secret: Path) -> None:
        """Give the box this flow and call it; whether the call went well, its record says."""
        settings = self._box.root / _SETTINGS
        accounts = f"{self._shipped}/{flow}/accounts.example.yaml"
        text = with_flow(settings.read_text("utf-8"), flow, accounts)
        if flow == "status" and "[sources.mcp.people]" not in text:
            text += _PEOPLE
        settings.write_text(text, "utf-8")
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
        say(f"a call with {flow}")

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


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner reads, from its first moment on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text + "\n", "utf-8")


def say(what: str) -> None:
    """One line of progress, with seconds since the beginning."""
    print(f"{time.monotonic() - _BEGAN:4.0f} s  {what}", flush=True)  # noqa: T201


_BEGAN = time.monotonic()


@contextlib.contextmanager
def pbx(out: Path, wire: Wire, box_secret: str, caller_secret: str) -> Iterator[None]:
    """A registrar with two extensions, each with its password."""
    text = (TEMPLATES / "pbx.cfg").read_text("utf-8")
    for mark, value in (
        ("@ADDRESS@", str(wire.pbx.address)),
        ("@MODULES@", str(MODULES)),
        ("@BOX_SECRET@", box_secret),
        ("@CALLER_SECRET@", caller_secret),
    ):
        text = text.replace(mark, value)
    settings = out / "pbx.cfg"
    write_secret(settings, text)
    with (out / "pbx.log").open("wb") as said:
        running = subprocess.Popen(
            [*wire.pbx.enter, "kamailio", "-f", str(settings), "-DD", "-E", "-m", "64", "-M", "8",
             "-w", str(out), "-Y", str(out)],
            stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            yield
        finally:
            running.terminate()
            running.wait()
            settings.unlink()


def prove(bundle: Bundle, out: Path, flows: list[str]) -> bool:
    """Make the box, place the calls, write the report; says whether all is proven.

    Raises:
        BoxError, ConfigError: it could not be tried.
    """
    box_secret, caller_secret = secrets.token_hex(12), secrets.token_hex(12)
    secret_file = out / "caller-secret"
    write_secret(secret_file, caller_secret)
    say("a bare Debian root, and two hosts on one wire")
    archive = bare_root(ARCHIVE)
    with wires.laid() as wire, pbx(out, wire, box_secret, caller_secret):
        proven, control = out / "proof.pcapng", out / "control.pcapng"
        with contextlib.ExitStack() as captured:
            captured.enter_context(wire.capture(proven))
            with booted(
                out / "box", archive, namespace=wire.box.path, name_server=NAME_SERVER,
                console=out / "console.log",
            ) as box:  # fmt: skip
                proof = Proof(out, wire, box, box_secret)
                say(f"the bundle: {bundle.archive.name}")
                began = time.monotonic()
                try:
                    proof.install(bundle)
                    proof.first_call(secret_file)
                    seconds = time.monotonic() - began
                    for flow in flows:
                        proof.call_with(flow, secret_file)
                finally:
                    proof.journal()
                proof.sockets()
                (out / "counters.json").write_text(wire.counters())
                captured.close()
                say("look-up and connections on purpose: would they be seen?")
                with wire.capture(control):
                    proof.try_on_purpose()
                (out / "control_counters.json").write_text(wire.counters())
                calls = box.root / "var/lib/appliance/calls"
                run = Run(out, calls, bundle.archive, flows, seconds)
                return write_report(run, wire.box.address, wire.pbx.address)


def main() -> None:
    """Prove it: exit 0; not proven: 1; it could not be tried: 2."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove_airgap.sh",
        description="Needs root. Makes a bare Debian root, boots it in a network namespace whose "
        "only link leads to a PBX in another one, installs the bundle there, registers, takes a "
        "call with each flow, and shows that not one packet and not one name look-up left for "
        "anywhere else.",
        epilog="Exit code: 0 proven, 1 not, 2 it could not be tried.",
    )
    parser.add_argument("--bundle", type=Path, help="default: the newest of dist/ (make package)")
    parser.add_argument("--key", type=Path, help="its public key; default: the .pub beside it")
    parser.add_argument("--flows", type=_flows, default=list(FLOWS), help='"A B"; default: all')
    parser.add_argument(
        "--out", type=Path, default=Path("var/airgap"), help="report, logs, capture"
    )
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _end)
    try:
        proven = prove(_found(given.bundle, given.key), _emptied(given.out), given.flows)
    except (BoxError, ConfigError) as error:
        print(f"prove_airgap: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(_NOT_TRIED)
    sys.exit(0 if proven else 1)


def _flows(text: str) -> list[str]:
    if unknown := set(text.split()) - set(FLOWS):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(FLOWS)}")
    return text.split()


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(_NOT_TRIED)  # through every `finally`: nothing of it stays


def _found(archive: Path | None, key: Path | None) -> Bundle:
    if os.geteuid():
        raise ConfigError("needs root: it makes network namespaces and boots a system in one")
    if missing := [tool for tool in _TOOLS if not shutil.which(tool)]:
        raise ConfigError(f"missing: {', '.join(missing)}; scripts/install test-all")
    made = sorted(Path("dist").glob("appliance-*.tar.gz"), key=lambda each: each.stat().st_mtime)
    archive = archive or next(reversed(made), None)
    if archive is None or not archive.is_file():
        raise ConfigError("no bundle: make package, or --bundle FILE")
    key = key or archive.parent / "appliance.pub"
    if not key.is_file():
        raise ConfigError(f"no public key {key}: --key FILE")
    return Bundle(archive, key)


def _emptied(out: Path) -> Path:
    out = out.resolve()
    for left in ("calls", "box"):
        shutil.rmtree(out / left, ignore_errors=True)
    for report in ("report.txt", "report.json"):
        (out / report).unlink(missing_ok=True)
    (out / "calls").mkdir(parents=True)
    return out


if __name__ == "__main__":
    main()
