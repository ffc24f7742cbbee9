"""What a PBX, or somebody who is none, sends to the edge: single packets, and what comes back."""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import Sequence
from types import TracebackType
from typing import Self

Headers = Sequence[str]

PLAIN = "v=0\r\no=- 1 1 IN IP4 127.0.0.3\r\ns=-\r\nc=IN IP4 127.0.0.3\r\nt=0 0\r\n"
AUDIO = "m=audio 40000 RTP/AVP 0\r\n"


class Sender:
    """A UDP socket of an address that sends requests and reads status codes."""

    def __init__(self, address: str, target: tuple[str, int]) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((address, 0))
        self._target = target
        self.here = "{}:{}".format(*self._socket.getsockname())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def request(
        self,
        method: str,
        body: str = "",
        headers: Headers = (),
        uri: str | None = None,
        to_tag: str = "",
        kind: str = "application/sdp",
    ) -> bytes:
        """A whole request of a dialog of its own; `headers` come first."""
        once = secrets.token_hex(6)
        forwards = [] if any(h.startswith("Max-Forwards") for h in headers) else ["Max-Forwards: 9"]
        where = uri or "sip:200@{}:{}".format(*self._target)
        lines = [
            f"{method} {where} SIP/2.0",
            f"Via: SIP/2.0/UDP {self.here};branch=z9hG4bK{once};rport",
            *headers,
            *forwards,
            f"From: <sip:a@{self.here}>;tag={once}",
            f"To: <{where}>" + (f";tag={to_tag}" if to_tag else ""),
            f"Call-ID: {once}",
            f"CSeq: 1 {method}",
            f"Contact: <sip:a@{self.here}>",
            *([f"Content-Type: {kind}"] if body else []),
            f"Content-Length: {len(body)}",
        ]
        return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()

    def send(self, packet: bytes) -> None:
        self._socket.sendto(packet, self._target)

    def answer(self, timeout_s: float = 5.0) -> int:
        """The next final status; 0 if none comes within `timeout_s`."""
        self._socket.settimeout(timeout_s)
        with contextlib.suppress(TimeoutError):
            while True:
                status = int(self._socket.recv(65535).split(b" ", 2)[1])
                if status >= 200:
                    return status
        return 0

    def ask(self, packet: bytes, timeout_s: float = 5.0) -> int:
        self.send(packet)
        return self.answer(timeout_s)
