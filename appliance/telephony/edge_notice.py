"""A line process that begins tells the edge so: calls that its port had before are no more.

The edge asks every line each second whether it is there, but a line that died is back sooner than
the edge would miss it; its callers would hear silence until they hang up. The notice is a SIP
request from the line's own port, which nobody else on the box can hold at that moment; so nobody
else can end calls with it.
"""

from __future__ import annotations

import contextlib
import secrets
import socket

from appliance.config import LineConfig

_EDGE = "127.0.0.1"


def tell_edge(config: LineConfig) -> None:
    """Send the notice, before the stack binds the port; without an edge do nothing.

    A port that is taken is for the stack to report, and an edge that does not run has no calls.
    """
    if config.edge_port is None:
        return
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        sender.bind((config.address, config.port))
        sender.sendto(_notice(config.port, config.edge_port), (_EDGE, config.edge_port))


def _notice(own_port: int, edge_port: int) -> bytes:
    once = secrets.token_hex(8)
    return (
        f"OPTIONS sip:line-started@{_EDGE}:{edge_port} SIP/2.0\r\n"
        f"Via: SIP/2.0/UDP {_EDGE}:{own_port};branch=z9hG4bK{once}\r\n"
        f"Max-Forwards: 1\r\nFrom: <sip:line@{_EDGE}>;tag={once}\r\n"
        f"To: <sip:edge@{_EDGE}>\r\nCall-ID: {once}\r\nCSeq: 1 OPTIONS\r\n"
        "Content-Length: 0\r\n\r\n"
    ).encode()
