"""A build of the SIP library with another layout: slower and less guarded, but calls go on."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from appliance.telephony.messages import Answer, Audio, CallArrived, Message, Play
from appliance.telephony.process import LineProcess
from appliance.testing.caller import ScriptedCaller

LineRun = Callable[[Callable[[], Awaitable[None]]], None]
MOVED = {
    "vector_elsewhere": ("from appliance.telephony import frames; frames._VECTOR_AT = 16", False),
    "packet_elsewhere": ("from appliance.telephony import gate; gate._TEXT = 0x100", True),
    "source_elsewhere": ("from appliance.telephony import gate; gate._SOURCE = 0x1108", True),
}


@pytest.mark.parametrize("name", MOVED)
def test_calls_work_with_another_layout(rig: Any, play: LineRun, name: str) -> None:
    change, fast_frames = MOVED[name]
    program = f"{change}; from appliance.telephony.line import main; main()"
    loudest = 0

    async def scenario() -> None:
        config = rig.config()

        def echo(message: Message) -> None:
            nonlocal loudest
            if isinstance(message, CallArrived):
                line.send(Answer(message.call))
            elif isinstance(message, Audio):
                line.send(Play(message.call, message.pcm))
                loudest = max(loudest, int(np.frombuffer(message.pcm, "<i2").max()))

        line = LineProcess(echo, (sys.executable, "-c", program))
        hello = await line.start(config)
        try:
            assert hello.fast_frames is fast_frames
            async with ScriptedCaller(f"sip:x@127.0.0.1:{config.port}") as caller:
                await caller.call()
                tone = 8000 * np.sin(2 * np.pi * 440 * np.arange(8000) / 8000)
                await caller.say(tone.astype(np.int16))
                await caller.pause(200)
                assert sum(span.duration_ms for span in caller.received) > 700
            assert loudest > 7000
        finally:
            await line.stop()
        assert await line.exit_status() == "exit status 0"

    play(scenario)


def test_unproved_door_is_a_warning(rig: Any, play: LineRun, capfd: Any) -> None:
    program = "from appliance.telephony import gate; gate._TEXT = 0x100; "
    program += "from appliance.telephony.line import main; main()"

    async def scenario() -> None:
        line = LineProcess(lambda message: None, (sys.executable, "-c", program))
        await line.start(rig.config())
        await line.stop()
        await asyncio.sleep(0)

    play(scenario)
    assert "requests are not limited before pjsip" in capfd.readouterr().err
