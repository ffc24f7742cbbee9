"""UDP ports for audio, and when the kernel took a packet."""

from __future__ import annotations

import contextlib
import socket
import struct
import time

from appliance.errors import PeerError

SO_TIMESTAMPNS = 35
"""Linux, asm-generic/socket.h; Python's socket module does not name it."""

_TIMESPEC = struct.Struct("qq")


def bind_pair(address: str) -> tuple[socket.socket, socket.socket]:
    """An even UDP port and the odd one behind it (RTP and RTCP; RFC 3550, section 11)."""
    for _ in range(100):
        rtp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        rtcp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        rtp.bind((address, 0))
        port: int = rtp.getsockname()[1]
        with contextlib.suppress(OSError):
            if port % 2 == 0:
                rtcp.bind((address, port + 1))
                rtp.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
                rtp.setblocking(False)
                return rtp, rtcp
        rtp.close()
        rtcp.close()
    raise PeerError(f"no free pair of UDP ports on {address}")


def arrival_ns(ancillary: list[tuple[int, int, bytes]]) -> int:
    """When the kernel took the packet, on the monotonic clock."""
    now_ns = time.monotonic_ns()
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = _TIMESPEC.unpack(data[: _TIMESPEC.size])
            age_ns = time.time_ns() - (seconds * 1_000_000_000 + nanoseconds)
            return now_ns - int(min(max(age_ns, 0), 1_000_000_000))
    return now_ns
