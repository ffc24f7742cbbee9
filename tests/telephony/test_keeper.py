"""What the agent does about a line: one that comes by itself, in the place of a process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import structlog

from appliance.clock import SystemClock
from appliance.config import LineConfig
from appliance.telephony.call import LineCall
from appliance.telephony.messages import (
    VERSION,
    Alive,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Drain,
    FromLine,
    Hello,
    Message,
    Part,
    PartingWords,
    Pulse,
)
from appliance.telephony.packets import (
    FRAMES_A_PIECE,
    MAX_PACKET_BYTES,
    parse_message,
    serialize_message,
)
from appliance.telephony.switch import Switch
from appliance.types import FRAME_BYTES

pytestmark = pytest.mark.anyio


@dataclass
class PlayedLine:
    """A line as the agent sees it, played by the test."""

    switch: Switch
    sock: socket.socket
    arrived: list[LineCall] = field(default_factory=list)

    def send(self, *messages: FromLine) -> None:
        for each in messages:
            self.sock.send(serialize_message(each))

    async def hear(self, kind: type[Message]) -> Message:
        """The next message of a kind; what comes before it is dropped."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(10):
            while True:
                packet = await loop.sock_recv(self.sock, MAX_PACKET_BYTES)
                assert packet, "the connection is closed"
                message = parse_message(packet)
                if isinstance(message, kind):
                    return message

    async def call(self) -> LineCall:
        """A call that is up."""
        self.send(CallArrived(1, "127.0.0.1", "sip:a@b", "sip:c@d", "id"), CallUp(1, "PCMU"))
        async with asyncio.timeout(10):
            async for call in self.switch.calls():
                while not call.is_up:
                    await asyncio.sleep(0)
                return call
        raise AssertionError


@pytest.fixture
async def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PlayedLine]:
    monkeypatch.setattr("appliance.telephony.keeper.SILENCE_CHECK_S", 0.01)
    monkeypatch.setattr("appliance.telephony.connection.SILENT_CHECKS", 10_000)
    config = LineConfig(attach=tmp_path / "lines.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        switch = Switch(config, SystemClock(), structlog.get_logger())
        starting = asyncio.create_task(switch.__aenter__())
        while not (tmp_path / "lines.sock").exists():
            await asyncio.sleep(0.001)
        sock.connect(str(tmp_path / "lines.sock"))
        sock.setblocking(False)
        sock.send(serialize_message(Hello(VERSION, 0, 4711, False, True)))
        await starting
        yield PlayedLine(switch, sock)
        await switch.__aexit__(None, None, None)


async def test_a_line_that_ticks_is_kept_and_one_whose_clock_stands_is_not(
    line: PlayedLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = await line.call()
    for at in range(30):
        line.send(Audio(1, at, 0, bytes(FRAME_BYTES)), Alive(0, 0, 0))
        await line.hear(Pulse)
    assert not call.is_over
    events = [event async for event in call.inbox() if not isinstance(event, Audio)]
    assert [type(event) for event in events] == [CallUp, CallDown]
    assert line.switch.missing == (0,)


async def test_a_line_without_calls_need_not_tick(line: PlayedLine) -> None:
    for _ in range(30):
        line.send(Alive(0, 0, 0))
        await line.hear(Pulse)
    assert line.switch.missing == ()


async def test_what_lines_are_told_that_come_later(line: PlayedLine, tmp_path: Path) -> None:
    words = bytes(range(250)) * 60  # ends within a frame
    line.switch.part_with(words)
    line.switch.drain()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(tmp_path / "lines.sock"))
        sock.setblocking(False)
        sock.send(serialize_message(Hello(VERSION, 0, 4712, False, True)))
        later = PlayedLine(line.switch, sock)
        heard = b""
        while True:
            piece = await later.hear(PartingWords)
            assert isinstance(piece, PartingWords)
            assert len(piece.pcm) <= FRAMES_A_PIECE * FRAME_BYTES
            heard += piece.pcm
            if piece.last:
                break
        assert heard == words + bytes(-len(words) % FRAME_BYTES)
        assert await later.hear(Drain) == Drain("")


async def test_a_call_that_is_parted_with_is_over_for_its_session_at_once(
    line: PlayedLine,
) -> None:
    call = await line.call()
    call.part()
    assert await line.hear(Part) == Part(1)
    assert call.is_over
    assert line.switch.open_calls == 1  # the caller still hears the words
    line.send(Audio(1, 1, 0, bytes(FRAME_BYTES)), CallDown(1, 200, "", "line"))
    await line.switch.until_idle(10)
    assert line.switch.open_calls == 0
    events = [event async for event in call.inbox() if isinstance(event, CallDown)]
    assert [event.by for event in events] == ["agent"]
