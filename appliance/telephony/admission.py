"""Who may call, and how often: pure decisions on a request's source and text.

pjsip opens sockets for every `m=` line of an INVITE before anybody can refuse the call, keeps
their I/O handles for 0.5 s after it, has 64 handles and aborts when they run out (measured: 33
rejected INVITEs within 0.5 s; the third INVITE with 16 audio lines). So media lines are a budget
per half second, and what exceeds it is dropped unanswered: SIP over UDP sends again by itself.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

WINDOW_NS = 500_000_000
PEER_MEDIA_LINES = 16
"""Media lines a window for peers; with strangers' 5 and 4 live calls 50 of 64 handles."""

STRANGER_REQUESTS = 5
"""Requests a window of anyone else: at most ten 403 a second."""

_MEDIA_LINE = re.compile(rb"[\r\n][ \t]*m[ \t]*=")
_OFFERING = (b"INVITE", b"UPDATE", b"PRACK")


@dataclass
class WindowBudget:
    """At most `limit` units within any `window_ns`."""

    limit: int
    window_ns: int = WINDOW_NS
    _taken: deque[tuple[int, int]] = field(default_factory=deque)

    def take(self, now_ns: int, cost: int = 1) -> bool:
        """Take `cost` units at `now_ns` if they are there; nothing is taken otherwise."""
        while self._taken and now_ns - self._taken[0][0] >= self.window_ns:
            self._taken.popleft()
        if sum(units for _, units in self._taken) + cost > self.limit:
            return False
        self._taken.append((now_ns, cost))
        return True


class Admission:
    """The source list and the budgets of one line process."""

    def __init__(self, peers: tuple[IPv4Network, ...]) -> None:
        self._peers = peers
        self._media_lines = WindowBudget(PEER_MEDIA_LINES)
        self._strangers = WindowBudget(STRANGER_REQUESTS)
        self.dropped = 0

    def is_peer(self, address: str) -> bool:
        """Whether `address` ("192.0.2.1" or "192.0.2.1:5060") may call."""
        try:
            source = IPv4Address(address.partition(":")[0])
        except ValueError:
            return False
        return any(source in network for network in self._peers)

    def admits(self, source: str, request: bytes, now_ns: int) -> bool:
        """Whether pjsip may see `request` (its whole text) from `source`; counts what it drops."""
        method = request.lstrip()[:8].split(b" ", 1)[0].upper()
        if method in {b"ACK", b"CANCEL", b"BYE"}:
            return True
        admitted = self.is_peer(source) or self._strangers.take(now_ns)
        if admitted and method in _OFFERING:
            lines = len(_MEDIA_LINE.findall(request))
            cost = max(1 if method == b"INVITE" else 0, lines)
            admitted = cost == 0 or self._media_lines.take(now_ns, cost)
        if not admitted:
            self.dropped += 1
        return admitted
