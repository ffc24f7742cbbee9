"""A scripted caller and a scripted callee call each other on loopback."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import numpy as np
import pytest

from appliance.errors import PeerError
from appliance.testing.callee import ScriptedCallee
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.endpoint import SipTimeout
from appliance.testing.leg import PeerOptions
from appliance.testing.media import CallEnded
from appliance.testing.peer import Speech

Scene = Callable[[ScriptedCaller, ScriptedCallee], Awaitable[None]]


def tone(duration_ms: int, hz: float = 440.0) -> np.ndarray:
    at = np.arange(duration_ms * 8) / 8000
    return (4000 * np.sin(2 * np.pi * hz * at)).astype(np.int16)


@asynccontextmanager
async def pair(
    codec: str = "PCMU", answer: int = 200, options: PeerOptions | None = None
) -> AsyncIterator[tuple[ScriptedCaller, ScriptedCallee]]:
    async with (
        ScriptedCallee(codec=codec, answer=answer, options=options) as callee,
        ScriptedCaller(callee.uri, codec=codec, options=options) as caller,
    ):
        yield caller, callee


def act(scene: Scene, **how: object) -> None:
    """Run a scene in a call that is up."""

    async def run() -> None:
        async with pair(**how) as (caller, callee):
            await caller.call()
            await callee.wait_call()
            await scene(caller, callee)

    asyncio.run(run())


@pytest.mark.parametrize("codec", ["PCMU", "PCMA"])
def test_audio_goes_both_ways(codec: str) -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        said = await caller.say(Speech(tone(400), "hello"))
        heard = await callee.wait_reply(quiet_ms=200)
        assert said.text == "hello"
        assert abs(heard.first_ns - said.first_ns) < 20_000_000
        assert abs(heard.last_ns - said.last_ns) < 20_000_000
        await callee.say(tone(300))
        await caller.wait_reply(quiet_ms=200)
        assert len(caller.received) == len(callee.received) == 1
        assert caller.malformed == callee.malformed == 0
        arrived = np.concatenate([packet.samples for packet in callee.media.received])
        power = np.abs(np.fft.rfft(arrived[np.flatnonzero(np.abs(arrived) > 500)]))
        assert power.argmax() > 0

    act(scene, codec=codec)


def test_every_packet_follows_the_last(tmp_path) -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.say(tone(100))
        await caller.digits("5")
        await caller.pause(100)
        await caller.hang_up()
        await callee.wait_hangup()
        got = callee.media.received
        assert {len(packet.samples) for packet in got} == {160}
        steps = [b.timestamp - a.timestamp for a, b in itertools.pairwise(got)]
        assert steps.count(160) == len(steps) - 1
        assert max(steps) == 160 * 8  # the key press takes the place of seven audio packets
        assert callee.digits_received == "5"

    act(scene)


def test_digits_by_event_and_by_info() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.digits("90210")
        await caller.digits("*#", by_info=True)
        await callee.digits("7")
        await caller.pause(60)
        assert callee.media.digits == "90210"
        assert callee.info_digits == "*#"
        assert caller.digits_received == "7"

    act(scene)


def test_unknown_digit_is_refused() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        with pytest.raises(ValueError, match="'x' is not one of the keys"):
            await caller.digits("x")

    act(scene)


def test_hold_stops_the_far_end_and_resume_starts_it() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.hold()
        assert callee.remote_on_hold
        await caller.pause(60)
        held = len(caller.media.received)
        await callee.say(tone(200))
        await caller.pause(60)
        assert len(caller.media.received) == held
        await caller.resume()
        assert not callee.remote_on_hold
        await callee.say(tone(300))
        await caller.wait_reply(quiet_ms=100)

    act(scene)


def test_inactive_hold_is_answered_inactive() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.hold("inactive")
        assert callee.remote_on_hold
        assert not caller.media.sending

    act(scene)


@pytest.mark.parametrize("who", ["caller", "callee"])
def test_either_side_hangs_up(who: str) -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        ours, theirs = (caller, callee) if who == "caller" else (callee, caller)
        await ours.hang_up()
        await theirs.wait_hangup()
        assert theirs.remote_hung_up
        assert not ours.remote_hung_up
        with pytest.raises(CallEnded):
            await theirs.say(tone(100))

    act(scene)


def test_hang_up_ends_what_is_being_said_and_waited_for() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        saying = asyncio.create_task(caller.say(tone(5000)))
        waiting = asyncio.create_task(caller.wait_reply(timeout_s=20))
        await caller.pause(60)
        await callee.hang_up()
        for task in (saying, waiting):
            with pytest.raises(CallEnded):
                await task

    act(scene)


def test_talk_over_starts_while_the_far_end_speaks() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        speaking = asyncio.create_task(callee.say(tone(1000)))
        said = await caller.talk_over(tone(200), after_ms=300)
        theirs = await speaking
        assert theirs.first_ns + 280_000_000 < said.first_ns < theirs.last_ns

    act(scene)


def test_silence_is_no_reply() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        with pytest.raises(PeerError, match="in vain for a reply"):
            await caller.wait_reply(timeout_s=0.3)

    act(scene)


def test_noise_floor_is_sent_but_is_no_speech() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.pause(300)
        assert np.concatenate([packet.samples for packet in callee.media.received]).any()
        assert callee.received == ()

    act(scene, options=PeerOptions(noise_dbm0=-55))


@pytest.mark.parametrize("code", [403, 486, 603])
def test_refused(code: int) -> None:
    async def run() -> None:
        async with pair(answer=code) as (caller, _):
            with pytest.raises(CallRefused) as refusal:
                await caller.call()
            assert refusal.value.code == code

    asyncio.run(run())


def test_second_call_gets_486() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        async with ScriptedCaller(callee.uri) as second:
            with pytest.raises(CallRefused, match="486"):
                await second.call()

    act(scene)


def test_cancel_while_it_rings() -> None:
    async def run() -> None:
        async with pair(answer=180) as (caller, callee):
            calling = asyncio.create_task(caller.call())
            await callee.wait_ringing()
            await caller.cancel()
            with pytest.raises(CallRefused, match="487"):
                await calling
            assert callee.cancelled

    asyncio.run(run())


def test_ringing_for_ever_times_out_and_is_cancelled() -> None:
    async def run() -> None:
        async with pair(answer=180) as (caller, callee):
            with pytest.raises(SipTimeout, match="only provisional answers within"):
                await caller.call(timeout_s=0.2)
            assert callee.cancelled

    asyncio.run(run())


def test_nobody_there_times_out() -> None:
    async def run() -> None:
        async with ScriptedCaller("sip:nobody@127.0.0.1:9", options=PeerOptions(t1_s=0.05)) as it:
            with pytest.raises(SipTimeout, match=r"INVITE to .*: no answer within"):
                await it.call(timeout_s=0.3)

    asyncio.run(run())


def test_transfer_is_accepted_and_reported() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        reports = []
        take = callee._in_call

        def listen(dialog, request, source) -> None:
            if request.method == "NOTIFY":
                reports.append(request.body.decode().strip())
                callee._check_waiters()
            take(dialog, request, source)

        callee._in_call = listen
        await callee._in_dialog("REFER", (("Refer-To", "<sip:clerk@127.0.0.1>"),), b"")
        await callee._until(lambda: len(reports) == 2, 5, "two reports")
        assert caller.transfers == ["<sip:clerk@127.0.0.1>"]
        assert reports == ["SIP/2.0 100 Trying", "SIP/2.0 200"]

    act(scene)


def test_leaving_the_context_hangs_up_and_leaves_nothing() -> None:
    async def scene(caller: ScriptedCaller, callee: ScriptedCallee) -> None:
        await caller.__aexit__(None, None, None)
        assert callee.remote_hung_up
        assert caller.media._thread is not None
        assert not caller.media._thread.is_alive()

    act(scene)
