"""The scripted caller and the line: audio both ways, digits, barge-in, hold, calls placed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
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
from appliance.telephony.playout import MAX_QUEUED_MS
from appliance.testing.activity import level_dbm0
from appliance.testing.callee import ScriptedCallee
from appliance.testing.caller import CallRefused, ScriptedCaller

Play = Callable[[Callable[[], Awaitable[None]]], None]
ROOM = MAX_QUEUED_MS // 20


def tone(hz: float, seconds: float, level: int = 8000) -> Any:
    return (level * np.sin(2 * np.pi * hz * np.arange(int(8000 * seconds)) / 8000)).astype(np.int16)


def share_of(hz: float, pcm: bytes) -> float:
    """Share of the energy of `pcm` that lies within 20 Hz of `hz`."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(float)
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    near = np.abs(np.fft.rfftfreq(len(samples), 1 / 8000) - hz) < 20
    return float(power[near].sum() / max(power.sum(), 1.0))


@pytest.mark.parametrize("codec", ["PCMU", "PCMA"])
def test_caller_is_heard_and_hears_itself(rig: Any, play: Play, codec: Any) -> None:
    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), rig.echo) as agent,
            ScriptedCaller(agent.uri, codec=codec) as caller,
        ):
            await caller.call()
            await caller.say(tone(700, 1.5))
            await caller.pause(400)
            await caller.hang_up()
            await agent.until_event(CallDown)
            assert agent.of(CallUp)[0].codec == codec
            assert share_of(700, bytes(agent.audio[agent.calls[0].key])) > 0.9
            heard_ms = sum(span.duration_ms for span in caller.received)
            assert 1200 < heard_ms < 2000

    play(scenario)


@pytest.mark.parametrize(("by_info", "method"), [(False, "rfc4733"), (True, "info")])
def test_digits_in(rig: Any, play: Play, by_info: bool, method: str) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            await caller.pause(200)
            await caller.digits("90210#*", by_info=by_info)
            await agent.until(lambda: len(agent.of(Digit)) >= 7, "seven digits")
            digits = agent.of(Digit)
            assert "".join(digit.digit for digit in digits) == "90210#*"
            assert {digit.method for digit in digits} == {method}

    play(scenario)


def test_digits_out(rig: Any, play: Play) -> None:
    def press(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, CallUp):
            call.send_digits("12#")

    async def scenario() -> None:
        async with rig.agent(rig.config(), press) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            await caller.pause(2500)
            assert caller.digits_received == "12#"

    play(scenario)


def test_played_counts_what_went_out_and_flush_drops_the_rest(rig: Any, play: Play) -> None:
    frame = tone(500, 0.02).tobytes()
    counts: list[int] = []

    def burst_then_flush(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, CallUp):
            for _ in range(ROOM):
                call.play(frame)
        if isinstance(event, Audio):
            counts.append(event.played)
            if event.played >= 5:
                call.flush()

    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), burst_then_flush) as agent,
            ScriptedCaller(agent.uri) as caller,
        ):
            await caller.call()
            await agent.until(lambda: len(counts) > 60, "60 ticks")
            await caller.hang_up()
            assert counts[0] <= 1
            assert counts == sorted(counts)
            assert 5 <= counts[-1] < ROOM, "the flush came before the end of the burst"
            heard_ms = sum(span.duration_ms for span in caller.received)
            assert heard_ms < MAX_QUEUED_MS

    play(scenario)


def test_noise_is_heard_between_prompts_and_is_none_of_them(rig: Any, play: Play) -> None:
    wave = tone(500, 0.4).tobytes()
    frames = [wave[at : at + 320] for at in range(0, len(wave), 320)]
    counts: list[int] = []

    def speak_and_be_stopped(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, Audio):
            counts.append(event.played)
            if len(counts) == 40:
                for frame in frames[:12]:
                    call.play(frame)
            if event.played == 8:
                call.flush()

    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), speak_and_be_stopped) as agent,
            ScriptedCaller(agent.uri) as caller,
        ):
            await caller.call()
            await agent.until(lambda: len(counts) > 100, "two seconds of ticks")
            await caller.hang_up()
        levels = [level_dbm0(packet.samples) for packet in caller.packets_received]
        loud = [index for index, level in enumerate(levels) if level > -40]
        quiet = levels[10 : loud[0]] + levels[loud[-1] + 2 :]
        assert np.median(quiet) == pytest.approx(-65, abs=2)
        assert min(quiet) > -70, "never dead silent"
        assert max(quiet) < -60
        assert counts[-1] in (8, 9), "neither the noise nor the fade counts as played"
        assert len(loud) == counts[-1] + 1
        fading = np.abs(caller.packets_received[loud[-1]].samples.astype(int))
        assert fading[-40:].max() < 0.2 * fading[:40].max()

    play(scenario)


def test_playout_never_builds_up_delay(rig: Any, play: Play) -> None:
    frame = tone(500, 0.02).tobytes()
    played: list[int] = []

    def flood(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, CallUp):
            for _ in range(20 * ROOM):
                call.play(frame)
        if isinstance(event, Audio):
            played.append(event.played)

    async def scenario() -> None:
        async with rig.agent(rig.config(), flood) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            await agent.until(lambda: len(played) > 100, "2 s of ticks")
            assert played[-1] <= 2 * ROOM, "300 ms wait, a few were played while the flood came"

    play(scenario)


def test_hold_keeps_frames_back(rig: Any, play: Play) -> None:
    frame = tone(500, 0.02).tobytes()
    state: dict[str, Any] = {"held": False, "at_hold": [], "at_resume": None}

    def watch(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, Held):
            state["held"] = True
        if isinstance(event, Resumed):
            state["held"] = False
        if isinstance(event, Audio):
            if state["held"]:
                state["at_hold"].append(event.played)
            call.play(frame)

    async def scenario() -> None:
        async with rig.agent(rig.config(), watch) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            await caller.pause(300)
            await caller.hold()
            await agent.until(lambda: len(state["at_hold"]) > 25, "ticks on hold")
            await caller.resume()
            await agent.until_event(Resumed)
            assert state["at_hold"][1] == state["at_hold"][25], "nothing is played on hold"
            await caller.pause(400)
            await caller.hang_up()
            await agent.until_event(CallDown)

    play(scenario)


def test_cancelled_call_is_over_for_the_agent(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), on_arrival=lambda call: None) as agent,
            ScriptedCaller(agent.uri) as caller,
        ):
            calling = asyncio.create_task(caller.call())
            await agent.until(lambda: agent.calls, "the call")
            await caller.cancel()
            with pytest.raises(CallRefused, match="487"):
                await calling
            assert (await agent.until_event(CallDown)).code == 487
            agent.calls[0].answer()  # too late: does nothing

    play(scenario)


def test_transfer_to_a_real_target_reports_and_hangs_up(rig: Any, play: Play) -> None:
    def transfer(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, CallUp):
            call.transfer("sip:person@127.0.0.1:5999")

    async def scenario() -> None:
        async with rig.agent(rig.config(), transfer) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            await caller.wait_hangup()
            assert caller.transfers == ["<sip:person@127.0.0.1:5999>"]
            assert (await agent.until_event(TransferResult)).code == 200
            assert (await agent.until_event(CallDown)).by == "agent"

    play(scenario)


@pytest.mark.parametrize("target", ["", "person", "sip:a b@c"])
def test_transfer_to_nonsense_keeps_the_call(rig: Any, play: Play, target: str) -> None:
    def transfer(call: LineCall, event: LineEvent) -> None:
        if isinstance(event, CallUp):
            call.transfer(target)

    async def scenario() -> None:
        async with rig.agent(rig.config(), transfer) as agent, ScriptedCaller(agent.uri) as caller:
            await caller.call()
            assert (await agent.until_event(TransferResult)).code == 400
            assert not agent.calls[0].is_over
            assert caller.transfers == []

    play(scenario)


def test_dialled_call(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent, ScriptedCallee() as callee:
            call = agent.switch.dial(callee.uri)
            events = []
            async for event in call.inbox():
                if isinstance(event, Audio):
                    if event.played < 50:
                        call.play(tone(600, 0.02).tobytes())
                    elif event.played >= 50:
                        call.hang_up()
                else:
                    events.append(type(event))
            assert events == [CallUp, CallDown]
            assert sum(span.duration_ms for span in callee.received) > 500
            assert agent.switch.open_calls == 0

    play(scenario)


@pytest.mark.parametrize(("answer", "code"), [(486, 486), (404, 404), (603, 603)])
def test_dialled_call_refused(rig: Any, play: Play, answer: int, code: int) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent, ScriptedCallee(answer=answer) as callee:
            events = [event async for event in agent.switch.dial(callee.uri).inbox()]
            assert [(type(e), e.code, e.by) for e in events] == [(CallDown, code, "peer")]

    play(scenario)


def test_dialling_nonsense_ends_at_once(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            for uri in ("", "nobody", "sip:", "sip:a b@c"):
                events = [event async for event in agent.switch.dial(uri).inbox()]
                assert [(type(e), e.by) for e in events] == [(CallDown, "line")], uri

    play(scenario)


def test_dialled_call_is_taken_back(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent, ScriptedCallee(answer=180) as callee:
            call = agent.switch.dial(callee.uri)
            await callee.wait_ringing()
            call.hang_up()
            events = [event async for event in call.inbox()]
            assert [(type(e), e.by) for e in events] == [(CallDown, "agent")]
            await agent.until(lambda: callee.cancelled, "CANCEL, sent once the callee rings")

    play(scenario)


def test_switch_hangs_up_when_it_ends(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with contextlib.AsyncExitStack() as switch:
            agent = await switch.enter_async_context(rig.agent(rig.config()))
            async with ScriptedCaller(agent.uri) as caller:
                await caller.call()
                await agent.until_event(CallUp)
                await switch.aclose()
                await caller.wait_hangup(5)
                assert caller.remote_hung_up
                assert agent.of(CallDown)[0].by == "line"

    play(scenario)
