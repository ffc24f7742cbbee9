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
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from appliance.errors import ConfigError
from appliance.testing.airgap import wire as wires
from appliance.testing.airgap.operator import TEMPLATES, Bundle, Operator, write_secret
from appliance.testing.airgap.report import Run, write_report
from appliance.testing.airgap.wire import Wire
from appliance.testing.bare_box import BoxError, bare_root, booted

FLOWS = ("collections", "booking", "campaign", "renovation", "status")
ARCHIVE = Path("var/package/bare.tar")
MODULES = Path("/usr/lib/x86_64-linux-gnu/kamailio/modules")
NAME_SERVER = "198.51.100.53"
"""Of TEST-NET-2 (RFC 5737): one that is not there."""

_TOOLS = (
    "debootstrap", "systemd-nspawn", "nsenter", "ip", "nft", "dumpcap", "tshark", "kamailio",
    "flite",
)  # fmt: skip
_NOT_TRIED = 2


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
    with (
        wires.laid() as wire,
        pbx(out, wire, box_secret, caller_secret),
        contextlib.ExitStack() as captured,
    ):
        captured.enter_context(wire.capture(out / "proof.pcapng"))
        with booted(
            out / "box", archive, namespace=wire.box.path, name_server=NAME_SERVER,
            console=out / "console.log",
        ) as box:  # fmt: skip
            operator = Operator(out, wire, box, box_secret)
            try:
                seconds = _serve(operator, bundle, flows, secret_file)
            finally:
                operator.journal()
            operator.sockets()
            (out / "counters.json").write_text(wire.counters())
            captured.close()
            say("look-up and connections on purpose: would they be seen?")
            with wire.capture(out / "control.pcapng"):
                operator.try_on_purpose()
            (out / "control_counters.json").write_text(wire.counters())
            calls = box.root / "var/lib/appliance/calls"
            run = Run(out, calls, bundle.archive, flows, seconds)
            return write_report(run, wire.box.address, wire.pbx.address)


def _serve(operator: Operator, bundle: Bundle, flows: list[str], caller_secret: Path) -> float:
    """From the bundle to a call with each flow; returns seconds to the first answered call."""
    operator.receive(bundle)
    say(f"the bundle: {bundle.archive.name}")
    began = time.monotonic()
    operator.install(bundle)
    say("installed")
    operator.set_up()
    say("set up, registered, ready")
    operator.first_call(caller_secret)
    seconds = time.monotonic() - began
    say("first call answered")
    for flow in flows:
        operator.call_with(flow, caller_secret)
        say(f"a call with {flow}")
    return seconds


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
    except (BoxError, ConfigError, subprocess.SubprocessError) as error:
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
