"""sipp calls the line: the SIP sequences a PBX may send, message by message."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.telephony.call import LineCall, LineEvent
from appliance.telephony.messages import (
    Audio,
    CallDown,
    CallUp,
    Digit,
    Held,
    Resumed,
    TransferResult,
)
from appliance.testing import g711

Play = Callable[[Callable[[], Awaitable[None]]], None]


def leave_ringing(call: LineCall) -> None:
    """An agent that never answers."""


def transfer_when_up(call: LineCall, event: LineEvent) -> None:
    if isinstance(event, CallUp):
        call.transfer("sip:person@127.0.0.1:5999")


def hang_up_when_up(call: LineCall, event: LineEvent) -> None:
    if isinstance(event, CallUp):
        call.hang_up()


def test_audio_and_bye(rig: Any, sipp: Any, play: Play, tmp_path: Path) -> None:
    samples = [round(8000 * math.sin(2 * math.pi * 440 * n / 8000)) for n in range(8000)]
    tone = b"".join(s.to_bytes(2, "little", signed=True) for s in samples)
    (tmp_path / "tone.ulaw").write_bytes(g711.encode(as_samples(tone), "PCMU"))

    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "audio.xml")
            down = await agent.until_event(CallDown)
            assert (down.code, down.by) == (200, "peer")
            assert agent.of(CallUp)[0].codec == "PCMU"
            heard = as_samples(bytes(agent.audio[agent.calls[0].key]))
            assert abs(heard.astype(float)).max() > 7000
            assert 1.0 < (abs(heard.astype(float)) > 500).sum() / 8000 < 2.0

    play(scenario)


@pytest.mark.parametrize(("sequence", "silent"), [("silence.xml", True), ("nothing.xml", False)])
def test_a_silent_caller_is_told_from_one_who_has_gone(
    rig: Any, sipp: Any, play: Play, tmp_path: Path, sequence: str, silent: bool
) -> None:
    (tmp_path / "silence.ulaw").write_bytes(b"\xff" * 8000)
    came: list[bool] = []

    def note(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, Audio):
            came.append(event.received)

    async def scenario() -> None:
        async with rig.agent(rig.config(), note) as agent:
            await sipp.run(agent, sequence)
            await agent.until_event(CallDown)

    play(scenario)
    assert len(came) > 150
    assert came[-1] is silent
    assert all(came) is silent


def test_call_from_either_end(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), hang_up_when_up) as agent:
            await sipp.run(agent, "call_until_bye.xml")
            assert (await agent.until_event(CallDown)).by == "agent"

    play(scenario)


@pytest.mark.parametrize("codec", ["pcma", "g722"])
def test_codec(rig: Any, sipp: Any, play: Play, codec: str) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), rig.echo) as agent:
            await sipp.run(agent, f"call_{codec}.xml")
            assert (await agent.until_event(CallUp)).codec == codec.upper()

    play(scenario)


def test_codec_that_is_not_configured_is_refused(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(codecs=("PCMU",))) as agent:
            await sipp.run(agent, "expect_488.xml")
            assert agent.switch.open_calls == 0

    play(scenario)


def test_late_offer(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "late_offer.xml")
            assert (await agent.until_event(CallUp)).codec == "PCMU"
            await agent.until_event(CallDown)
            assert len(agent.audio[agent.calls[0].key]) > 10 * 320

    play(scenario)


def test_early_cancel(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), on_arrival=leave_ringing) as agent:
            await sipp.run(agent, "cancel.xml")
            down = await agent.until_event(CallDown)
            assert (down.code, down.by) == (487, "peer")
            assert agent.of(CallUp) == []

    play(scenario)


def test_reject(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), on_arrival=lambda call: call.reject(486)) as agent:
            await sipp.run(agent, "expect_486.xml")
            assert (await agent.until_event(CallDown)).by == "agent"

    play(scenario)


def test_info_digits(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "info_digits.xml")
            await agent.until_event(CallDown)
            assert [(d.digit, d.method) for d in agent.of(Digit)] == [
                ("4", "info"),
                ("2", "info"),
                ("#", "info"),
            ]

    play(scenario)


def test_hold_and_resume(rig: Any, sipp: Any, play: Play) -> None:
    held_at: list[int] = []

    def count_ticks_on_hold(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, Held):
            held_at.append(0)
        elif isinstance(event, Audio) and held_at:
            held_at[-1] += 1

    async def scenario() -> None:
        async with rig.agent(rig.config(), count_ticks_on_hold) as agent:
            await sipp.run(agent, "hold.xml")
            await agent.until_event(CallDown)
            kinds = [type(e) for e in agent.events[agent.calls[0].key]]
            assert kinds == [CallUp, *[Held, Resumed] * 3, CallDown]
            assert all(ticks > 10 for ticks in held_at), "the 20 ms clock goes on during hold"

    play(scenario)


@pytest.mark.parametrize(
    ("sequence", "code", "ended_by"),
    [
        ("transfer.xml", 200, "agent"),
        ("transfer_busy.xml", 486, "peer"),
        ("transfer_refused.xml", 603, "peer"),
        ("transfer_bye.xml", 202, "peer"),
    ],
)
def test_transfer(rig: Any, sipp: Any, play: Play, sequence: str, code: int, ended_by: str) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), transfer_when_up) as agent:
            await sipp.run(agent, sequence)
            down = await agent.until_event(CallDown)
            assert [result.code for result in agent.of(TransferResult)] == [code]
            assert down.by == ended_by

    play(scenario)


def test_nobody_can_make_us_call(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "refer_to_us.xml")
            assert len(agent.calls) == 1

    play(scenario)


def test_stranger_gets_403(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(address="0.0.0.0")) as agent:
            local = agent.config.model_copy(update={"address": "127.0.0.1"})
            agent.config = local
            await sipp.run(agent, "expect_403.xml", address="127.0.0.2")
            assert agent.calls == []
            await sipp.run(agent, "call.xml", "-d", "100")
            assert len(agent.calls) == 1

    play(scenario)


def test_options(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "options.xml")
            assert agent.calls == []

    play(scenario)


def test_three_calls_and_no_fourth(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(), rig.echo) as agent:
            calls = [asyncio.create_task(sipp.run(agent, "call.xml", "-d", "3000")) for _ in "123"]
            await agent.until(lambda: all(agent.of(CallUp, n) for n in range(3)), "three calls")
            await sipp.run(agent, "expect_486.xml")
            await sipp.run(agent, "expect_486.xml")
            await asyncio.gather(*calls)
            await agent.until(lambda: all(agent.of(CallDown, n) for n in range(3)), "their ends")
            assert len(agent.calls) == 3
            assert all(len(agent.audio[call.key]) > 100 * 320 for call in agent.calls)
            await sipp.run(agent, "call.xml", "-d", "100")
            assert len(agent.calls) == 4

    play(scenario)


def test_max_calls_is_configured(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(max_calls=1)) as agent:
            first = asyncio.create_task(sipp.run(agent, "call.xml", "-d", "1500"))
            await agent.until_event(CallUp)
            await sipp.run(agent, "expect_486.xml")
            await first

    play(scenario)


def test_public_address_is_shown(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config(public_address="192.0.2.55")) as agent:
            await sipp.run(agent, "public_address.xml")

    play(scenario)


def test_bye_without_ack(rig: Any, sipp: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            await sipp.run(agent, "never_acks.xml")
            await agent.until_event(CallDown)
            assert agent.switch.open_calls == 0

    play(scenario)


def as_samples(pcm: bytes) -> Any:
    return np.frombuffer(pcm, dtype="<i2")


def test_every_scenario_file_is_used() -> None:
    folder = Path(__file__).parent
    used = "".join(path.read_text() for path in folder.glob("test_*.py"))
    used += "call_pcma.xml call_g722.xml"
    files = itertools.chain(folder.glob("sipp/*.xml"))
    assert [path.name for path in files if path.name not in used] == []
