"""Lines that are services of their own: agents come and go, and callers hear why."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.telephony.messages import CallDown, CallUp
from appliance.testing.caller import CallRefused, ScriptedCaller

from .attached import TONE, running_line
from .test_line_registration import Registrar

Play = Callable[[Callable[[], Awaitable[None]]], None]


@pytest.fixture
def attach(tmp_path: Path) -> Path:
    return tmp_path / "lines.sock"


async def refusal(uri: str) -> CallRefused | None:
    """How a call is refused; None where it is answered."""
    async with ScriptedCaller(uri) as caller:
        try:
            await caller.call(10)
        except CallRefused as refused:
            return refused
    return None


async def code(uri: str) -> int:
    """The answer to a call."""
    refused = await refusal(uri)
    return 200 if refused is None else refused.code


async def until_answered(uri: str) -> None:
    async with asyncio.timeout(20):
        while await refusal(uri) is not None:
            await asyncio.sleep(0.05)


def heard_ms(caller: ScriptedCaller) -> float:
    return sum(span.duration_ms for span in caller.received)


def test_a_line_outlives_its_agents(rig: Any, play: Play, attach: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach)
        uri = f"sip:x@127.0.0.1:{config.port}"
        async with running_line(tmp_path / "line", config) as line:
            refused = await refusal(uri)
            assert refused is not None
            assert (refused.code, refused.retry_after_s) == (503, 10)
            for _ in range(2):
                async with rig.agent(config, rig.echo) as agent, ScriptedCaller(uri) as caller:
                    assert agent.switch.line_pid == line.process.pid
                    await caller.call()
                    await agent.until_event(CallUp)
                assert await code(uri) == 503
            async with rig.agent(config, rig.echo) as agent:  # it hears what it was not there for
                async with asyncio.timeout(10):
                    while (told := agent.switch.line_statistics) is None:
                        await asyncio.sleep(0.02)
                assert (told.refused_full, told.refused_closed) == (0, 3)
            assert line.process.returncode is None

    play(scenario)


def test_callers_of_a_dead_agent_hear_the_parting_words(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach)
        uri = f"sip:x@127.0.0.1:{config.port}"
        async with running_line(tmp_path / "line", config), ScriptedCaller(uri) as caller:
            async with rig.agent(config) as agent:
                agent.switch.part_with(TONE)
                await caller.call()
                await agent.until_event(CallUp)
                assert heard_ms(caller) == 0
                agent.switch.lines[0]._line.give_up("as if the agent had died")
            assert agent.of(CallDown)[0].by == "line"
            async with rig.agent(config) as next_agent:
                await until_answered(uri)  # while the first caller still hears it
                assert not caller.remote_hung_up
                await caller.wait_hangup(10)
                assert 800 < heard_ms(caller) < 1300
                assert caller.remote_hung_up
                assert len(next_agent.calls) == 1  # the old call is none of the next agent's

    play(scenario)


def test_registration_is_kept_while_the_agent_is_away(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        registrar = Registrar(tmp_path, rig)
        async with registrar.running():
            config = rig.config(attach=attach, registrar=registrar.extension())
            async with running_line(tmp_path / "line", config) as line:
                await line.until_said("; registered")
                assert await code(registrar.uri) == 500  # a proxy's word for a 503 of the line's
                for _ in range(2):
                    async with rig.agent(config) as agent:
                        await agent.until(lambda: agent.switch.registration, "what the line knows")
                        assert agent.switch.registration.code == 200
                        assert await refusal(registrar.uri) is None
                line.process.send_signal(signal.SIGTERM)
                assert await line.ended() == 0
            assert await code(registrar.uri) == 404

    play(scenario)


@pytest.mark.slow
def test_an_agent_that_hangs_is_given_up(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    """Its loop stands still, so nothing is heard of it; the connection is as it was."""

    async def scenario() -> None:
        config = rig.config(attach=attach)
        uri = f"sip:x@127.0.0.1:{config.port}"
        async with running_line(tmp_path / "line", config) as line, rig.agent(config) as agent:
            await until_answered(uri)
            agent.switch.lines[0]._keeping.cancel()  # no sign of life any more
            async with ScriptedCaller(uri) as caller:
                await caller.call()
                await caller.wait_hangup(20)
            await line.until_said("agent away")
            # It answers nobody, so nothing more is given to it though it takes connections.
            assert await code(uri) == 503

    play(scenario)


@pytest.mark.slow
def test_agent_begins_without_a_line_that_is_missing(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach, processes=2)
        async with running_line(tmp_path / "0", config):
            began_s = time.monotonic()
            async with rig.agent(config) as agent:
                assert time.monotonic() - began_s < 10
                assert agent.switch.missing == (1,)
                assert await refusal(f"sip:x@127.0.0.1:{config.ports[0]}") is None
                async with running_line(tmp_path / "1", config, index=1):
                    await agent.until(lambda: not agent.switch.missing, "the second line")
                    assert await refusal(f"sip:x@127.0.0.1:{config.ports[1]}") is None
                await agent.until(lambda: agent.switch.missing == (1,), "its end")
                assert await refusal(f"sip:x@127.0.0.1:{config.ports[0]}") is None

    play(scenario)


def test_a_line_told_to_end_lets_its_calls_end_first(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach)
        uri = f"sip:x@127.0.0.1:{config.port}"
        async with (
            running_line(tmp_path / "line", config) as line,
            rig.agent(config, rig.echo) as agent,
            ScriptedCaller(uri) as caller,
        ):
            await until_answered(uri)
            await caller.call()
            await agent.until_event(CallUp, 1)
            line.process.send_signal(signal.SIGTERM)
            await line.until_said("STOPPING=1")
            assert await code(uri) == 503
            await caller.say(TONE)
            await caller.pause(200)
            assert heard_ms(caller) > 500  # the echo: the call goes on
            await caller.hang_up()
            assert await line.ended() == 0
            assert agent.of(CallDown, 1)[0].by == "peer"

    play(scenario)


@pytest.mark.slow
def test_a_line_told_to_end_ends_calls_that_last_too_long(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach, drain_s=1)
        uri = f"sip:x@127.0.0.1:{config.port}"
        async with (
            running_line(tmp_path / "line", config) as line,
            rig.agent(config) as agent,
            ScriptedCaller(uri) as caller,
        ):
            agent.switch.part_with(TONE)
            await until_answered(uri)
            await caller.call()
            await agent.until_event(CallUp, 1)
            line.process.send_signal(signal.SIGTERM)
            await caller.wait_hangup(20)
            assert 800 < heard_ms(caller) < 1300
            assert await line.ended() == 0
            assert agent.of(CallDown, 1)[0].by == "line"

    play(scenario)


@pytest.mark.slow
def test_watchdog_is_fed_while_the_line_gets_on(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach)
        async with running_line(tmp_path / "line", config, watchdog_s=10) as line:
            await line.until_said("WATCHDOG=1")
            await line.until_said("WATCHDOG=1")
            line.said()
            os.kill(line.process.pid, signal.SIGSTOP)
            await asyncio.sleep(1.5)
            line.said()
            await asyncio.sleep(1.5)
            assert line.said() == []
            os.kill(line.process.pid, signal.SIGCONT)
            await line.until_said("WATCHDOG=1")

    play(scenario)


@pytest.mark.slow
def test_a_line_of_another_release_ends_to_be_started_anew(
    rig: Any, play: Play, attach: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        config = rig.config(attach=attach)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other_agent:
            other_agent.bind(str(attach))
            other_agent.listen()
            async with running_line(tmp_path / "line", config) as line:
                other_agent.settimeout(10)
                connection, _ = other_agent.accept()
                with contextlib.closing(connection):
                    connection.send(bytes([99, 77, 0, 0, 0, 0]))
                    assert await line.ended() == 1

    play(scenario)
