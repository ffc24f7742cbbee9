"""Several line processes under one agent: more calls than one can carry, each line on its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import structlog

from appliance.clock import SystemClock
from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.messages import CallDown, CallUp
from appliance.telephony.switch import Switch
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.served import free_port, free_rtp_range

from . import kamailio

Play = Callable[[Callable[[], Awaitable[None]]], None]
LINES = 3


def several_lines(rig: Any, processes: int = LINES, **changes: Any) -> LineConfig:
    port, rtp_port = free_port(processes), free_rtp_range(processes)
    config: LineConfig = rig.config(
        port=port, rtp_port=rtp_port, processes=processes, realtime=False, **changes
    )
    return config


def uris(config: LineConfig) -> list[str]:
    return [f"sip:x@{config.address}:{port}" for port in config.ports]


def test_every_line_takes_its_calls_and_no_more(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with contextlib.AsyncExitStack() as stack:
            config = several_lines(rig, max_calls=2)
            agent = await stack.enter_async_context(rig.agent(config, rig.echo))
            for uri in uris(config):
                for _ in range(config.max_calls):
                    caller = await stack.enter_async_context(ScriptedCaller(uri))
                    await caller.call()
            assert agent.switch.open_calls == config.capacity == 6
            for uri in uris(config):
                async with ScriptedCaller(uri) as one_more:
                    with pytest.raises(CallRefused) as refused:
                        await one_more.call()
                    assert refused.value.code == 486
            await agent.until(lambda: agent.of(CallUp, 5), "six calls")
            heard = [len(agent.audio[call.key]) for call in agent.calls]
            await caller.pause(500)
            for call, before in zip(agent.calls, heard, strict=True):
                assert len(agent.audio[call.key]) > before

    play(scenario)


def test_a_dead_line_is_started_again_alone(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        config = several_lines(rig)
        async with (
            rig.agent(config, rig.echo) as agent,
            ScriptedCaller(uris(config)[0]) as kept,
            ScriptedCaller(uris(config)[1]) as lost,
        ):
            await kept.call()
            await lost.call()
            await agent.until(lambda: agent.of(CallUp, 1), "two calls")
            pids = [line.pid for line in agent.switch.lines]
            assert len(set(pids)) == LINES
            rig.kill(pids[1])
            down = await agent.until_event(CallDown, 1)
            assert (down.by, down.code) == ("line", 503)
            lines = agent.switch.lines
            await agent.until(lambda: lines[1].pid not in (0, pids[1]), "a new line")
            assert [line.restarts for line in lines] == [0, 1, 0]
            assert (lines[0].pid, lines[2].pid) == (pids[0], pids[2])
            assert not agent.calls[0].is_over
            async with ScriptedCaller(uris(config)[1]) as again:
                await again.call()
                await agent.until(lambda: agent.of(CallUp, 2), "the next call")

    play(scenario)


async def refusal(uri: str) -> tuple[int, tuple[str, ...]]:
    """How a call to a line is refused: the status, and where it is sent."""
    async with ScriptedCaller(uri) as caller:
        with pytest.raises(CallRefused) as refused:
            await caller.call()
    return refused.value.code, refused.value.contacts


def test_a_full_line_sends_calls_to_one_with_room(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        config = several_lines(rig, 2, max_calls=1, spread="redirect")
        async with (
            rig.agent(config) as agent,
            ScriptedCaller(uris(config)[0]) as first,
            ScriptedCaller(uris(config)[1]) as second,
        ):
            await first.call()
            await agent.until_event(CallUp)
            there = f"sip:appliance@127.0.0.1:{config.ports[1]}"
            assert await refusal(uris(config)[0]) == (302, (f"<{there}>",))
            await second.call()
            await agent.until(lambda: agent.of(CallUp, 1), "the second call")
            assert await refusal(uris(config)[0]) == (486, ())
            assert await refusal(uris(config)[1]) == (486, ())
            await first.hang_up()
            await agent.until(lambda: agent.of(CallDown), "its end")
            here = f"sip:appliance@127.0.0.1:{config.ports[0]}"
            assert await refusal(uris(config)[1]) == (302, (f"<{here}>",))

    play(scenario)


def test_a_full_box_sends_calls_away(rig: Any, play: Play, sipp: Any) -> None:
    async def scenario() -> None:
        config = several_lines(rig, 2, max_calls=1, overflow="sip:queue@192.0.2.10:5070")
        async with (
            rig.agent(config) as agent,
            ScriptedCaller(uris(config)[0]) as first,
            ScriptedCaller(uris(config)[1]) as second,
        ):
            await first.call()
            await agent.until_event(CallUp)
            assert (await refusal(uris(config)[0]))[0] == 486, "the other line has room"
            await second.call()
            await agent.until(lambda: agent.of(CallUp, 1), "the second call")
            for uri in uris(config):
                assert await refusal(uri) == (302, ("<sip:queue@192.0.2.10:5070>",))
            await sipp.run(agent, "expect_302.xml")

    play(scenario)


def test_an_agent_that_cannot_take_a_call_sends_it_away(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        target = "sip:queue@192.0.2.10"
        async with rig.agent(rig.config(), on_arrival=lambda call: call.redirect(target)) as agent:
            assert await refusal(agent.uri) == (302, (f"<{target}>",))
            down = await agent.until_event(CallDown)
            assert (down.code, down.by) == (302, "agent")
            agent.calls[0].redirect(target)  # about a call that is over: does nothing
        nowhere = rig.agent(rig.config(), on_arrival=lambda call: call.redirect("no <uri>"))
        async with nowhere as agent:
            assert (await refusal(agent.uri))[0] == 486

    play(scenario)


def test_a_proxy_spreads_calls_and_passes_by_the_dead(rig: Any, play: Play, tmp_path: Path) -> None:
    """The configuration that docs/capacity.md shows."""

    async def scenario() -> None:
        config, port = several_lines(rig, max_calls=1), rig.free_port()
        lines = tmp_path / "lines.list"
        lines.write_text("".join(f"1 {uri}\n" for uri in uris(config)))
        proxy = kamailio.running(
            rig.need_tool("kamailio"),
            Path(__file__).parent / "kamailio_spread.cfg",
            tmp_path,
            port,
            {"LINES": str(lines)},
        )
        box = f"sip:box@127.0.0.1:{port}"
        async with rig.agent(config, rig.echo) as agent, proxy:
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(LINES):
                    caller = await stack.enter_async_context(ScriptedCaller(box))
                    await caller.call()
                assert [line.open_calls for line in agent.switch.lines] == [1] * LINES
                assert (await refusal(box))[0] == 486
            await agent.until(lambda: not agent.switch.open_calls, "the end of all calls")
            os.kill(agent.switch.lines[1].pid, signal.SIGSTOP)  # dead, and nobody says so
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(LINES - 1):
                    caller = await stack.enter_async_context(ScriptedCaller(box))
                    await caller.call()
                assert [line.open_calls for line in agent.switch.lines] == [1, 0, 1]

    play(scenario)


def test_calls_go_out_by_the_least_busy_line(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        config = several_lines(rig, 2)
        async with rig.agent(config) as agent, ScriptedCaller(uris(config)[0]) as caller:
            await caller.call()
            first, second = agent.switch.lines
            agent.switch.dial("sip:nobody@127.0.0.1:9")
            assert (first.open_calls, second.open_calls) == (1, 1)
            rig.kill(second.pid)
            await agent.until(lambda: not second.pid, "its death")
            agent.switch.dial("sip:nobody@127.0.0.1:9")
            assert first.open_calls == 2

    play(scenario)


def test_one_line_that_cannot_start_ends_them_all(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        config = several_lines(rig)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", config.ports[1]))
            switch = Switch(config, SystemClock(), structlog.get_logger())
            with pytest.raises(ConfigError, match=f"cannot listen on .*:{config.ports[1]} "):
                await switch.__aenter__()
        for port in config.ports:  # nobody holds them any more
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(("127.0.0.1", port))

    play(scenario)
