"""Judges what a network card carried: did anything go where nothing may go?

    capture file ─ tshark, one line a frame ─> parse_frames ─> judge(box, pbx) ─> Traffic

A frame is allowed if it is IPv4 between the box and its PBX and no look-up of a name, or ARP
between the two, or what a kernel does by itself on a link with IPv6: `KERNEL_ICMPV6`, and not to an
address beyond the link. All else is a finding, also what the box only received. Reads headers,
never content.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from pathlib import Path

from appliance.errors import ConfigError

FIELDS = (
    "eth.type", "ip.src", "ip.dst", "ip.proto", "udp.srcport", "udp.dstport",
    "tcp.srcport", "tcp.dstport", "arp.src.proto_ipv4", "arp.dst.proto_ipv4",
    "ipv6.src", "ipv6.dst", "ipv6.nxt", "icmpv6.type",
)  # fmt: skip
"""What tshark is asked for, tab between; a field that a frame lacks is empty."""

NAME_PORTS = frozenset({53, 137, 853, 5353, 5355})
"""DNS, NetBIOS names, DNS over TLS, mDNS, LLMNR (IANA's registry of services)."""

KERNEL_ICMPV6 = {
    130: "group query", 131: "group report", 132: "group left", 143: "group report",
    133: "router solicitation", 135: "neighbour solicitation", 136: "neighbour advertisement",
}  # fmt: skip
"""ICMPv6 types that a kernel sends unasked on a link that has IPv6: RFC 4861 (neighbour discovery),
RFC 2710 and RFC 3810 (which groups are listened to)."""

_ON_LINK = [IPv6Network(each) for each in ("fe80::/10", "fc00::/7", "ff02::/16")]
_IPV4, _ARP, _IPV6 = 0x0800, 0x0806, 0x86DD
_ICMP, _TCP, _UDP, _ICMPV6 = 1, 6, 17, 58
_PROTOCOLS = {_ICMP: "ICMP", _TCP: "TCP", _UDP: "UDP", _ICMPV6: "ICMPv6"}
_SIP = range(5060, 5062)


@dataclass(frozen=True, slots=True)
class Frame:
    """The headers of one frame.

    Attributes:
        kind: EtherType.
        ends: source and destination; for ARP who asks and whom; None for all else than IP.
        protocol: of IP; 0 for all else.
        ports: source and destination; 0 where there are none (fragments, ICMP).
        icmpv6: type of a message of ICMPv6; 0 for all else.
    """

    kind: int
    ends: tuple[IPv4Address, IPv4Address] | tuple[IPv6Address, IPv6Address] | None
    protocol: int = 0
    ports: tuple[int, int] = (0, 0)
    icmpv6: int = 0

    def __str__(self) -> str:
        """As a finding is told."""
        if self.ends is None:
            return f"EtherType {self.kind:#06x}"
        way = f"{self.ends[0]} -> {self.ends[1]}"
        if self.kind == _ARP:
            return f"ARP {way}"
        name = _PROTOCOLS.get(self.protocol, f"IP protocol {self.protocol}")
        if self.icmpv6:
            return f"{name} type {self.icmpv6} {way}"
        return f"{name} {way} port {self.ports[1]}" if self.ports[1] else f"{name} {way}"

    @property
    def kernels_own(self) -> str:
        """Which of the kernel's own messages it is, that stay on the link; empty for all else."""
        if self.ends is None or not any(self.ends[1] in network for network in _ON_LINK):
            return ""
        return KERNEL_ICMPV6.get(self.icmpv6, "")


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a capture held.

    Attributes:
        allowed: frames by kind: SIP, other UDP (sound), ARP, …
        kernels_own: allowed too: what the kernels said by themselves by IPv6, by kind.
        outside: frames that had no business there, told once each, with how many there were.
        look_ups: the same of those that ask for a name, wherever they went.
    """

    allowed: dict[str, int]
    outside: dict[str, int]
    look_ups: dict[str, int]
    kernels_own: dict[str, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether nothing went where nothing may go. Of an empty capture this says nothing."""
        return not self.outside and not self.look_ups

    @property
    def frames(self) -> int:
        """How many there were in all; a look-up that went outside counts once."""
        found = {**self.outside, **self.look_ups}
        return sum(sum(each.values()) for each in (self.allowed, self.kernels_own, found))


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
        yield _frame(cells)


def _frame(cells: list[str]) -> Frame:
    ether, source, target, protocol, *ports, asks, asked, source6, target6, next6, icmpv6 = cells
    kind = int(ether, 0) if ether else 0
    sender, receiver = (next((int(port) for port in ports[at::2] if port), 0) for at in (0, 1))
    if kind == _ARP and asks and asked:
        return Frame(kind, (IPv4Address(asks), IPv4Address(asked)))
    if kind == _IPV4 and source and target:
        ends = IPv4Address(source), IPv4Address(target)
        return Frame(kind, ends, int(protocol or 0), (sender, receiver))
    if kind == _IPV6 and source6 and target6:
        ends6 = IPv6Address(source6), IPv6Address(target6)
        if icmpv6:
            return Frame(kind, ends6, _ICMPV6, icmpv6=int(icmpv6))
        carried = _UDP if ports[0] else _TCP if ports[2] else int(next6 or 0)
        return Frame(kind, ends6, carried, (sender, receiver))
    return Frame(kind, None)


def judge(frames: Iterable[Frame], box: IPv4Address, pbx: IPv4Address) -> Traffic:
    """Sort frames into what may be and what may not."""
    allowed: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    look_ups: Counter[str] = Counter()
    kernels_own: Counter[str] = Counter()
    for frame in frames:
        if own := frame.kernels_own:
            kernels_own[own] += 1
            continue
        is_look_up = bool(NAME_PORTS.intersection(frame.ports))
        is_between = frame.ends is not None and set(frame.ends) == {box, pbx}
        if is_look_up:
            look_ups[str(frame)] += 1
        if not is_between:
            outside[str(frame)] += 1
        elif not is_look_up:
            allowed[_kind(frame)] += 1
    return Traffic(dict(allowed), dict(outside), dict(look_ups), dict(kernels_own))


def _kind(frame: Frame) -> str:
    if frame.kind == _ARP:
        return "ARP"
    if any(port in _SIP for port in frame.ports):
        return "SIP"
    return {_UDP: "UDP, sound"}.get(frame.protocol, _PROTOCOLS.get(frame.protocol, "other IP"))
