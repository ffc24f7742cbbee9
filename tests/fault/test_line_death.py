"""Lines that die, hang, talk nonsense or lose their agent: only their own calls suffer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ConfigError, PeerError
from appliance.telephony.call import LineCall
from appliance.telephony.messages import CallDown, CallUp, Message
from appliance.telephony.process import LineProcess
from appliance.testing.caller import ScriptedCaller

Play = Callable[[Callable[[], Awaitable[None]]], None]
ANSWER_AGAIN_S = 3.0
"""From the kill to the next answered call; part of the product's promise."""


async def seconds_until_answered(uri: str) -> float:
    """How long until a caller who keeps trying is answered."""
    started_s = time.monotonic()
    while time.monotonic() - started_s < 30:
        with contextlib.suppress(PeerError):
            async with ScriptedCaller(uri) as caller:
                await caller.call(1)
                return time.monotonic() - started_s
        await asyncio.sleep(0.05)
    raise AssertionError("no call was answered any more")


def test_kill_9_loses_only_its_calls_and_the_next_is_answered(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), rig.echo) as agent,
            ScriptedCaller(agent.uri) as lost,
            ScriptedCaller(agent.uri) as lost_too,
        ):
            await lost.call()
            await lost_too.call()
            await agent.until(lambda: agent.of(CallUp, 1), "two calls")
            took_s = []
            for attempt in range(3):  # again only where a loaded machine made it late
                rig.kill(agent.switch.line_pid)
                took_s.append(await seconds_until_answered(agent.uri))
                assert agent.switch.restarts == attempt + 1
                if took_s[-1] <= ANSWER_AGAIN_S:
                    break
            assert took_s[-1] <= ANSWER_AGAIN_S, took_s
            for index in (0, 1):
                assert [(d.by, d.code) for d in agent.of(CallDown, index)] == [("line", 503)]
            agent.calls[0].hang_up()  # about a call that is gone: does nothing

    play(scenario)


def test_calls_of_another_line_go_on(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with (
            rig.agent(rig.config(), rig.echo) as one,
            rig.agent(rig.config(), rig.echo) as other,
            ScriptedCaller(other.uri) as caller,
        ):
            await caller.call()
            await other.until_event(CallUp)
            rig.kill(one.switch.line_pid)
            await one.until(lambda: one.switch.restarts == 1 and one.switch.line_pid, "a new line")
            heard = len(other.audio[other.calls[0].key])
            await caller.pause(500)
            assert len(other.audio[other.calls[0].key]) > heard
            assert not other.calls[0].is_over

    play(scenario)


def test_numbers_of_a_new_line_do_not_meet_old_calls(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            async with ScriptedCaller(agent.uri) as caller:
                await caller.call()
                await agent.until_event(CallUp)
                rig.kill(agent.switch.line_pid)
                await agent.until_event(CallDown)
            await seconds_until_answered(agent.uri)
            assert agent.calls[0].key != agent.calls[1].key
            assert len(agent.of(CallDown, 0)) == 1

    play(scenario)


async def take_port_of_dead_line(rig: Any, agent: Any, thief: socket.socket) -> None:
    for _ in range(20):
        await agent.until(lambda: agent.switch.line_pid, "a line")
        rig.kill(agent.switch.line_pid)
        await agent.until(lambda: not agent.switch.line_pid, "its death")
        with contextlib.suppress(OSError):  # the next line was faster: once more
            thief.bind(("127.0.0.1", agent.config.port))
            return
    raise AssertionError("the port was never free")


def test_line_that_cannot_start_again_is_tried_until_it_can(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as thief:
                await take_port_of_dead_line(rig, agent, thief)
                before = agent.switch.restarts
                await agent.until(lambda: agent.switch.restarts >= before + 2, "two attempts", 20)
                assert not agent.switch.line_pid
            await seconds_until_answered(agent.uri)

    play(scenario)


def test_dialling_without_a_line_ends_at_once(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        async with rig.agent(rig.config()) as agent:
            rig.kill(agent.switch.line_pid)
            await agent.until(lambda: not agent.switch.line_pid, "its death")
            events = [event async for event in agent.switch.dial("sip:x@127.0.0.1").inbox()]
            assert [(type(event), event.code) for event in events] == [(CallDown, 503)]

    play(scenario)


def test_line_that_hangs_is_replaced(rig: Any, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.telephony.connection.SILENT_CHECKS", 2)

    async def scenario() -> None:
        async with rig.agent(rig.config(), rig.echo) as agent:
            async with ScriptedCaller(agent.uri) as caller:
                await caller.call()
                await agent.until_event(CallUp)
                os.kill(agent.switch.line_pid, signal.SIGSTOP)
                for _ in range(1000):
                    agent.calls[0].play(bytes(320))  # a full socket must not stall the agent
                assert (await agent.until_event(CallDown)).by == "line"
            await seconds_until_answered(agent.uri)

    play(scenario)


PROGRAMS = {
    "dies_at_once": ("raise SystemExit(3)", "ended at its start"),
    "says_nonsense": ("line.send(b'nonsense' * 3); time.sleep(30)", "malformed message"),
    "says_nonsense_after_hello": (
        "line.send(HELLO); line.send(b''.join([b'\\3\\5', bytes(9)])); time.sleep(30)",
        "malformed message",
    ),
    "speaks_another_release": ("line.send(b'\\1' + HELLO[1:]); time.sleep(30)", "mixed releases"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_unusable_line_is_given_up_with_its_fault(rig: Any, play: Play, name: str) -> None:
    body, said = PROGRAMS[name]
    program = textwrap.dedent(
        f"""
        import socket, sys, time
        from appliance.telephony.messages import VERSION, Hello
        from appliance.telephony.packets import serialize_message
        HELLO = serialize_message(Hello(VERSION, 0, 1, False, False))
        line = socket.socket(fileno=int(sys.argv[sys.argv.index("--socket") + 1]))
        {body}
        """
    )
    received: list[Message] = []

    async def scenario() -> None:
        process = LineProcess(received.append, (sys.executable, "-c", program))
        fault = ""
        try:
            await process.start(rig.config())
            await asyncio.wait_for(process.gone.wait(), 10)
            fault = process.fault
        except ConfigError as error:
            fault = str(error)
        assert said in fault
        await process.kill()
        assert received == []

    play(scenario)


AGENT = """
import asyncio, sys, structlog
from appliance.clock import SystemClock
from appliance.config import LineConfig
from appliance.telephony.switch import Switch
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
async def main():
    config = LineConfig.model_validate_json(sys.argv[1])
    async with Switch(config, SystemClock(), structlog.get_logger()) as switch:
        print(switch.line_pid, flush=True)
        async for call in switch.calls():
            call.answer()
asyncio.run(main())
"""


def test_line_hangs_up_and_ends_when_its_agent_dies(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        config = rig.config()
        agent = await asyncio.create_subprocess_exec(
            sys.executable, "-c", AGENT, config.model_dump_json(), stdout=asyncio.subprocess.PIPE
        )
        assert agent.stdout is not None
        line_pid = int(await agent.stdout.readline())
        async with ScriptedCaller(f"sip:x@127.0.0.1:{config.port}") as caller:
            await caller.call()
            agent.kill()
            await agent.wait()
            await caller.wait_hangup(5)
            assert caller.remote_hung_up
        for _ in range(100):
            if not alive(line_pid):
                return
            await asyncio.sleep(0.05)
        raise AssertionError("the line outlives its agent")

    play(scenario)


def test_agent_that_ends_while_its_line_starts_leaves_none(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        process = LineProcess(lambda message: None)
        starting = asyncio.create_task(process.start(rig.config()))
        for _ in range(100_000):
            if process.pid:
                break
            await asyncio.sleep(0)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        assert not alive(process.pid)

    play(scenario)


def test_line_ends_by_itself_within_the_time_it_has(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        process = LineProcess(lambda message: None)
        await process.start(rig.config())
        await process.stop()
        assert await process.exit_status() == "exit status 0"

    play(scenario)


def test_fifty_calls_leave_nothing_behind(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        def hang_up_soon(call: LineCall, event: object) -> None:
            if isinstance(event, CallUp):
                asyncio.get_running_loop().call_later(0.05, call.hang_up)

        # Its threads start only when two tasks fall together: that is no leak.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        async with rig.agent(rig.config(), hang_up_soon) as agent:

            async def one_call() -> None:
                async with ScriptedCaller(agent.uri) as caller:
                    await caller.call()
                    await caller.wait_hangup(5)

            async def counts() -> tuple[int, ...]:
                await agent.until(lambda: not agent.switch.open_calls, "the end of all calls")
                await agent.until(lambda: not agent.tasks, "the end of their tasks")
                await asyncio.sleep(0.7)  # pjsip frees I/O handles half a second later
                line = f"/proc/{agent.switch.line_pid}"
                folders = (f"{line}/fd", f"{line}/task", "/proc/self/fd", "/proc/self/task")
                return (*(entries(f) for f in folders), len(asyncio.all_tasks()))

            for _ in range(4):
                await one_call()
            before = await counts()
            for _ in range(50):
                await one_call()
            assert len(agent.calls) == 54
            assert await counts() == before

    play(scenario)


def entries(folder: str) -> int:
    return len(list(Path(folder).iterdir()))


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
