"""Three hosts of a network, as network namespaces: the PBX, the box, and a stranger.

    pbx 192.0.2.10 ──veth── 192.0.2.1 box 198.51.100.1 ──veth── 198.51.100.66 stranger

The box has a network card for each, as a box between a voice network and an office network has.
The stranger reaches every address of the box; whatever he sends goes out by his own card. A test
runs as the box; a socket or a program is somebody else's if it is made `inside` another host.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

PBX, BOX, STRANGER, BOX_OFFICE = "192.0.2.10", "192.0.2.1", "198.51.100.66", "198.51.100.1"
SYSCTL = Path(__file__).parents[2] / "systemd/sysctl.d/60-appliance.conf"

Host = Literal["pbx", "box", "stranger"]
_HOSTS: tuple[Host, ...] = ("pbx", "box", "stranger")
_LINKS: tuple[tuple[Host, str, str], ...] = (
    ("pbx", PBX, BOX),
    ("stranger", STRANGER, BOX_OFFICE),
)
_CLONE_NEWNET = 0x40000000
_LIBC = ctypes.CDLL(None, use_errno=True)
_COUNT = itertools.count()


def can_make_hosts() -> bool:
    """Root with the program `ip`."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


class Hosts:
    """The three; they are gone when the block ends."""

    def __init__(self) -> None:
        self._prefix = f"va{os.getpid()}n{next(_COUNT)}"

    def __enter__(self) -> Self:
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    @contextlib.contextmanager
    def inside(self, host: Host) -> Iterator[None]:
        """Sockets and processes that this thread makes meanwhile are the host's.

        Do not wait for other tasks in it: what they make would be the host's, too.
        """
        with (
            Path("/proc/thread-self/ns/net").open("rb") as before,
            self._place(host).open("rb") as at,
        ):
            _enter(at.fileno())
            try:
                yield
            finally:
                _enter(before.fileno())

    def at(self, host: Host, *command: str) -> list[str]:
        """The command line that runs a command on a host."""
        return ["ip", "netns", "exec", self._name(host), *command]

    def run(self, host: Host, *command: str) -> str:
        """Run a command there to its end; what it wrote on stdout."""
        return subprocess.run(
            self.at(host, *command), check=True, capture_output=True, text=True, timeout=30
        ).stdout

    def harden(self) -> None:
        """The kernel settings that a box is installed with."""
        self.run("box", "/usr/lib/systemd/systemd-sysctl", str(SYSCTL))

    def forged_dropped(self) -> int:
        """Packets that the box's kernel has dropped for a source that lies elsewhere."""
        with self.inside("box"):
            lines = Path("/proc/thread-self/net/netstat").read_text().splitlines()
        names, values = (line.split() for line in lines if line.startswith("TcpExt:"))
        return int(dict(zip(names, values, strict=True))["IPReversePathFilter"])

    def _make(self) -> None:
        for host in _HOSTS:
            _ip("netns", "add", self._name(host))
            self.run(host, "ip", "link", "set", "lo", "up")
        for host, theirs, ours in _LINKS:
            _ip(
                "link", "add", f"to-{host}", "netns", self._name("box"),
                "type", "veth", "peer", "name", "to-box", "netns", self._name(host),
            )  # fmt: skip
            for place, card, address in (("box", f"to-{host}", ours), (host, "to-box", theirs)):
                self.run(place, "ip", "address", "add", f"{address}/24", "dev", card)
                self.run(place, "ip", "link", "set", card, "up")
        self.run("stranger", "ip", "route", "add", "default", "via", BOX_OFFICE)

    def _remove(self) -> None:
        for host in _HOSTS:
            if self._place(host).exists():
                _ip("netns", "delete", self._name(host))

    def _name(self, host: Host) -> str:
        return f"{self._prefix}-{host}"

    def _place(self, host: Host) -> Path:
        return Path("/run/netns") / self._name(host)


def udp_from(address: str) -> socket.socket:
    """A UDP socket of whoever's host this thread is inside, that never blocks."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, 0))
    made.setblocking(False)
    return made


def forged(source: tuple[str, int], target: tuple[str, int], payload: bytes) -> bytes:
    """An IPv4 packet with UDP in it, for a raw socket; its source may be a lie (RFC 791, 768)."""
    udp = struct.pack("!HHHH", source[1], target[1], 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0)
    return head + socket.inet_aton(source[0]) + socket.inet_aton(target[0]) + udp


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, timeout=30)


def _enter(descriptor: int) -> None:
    if _LIBC.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter the network namespace")
