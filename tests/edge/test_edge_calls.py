"""Calls between a PBX and the lines, through the rendered edge."""

from __future__ import annotations

import asyncio
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
from appliance.testing.callee import ScriptedCallee
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.peer import CallPeer
from tests.call import kamailio

from .box import PBX, box_config, free_ports, running_edge

Play = Callable[[Callable[[], Awaitable[None]]], None]
SECRET = "correct horse"
REGISTRAR = Path(__file__).parents[1] / "call" / "kamailio.cfg"


async def hears_itself(peer: CallPeer) -> None:
    """Half a second of a tone goes to the agent, which says it back."""
    before = len(peer.received)
    await peer.say((8000 * np.sin(2 * np.pi * 440 * np.arange(4000) / 8000)).astype(np.int16))
    await peer.pause(400)
    assert [span for span in peer.received[before:] if span.duration_ms > 400]


async def refusal(uri: str) -> int:
    async with ScriptedCaller(uri, PBX) as caller:
        try:
            await caller.call(20)
        except CallRefused as refused:
            return refused.code
    return 200


def test_a_call_with_hold_keys_and_transfer(rig: Any, play: Play, tmp_path: Path) -> None:
    """Everything that the lines are tested for, but through the edge; and it hides them."""
    seen: list[str] = []

    async def scenario() -> None:
        config = box_config(tmp_path)
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, rig.echo) as agent,
            ScriptedCaller(edge.uri, PBX) as caller,
        ):
            listen(caller, seen)
            await caller.call()
            await agent.until_event(CallUp)
            await hears_itself(caller)
            await caller.digits("12#")
            await caller.hold()
            await agent.until_event(Held)
            await caller.resume()
            await agent.until_event(Resumed)
            await agent.until(lambda: len(agent.of(Digit)) == 3, "three keys")
            agent.calls[0].transfer(f"sip:100@{PBX}")
            assert (await agent.until_event(TransferResult)).code == 200
            assert (await agent.until_event(CallDown)).by == "agent"
            await caller.wait_hangup()
            assert caller.transfers == [f"<sip:100@{PBX}>"]

    play(scenario)
    assert any("200 OK" in text for text in seen)
    assert any(text.startswith("REFER") for text in seen)
    assert not any("127.0.0.1" in text for text in seen)


def listen(caller: ScriptedCaller, seen: list[str]) -> None:
    """Keep the text of every message that the PBX gets."""
    received = caller._endpoint.datagram_received

    def keep(data: bytes, source: tuple[str, int]) -> None:
        seen.append(data.decode("utf-8", "replace"))
        received(data, source)

    caller._endpoint.datagram_received = keep  # type: ignore[method-assign]


def test_registers_at_a_pbx_takes_its_call_and_calls_it(
    rig: Any, play: Play, tmp_path: Path
) -> None:
    async def scenario() -> None:
        port = free_ports(1)
        (tmp_path / "password").write_text(SECRET + "\n")
        registrar = {
            "server": f"sip:{PBX}:{port}",
            "user": "200",
            "password_file": tmp_path / "password",
            "expires_s": 60,
        }
        config = box_config(tmp_path, line={"registrar": registrar}, processes=1)
        (tmp_path / "pbx").mkdir()
        values = {"SECRET": SECRET, "EXPIRES": "3600"}
        pbx = kamailio.running(
            rig.need_tool("kamailio"), REGISTRAR, tmp_path / "pbx", port, values, PBX
        )
        async with pbx, running_edge(config, tmp_path):
            async with rig.agent(config.line, rig.echo) as agent:
                await agent.until(lambda: agent.switch.registration, "the registrar's answer")
                answer = agent.switch.registration
                assert (answer.code, answer.expires_s) == (200, 60)
                async with ScriptedCaller(f"sip:200@{PBX}:{port}", PBX) as caller:
                    await caller.call()
                    await agent.until_event(CallUp)
                assert (await agent.until_event(CallDown)).by == "peer"
            # The last thing that the line did was to unregister.
            assert await refusal(f"sip:200@{PBX}:{port}") == 404

    play(scenario)


@pytest.mark.slow
def test_a_call_of_ours_goes_to_the_pbx_and_nowhere_else(
    rig: Any, play: Play, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with ScriptedCallee(PBX) as callee:
            host, port = callee._endpoint.address
            config = box_config(tmp_path, edge={"pbx": f"{host}:{port}"}, processes=1)
            async with (
                running_edge(config, tmp_path),
                rig.agent(config.line, rig.echo) as agent,
            ):
                # Wherever the address leads, the PBX gets it.
                call = agent.switch.dial("sip:callee@192.0.2.77")
                events = follow(call)
                await callee.wait_call()
                await hears_itself(callee)
                await callee.hang_up()
                assert (await events)[-1].by == "peer"

    play(scenario)


def follow(call: LineCall) -> asyncio.Task[list[Any]]:
    """An echo for a call that was dialled; its events but the audio."""

    async def run() -> list[LineEvent]:
        events = []
        async for event in call.inbox():
            if isinstance(event, Audio):
                call.play(event.pcm)
            else:
                events.append(event)
        return events

    return asyncio.create_task(run())


@pytest.mark.slow
def test_calls_fill_the_lines_and_a_dead_line_loses_only_its_own(
    rig: Any, play: Play, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path, line={"max_calls": 1})
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, rig.echo) as agent,
            ScriptedCaller(edge.uri, PBX) as first,
            ScriptedCaller(edge.uri, PBX) as second,
        ):
            await first.call()
            await second.call()
            assert [line.open_calls for line in agent.switch.lines] == [1, 1]
            assert await refusal(edge.uri) == 486
            line = agent.switch.lines[0]
            rig.kill(line.pid)
            ended = [
                asyncio.create_task(caller.wait_hangup(20), name=str(n))
                for n, caller in enumerate((first, second))
            ]
            done, left = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
            assert len(done) == 1  # the edge hung up towards the PBX
            await agent.until(lambda: line.restarts == 1 and line.pid, "the restart")
            assert await refusal(edge.uri) == 200
            still = left.pop()
            assert not still.done()
            still.cancel()

    play(scenario)


@pytest.mark.slow
def test_a_call_that_is_taken_back_ends_at_the_line_too(
    rig: Any, play: Play, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path)
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, on_arrival=lambda call: None) as agent,  # it only rings
            ScriptedCaller(edge.uri, PBX) as caller,
        ):
            calling = asyncio.create_task(caller.call())
            await agent.until(lambda: agent.calls, "the call")
            await caller.cancel()
            with pytest.raises(CallRefused, match="487"):
                await calling
            assert (await agent.until_event(CallDown)).by == "peer"
            assert len(agent.calls) == 1  # no other line was tried

    play(scenario)


@pytest.mark.slow
def test_calls_outlive_a_restart_of_the_sip_edge(rig: Any, play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path)
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, rig.echo) as agent,
            ScriptedCaller(edge.uri, PBX) as caller,
        ):
            await caller.call()
            await agent.until_event(CallUp)
            await edge.stop("kamailio")
            await hears_itself(caller)  # the sound needs rtpengine only
            await edge.start_sip()
            await caller.hold()
            await agent.until_event(Held)
            await caller.resume()
            await agent.until_event(Resumed)
            await caller.hang_up()
            assert (await agent.until_event(CallDown)).by == "peer"

    play(scenario)


@pytest.mark.slow
def test_without_the_media_edge_a_call_is_refused(rig: Any, play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path)
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, rig.echo) as agent,
        ):
            await edge.stop("rtpengine")
            assert await refusal(edge.uri) == 503
            assert not agent.calls
            await edge.start_media()
            async with asyncio.timeout(20):
                while await refusal(edge.uri) != 200:  # it looks for rtpengine now and then
                    await asyncio.sleep(0.2)

    play(scenario)
