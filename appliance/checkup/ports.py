"""Who holds which UDP port on this machine, as the kernel tells it (proc(5)).

    /proc/net/udp: address, port, inode     /proc/PID/fd -> socket:[inode]: which program

Without root the programs of other users are not seen; the port is known to be held all the same.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from pathlib import Path

from appliance.checkup.finding import Finding, fail, ok

_OURS = ("appliance", "kamailio", "rtpengine")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a port; `pid` 0 and no `program` where it cannot be seen."""

    pid: int = 0
    program: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is one of the box's programs; one that cannot be seen is taken for ours."""
        return not self.program or any(name in self.program for name in _OURS)

    def __str__(self) -> str:
        """In words."""
        return f"{self.program} (process {self.pid})" if self.program else "another user's process"


def udp_holders(proc: Path = Path("/proc")) -> dict[tuple[str, int], Holder]:
    """Every bound UDP port of IPv4, by address and port."""
    bound = _bound(proc / "net" / "udp")
    owners = _owners(proc, set(bound.values()))
    return {place: owners.get(inode, Holder()) for place, inode in bound.items()}


def check_ports(held: dict[int, Holder | None], address: str) -> list[Finding]:
    """The SIP ports of the lines: free while the box is stopped, held by it while it runs."""
    findings = []
    for port, holder in held.items():
        place = f"{address}:{port} (UDP)"
        if holder is None:
            findings.append(ok("ports", f"{place} is free: nothing takes calls there now"))
        elif holder.ours:
            findings.append(ok("ports", f"{place} is held by {holder}"))
        else:
            findings.append(fail(
                "ports", f"{place} is held by {holder}",
                "end that program, or choose another line.port",
            ))  # fmt: skip
    return findings


def check_address(address: str) -> list[Finding]:
    """Whether this machine has the address that SIP is to be taken at."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError as error:
        return [fail(
            "ports", f"line.address {address}: {error.strerror}",
            "give an address of this machine (ip -brief address), or 0.0.0.0",
        )]  # fmt: skip
    return []


def _bound(table: Path) -> dict[tuple[str, int], int]:
    """The inode of each bound socket."""
    try:
        rows = table.read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # no such kernel: then nothing is known to be held
        return {}
    found = {}
    for row in rows:
        fields = row.split()
        address, port = fields[1].split(":")
        found[_dotted(address), int(port, 16)] = int(fields[9])
    return found


def _dotted(hexed: str) -> str:
    """An address as the kernel prints it: a 32 bit number of this machine's byte order."""
    return socket.inet_ntoa(struct.pack("=I", int(hexed, 16)))


def _owners(proc: Path, inodes: set[int]) -> dict[int, Holder]:
    """Which process has these sockets; those of others are seen by root only."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    found = {}
    for folder in proc.glob("[0-9]*/fd"):
        try:
            links = {link for each in folder.iterdir() if (link := _link(each)) in wanted}
            if not links:
                continue
            command = (folder.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):  # gone meanwhile, or somebody else's
            continue
        for link in links:
            found[wanted[link]] = Holder(int(folder.parent.name), _program(command))
    return found


def _link(path: Path) -> str:
    """What a descriptor is; empty where it was closed meanwhile."""
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _program(command: str) -> str:
    """What a person calls it: the module of a Python program, else the program's name."""
    words = command.split()
    if "-m" in words[:-1]:
        return words[words.index("-m") + 1]
    named = [Path(word).name for word in words[:2]]
    return named[1] if len(named) == 2 and named[0].startswith("python") else (named or [""])[0]
