"""The agent's side of a call: bounded inbox, commands only while it lasts."""

from __future__ import annotations

import asyncio

from appliance.telephony.call import MAX_WAITING_FRAMES, Inbox, LineCall, LineEvent
from appliance.telephony.messages import (
    Answer,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Digit,
    FromAgent,
    HangUp,
    Held,
    Reject,
)

ARRIVED = CallArrived(7, "192.0.2.1", "sip:a@b", "sip:c@d", "id@x")


def audio(number: int) -> Audio:
    return Audio(7, number, 0, bytes(320))


async def read_all(call: LineCall) -> list[LineEvent]:
    return [event async for event in call.inbox()]


def test_stalled_agent_loses_the_oldest_audio_only() -> None:
    async def scenario() -> None:
        call = LineCall(ARRIVED, lambda _: None)
        call.deliver(CallUp(7, "PCMU"))
        for number in range(MAX_WAITING_FRAMES + 50):
            call.deliver(audio(number))
            if number % 10 == 0:
                call.deliver(Digit(7, "1", "info"))
        call.deliver(CallDown(7, 200, "", "peer"))
        events = await read_all(call)
        heard = [event.at_ns for event in events if isinstance(event, Audio)]
        assert heard == list(range(50, MAX_WAITING_FRAMES + 50))
        assert call.dropped_frames == 50
        assert sum(isinstance(event, Digit) for event in events) == 15
        assert isinstance(events[0], CallUp)
        assert isinstance(events[-1], CallDown)

    asyncio.run(scenario())


def test_nothing_follows_call_down() -> None:
    async def scenario() -> None:
        call = LineCall(ARRIVED, lambda _: None)
        call.deliver(CallDown(7, 503, "", "line"))
        call.deliver(CallDown(7, 200, "", "peer"))
        call.deliver(Held(7))
        assert await read_all(call) == [CallDown(7, 503, "", "line")]

    asyncio.run(scenario())


def test_commands_end_with_the_call() -> None:
    async def scenario() -> None:
        sent: list[FromAgent] = []
        call = LineCall(ARRIVED, sent.append)
        call.answer()
        call.deliver(CallDown(7, 200, "", "peer"))
        call.hang_up()
        call.reject(486)
        call.play(bytes(320))
        assert sent == [Answer(7)]

    asyncio.run(scenario())


def test_commands_name_the_lines_number() -> None:
    async def scenario() -> None:
        sent: list[FromAgent] = []
        call = LineCall(ARRIVED, sent.append)
        call.reject(486)
        call.hang_up()
        assert sent == [Reject(7, 486), HangUp(7)]

    asyncio.run(scenario())


def test_keys_are_unique_even_for_equal_numbers() -> None:
    async def scenario() -> None:
        keys = {LineCall(ARRIVED, lambda _: None).key for _ in range(100)}
        assert len(keys) == 100
        assert all(len(key) == 32 for key in keys)

    asyncio.run(scenario())


def test_inbox_waits_for_events() -> None:
    async def scenario() -> None:
        inbox = Inbox()
        waiting = asyncio.create_task(inbox.get())
        await asyncio.sleep(0)
        assert not waiting.done()
        inbox.put(Held(7))
        assert await waiting == Held(7)
        assert len(inbox) == 0

    asyncio.run(scenario())
