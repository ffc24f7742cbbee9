"""Several line processes under one agent: more calls than one can carry, each line on its own."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Awaitable, Callable
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
