"""Packets that no friend sends, and what came back for them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter

AUDIO = "m=audio 4000 RTP/AVP 0\r\n"
BURST = 20
"""Packets between two waits of a millisecond: the other side gets to read its socket."""


def request(
    method: str, number: int, source: tuple[str, int], target: tuple[str, int], body: str = ""
) -> bytes:
    """A request outside any call, as a telephone would write it; `number` makes it another one."""
    host, port = source
    kind = "Content-Type: application/sdp\r\n" if body else ""
    return (
        f"{method} sip:200@{target[0]}:{target[1]} SIP/2.0\r\n"
        f"Via: SIP/2.0/UDP {host}:{port};branch=z9hG4bKflood{port}x{number}\r\n"
        f"From: <sip:flood@{host}>;tag=f{number}\r\nTo: <sip:200@{target[0]}>\r\n"
        f"Call-ID: flood{port}x{number}@{host}\r\nCSeq: 1 {method}\r\nMax-Forwards: 70\r\n"
        f"Contact: <sip:flood@{host}:{port}>\r\n{kind}Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def offer(host: str, media: str) -> str:
    """A session description with these `m=` lines."""
    return f"v=0\r\no=- 1 1 IN IP4 {host}\r\ns=-\r\nc=IN IP4 {host}\r\nt=0 0\r\n{media}"


async def send_all(sock: socket.socket, packets: list[bytes], target: tuple[str, int]) -> None:
    """As fast as the box can read them."""
    for number, packet in enumerate(packets):
        with contextlib.suppress(BlockingIOError):
            sock.sendto(packet, target)
        if number % BURST == 0:
            await asyncio.sleep(0.001)


def answers(sock: socket.socket) -> Counter[int]:
    """Different calls that got an answer, by its code; 0 for what is no answer."""
    found: set[tuple[int, bytes]] = set()
    with contextlib.suppress(BlockingIOError):
        while True:
            packet = sock.recv(65535)
            code = packet[8:11] if packet.startswith(b"SIP/2.0 ") else b"0"
            found.add((int(code), packet.partition(b"Call-ID:")[2].partition(b"\r\n")[0]))
    return Counter(code for code, _ in found)
