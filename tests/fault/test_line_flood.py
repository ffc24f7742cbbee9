"""Floods that once killed a line process: the door before pjsip lets through what it can take."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from appliance.telephony.admission import STRANGER_REQUESTS
from appliance.testing.caller import ScriptedCaller

Play = Callable[[Callable[[], Awaitable[None]]], None]
KIND = "Content-Type: application/sdp\r\n"
MEDIA = "m=audio 4000 RTP/AVP 0\r\n"


def invite(number: int, source: tuple[str, int], media_lines: int) -> bytes:
    host, port = source
    body = f"v=0\r\no=- 1 1 IN IP4 {host}\r\ns=-\r\nc=IN IP4 {host}\r\nt=0 0\r\n"
    body = body + MEDIA * media_lines if media_lines else ""
    return (
        "INVITE sip:x@127.0.0.1 SIP/2.0\r\n"
        f"Via: SIP/2.0/UDP {host}:{port};branch=z9hG4bKflood{port}x{number}\r\n"
        f"From: <sip:flood@{host}>;tag=f{number}\r\nTo: <sip:x@127.0.0.1>\r\n"
        f"Call-ID: flood{port}x{number}\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\n"
        f"Contact: <sip:flood@{host}:{port}>\r\n{KIND if body else ''}"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


@pytest.mark.parametrize(
    ("source", "media_lines", "count"),
    [
        pytest.param("127.0.0.2", 1, 400, id="stranger"),
        pytest.param("127.0.0.1", 1, 400, id="peer"),
        pytest.param("127.0.0.1", 16, 60, id="peer_16_media_lines"),
        pytest.param("127.0.0.1", 40, 60, id="peer_40_media_lines"),
        pytest.param("127.0.0.1", 0, 400, id="peer_late_offers"),
    ],
)
def test_flood(rig: Any, play: Play, source: str, media_lines: int, count: int) -> None:
    async def scenario() -> None:
        config = rig.config(address="0.0.0.0")
        async with rig.agent(config, on_arrival=refuse_flood) as agent:
            pid = agent.switch.line_pid
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
                flood.bind((source, 0))
                flood.setblocking(False)
                started_s = time.monotonic()
                for number in range(count):
                    packet = invite(number, flood.getsockname(), media_lines)
                    flood.sendto(packet, ("127.0.0.1", config.port))
                    await asyncio.sleep(0.002)
                await asyncio.sleep(0.3)
                forbidden = count_answers(flood, b"SIP/2.0 403")
            assert agent.switch.line_pid == pid, "the line process survived"
            assert agent.switch.restarts == 0
            if source == "127.0.0.2":
                windows = (time.monotonic() - started_s) / 0.5 + 1
                assert 0 < forbidden <= STRANGER_REQUESTS * windows
                assert agent.calls == []
            async with ScriptedCaller(f"sip:x@127.0.0.1:{config.port}") as caller:
                await caller.call()

    play(scenario)


@pytest.mark.parametrize(
    ("source", "elsewhere", "code"),
    [
        ("127.0.0.1", None, 486),
        pytest.param("127.0.0.1", "sip:queue@192.0.2.10", 302, marks=pytest.mark.slow),
        pytest.param("127.0.0.2", None, 403, marks=pytest.mark.slow),
    ],
)
def test_a_late_offer_that_the_line_itself_refuses(
    rig: Any, play: Play, source: str, elsewhere: str | None, code: int
) -> None:
    """One such packet ended the process, and the calls of it."""

    async def scenario() -> None:
        config = rig.config(address="0.0.0.0", max_calls=1, overflow=elsewhere)
        async with (
            rig.agent(config) as agent,
            ScriptedCaller(f"sip:x@127.0.0.1:{config.port}") as caller,
        ):
            pid = agent.switch.line_pid
            await caller.call()
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as late:
                late.bind((source, 0))
                late.setblocking(False)
                late.sendto(invite(1, late.getsockname(), 0), ("127.0.0.1", config.port))
                await asyncio.sleep(0.3)
                assert count_answers(late, f"SIP/2.0 {code}".encode()) == 1
            assert agent.switch.line_pid == pid
            assert caller.hung_up_ns is None

    play(scenario)


def refuse_flood(call: Any) -> None:
    if "flood" in call.from_uri:
        call.reject(486)
    else:
        call.answer()


def count_answers(sock: socket.socket, start: bytes) -> int:
    """Different calls that got an answer of this kind."""
    calls = set()
    while True:
        try:
            packet = sock.recv(9000)
        except BlockingIOError:
            return len(calls)
        if packet.startswith(start):
            calls.add(packet.split(b"Call-ID:")[1].split(b"\r\n")[0])
