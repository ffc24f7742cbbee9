"""Judges what a network card carried: did anything go where nothing may go?

    capture file ─ tshark, one line a frame ─> parse_frames ─> judge(box, pbx) ─> Traffic

A frame is allowed if it is IPv4 between the box and its PBX and no look-up of a name, or ARP
between the two. All else is a finding, also what the box only received. Reads headers, never
content.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from appliance.errors import ConfigError

FIELDS = (
    "eth.type", "ip.src", "ip.dst", "ip.proto", "udp.srcport", "udp.dstport",
    "tcp.srcport", "tcp.dstport", "arp.src.proto_ipv4", "arp.dst.proto_ipv4",
)  # fmt: skip
"""What tshark is asked for, tab between; a field that a frame lacks is empty."""

NAME_PORTS = frozenset({53, 137, 853, 5353, 5355})
"""DNS, NetBIOS names, DNS over TLS, mDNS, LLMNR (IANA's registry of services)."""

_IPV4, _ARP = 0x0800, 0x0806
_ICMP, _TCP, _UDP = 1, 6, 17
_PROTOCOLS = {_ICMP: "ICMP", _TCP: "TCP", _UDP: "UDP"}
_SIP = range(5060, 5062)


@dataclass(frozen=True, slots=True)
class Frame:
    """The headers of one frame.

    Attributes:
        kind: EtherType.
        ends: source and destination, IPv4; for ARP who asks and whom; None for all else.
        protocol: of IP; 0 for all else.
        ports: source and destination; 0 where there are none (fragments, ICMP).
    """

    kind: int
    ends: tuple[IPv4Address, IPv4Address] | None
    protocol: int = 0
    ports: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        """As a finding is told."""
        if self.ends is None:
            return f"EtherType {self.kind:#06x}"
        way = f"{self.ends[0]} -> {self.ends[1]}"
        if self.kind == _ARP:
            return f"ARP {way}"
        name = _PROTOCOLS.get(self.protocol, f"IP protocol {self.protocol}")
        return f"{name} {way} port {self.ports[1]}" if self.ports[1] else f"{name} {way}"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a capture held.

    Attributes:
        allowed: frames by kind: SIP, other UDP (sound), ARP, …
        outside: frames that had no business there, told once each, with how many there were.
        look_ups: the same of those that ask for a name, wherever they went.
    """

    allowed: dict[str, int]
    outside: dict[str, int]
    look_ups: dict[str, int]

    @property
    def clean(self) -> bool:
        """Whether nothing went where nothing may go. Of an empty capture this says nothing."""
        return not self.outside and not self.look_ups

    @property
    def frames(self) -> int:
        """How many there were in all; a look-up that went outside counts once."""
        found = {**self.outside, **self.look_ups}
        return sum(self.allowed.values()) + sum(found.values())


def read_capture(path: Path) -> Iterator[Frame]:
    """The frames of a capture file, read by tshark without looking anything up.

    Raises:
        ConfigError: tshark is missing or cannot read the file.
    """
    wanted = [part for field in FIELDS for part in ("-e", field)]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "occurrence=f", *wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise ConfigError("tshark is missing: apt-get install tshark") from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"{path}: tshark cannot read it: {error.stderr.strip()}") from error
    return parse_frames(done.stdout.splitlines())


def parse_frames(lines: Iterable[str]) -> Iterator[Frame]:
    """Frames from tshark's lines.

    Raises:
        ValueError: a line is not of `FIELDS`.
    """
    for line in lines:
        cells = line.split("\t")
        if len(cells) != len(FIELDS):
            raise ValueError(f"{len(cells)} fields where {len(FIELDS)} were asked for: {line!r}")
        kind, source, target, protocol, *ports, asks, asked = cells
        if asks and asked:
            yield Frame(_ARP, (IPv4Address(asks), IPv4Address(asked)))
        elif source and target:
            sender, receiver = (next((int(p) for p in ports[at::2] if p), 0) for at in (0, 1))
            ends = IPv4Address(source), IPv4Address(target)
            yield Frame(_IPV4, ends, int(protocol or 0), (sender, receiver))
        else:
            yield Frame(int(kind, 0) if kind else 0, None)


def judge(frames: Iterable[Frame], box: IPv4Address, pbx: IPv4Address) -> Traffic:
    """Sort frames into what may be and what may not."""
    allowed: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    look_ups: Counter[str] = Counter()
    for frame in frames:
        is_look_up = bool(NAME_PORTS.intersection(frame.ports))
        is_between = frame.ends is not None and set(frame.ends) == {box, pbx}
        if is_look_up:
            look_ups[str(frame)] += 1
        if not is_between:
            outside[str(frame)] += 1
        elif not is_look_up:
            allowed[_kind(frame)] += 1
    return Traffic(dict(allowed), dict(outside), dict(look_ups))


def _kind(frame: Frame) -> str:
    if frame.kind == _ARP:
        return "ARP"
    if any(port in _SIP for port in frame.ports):
        return "SIP"
    return {_UDP: "UDP, sound"}.get(frame.protocol, _PROTOCOLS.get(frame.protocol, "other IP"))
