"""A box that cannot serve one more call in time says so at the door."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from appliance.cli.chat import example_accounts
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.session.agent import Agent
from appliance.telephony.switch import Switch
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.served import Trial, write_trial_config

from .records import record_of

pytestmark = pytest.mark.anyio
OVERFLOW = "sip:queue@192.0.2.10"


@contextlib.asynccontextmanager
async def agent_at(folder: Path, extra: dict[str, Any]) -> AsyncIterator[tuple[Trial, Agent]]:
    """An agent in this process, with its lines."""
    trial = write_trial_config(folder, example_accounts("collections"), extra)
    agent = Agent(load_config(trial.config), SystemClock(), lambda *_: None)
    started: asyncio.Future[Switch] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(agent.run(started.set_result))
    await started
    try:
        yield trial, agent
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def refusal(target: str) -> tuple[int, tuple[str, ...]]:
    """How the next call is refused: the status, and where it is sent."""
    async with ScriptedCaller(target) as caller:
        with pytest.raises(CallRefused) as refused:
            await caller.call()
    return refused.value.code, refused.value.contacts


@pytest.mark.parametrize(
    ("line", "answer"),
    [({}, (486, ())), ({"overflow": OVERFLOW}, (302, (f"<{OVERFLOW}>",)))],
)
async def test_a_call_that_would_be_heard_late_is_refused(
    tmp_path: Path, line: dict[str, Any], answer: tuple[int, tuple[str, ...]]
) -> None:
    async with agent_at(tmp_path, {"line": line}) as (trial, agent):
        for _ in range(20):  # a decode costs half a minute here
            agent._services.scheduler.load.warm_up(1.0, 30.0)
        async with ScriptedCaller(trial.target) as first:
            await first.call()
            assert await refusal(trial.target) == answer
            await first.hang_up()
            await record_of(trial, first.call_id)
        async with ScriptedCaller(trial.target) as third:
            await third.call()
            await third.hang_up()


async def test_a_benchmark_can_lift_admission(tmp_path: Path) -> None:
    async with agent_at(tmp_path, {"line": {"admit": "all"}}) as (trial, agent):
        for _ in range(20):
            agent._services.scheduler.load.warm_up(1.0, 30.0)
        async with ScriptedCaller(trial.target) as first, ScriptedCaller(trial.target) as second:
            await first.call()
            assert agent._admission.refusal(agent._clock.monotonic_ns()) != ""
            await second.call()
            await second.hang_up()
            await first.hang_up()


async def test_an_overloaded_event_loop_takes_no_more_calls(tmp_path: Path) -> None:
    """Something takes the loop's time for real; once that has ended, calls are taken again."""
    async with agent_at(tmp_path, {"hearing": {"sla_ms": 200}}) as (trial, agent):
        async with ScriptedCaller(trial.target) as first:
            await first.call()
            for _ in range(12):
                await asyncio.sleep(0.06)
                time.sleep(0.2)  # noqa: ASYNC251 (this is the overload)
            code, _ = await refusal(trial.target)
            assert code == 486
            assert not first.remote_hung_up, "a call that was taken goes on"
            await first.hang_up()
            await record_of(trial, first.call_id)
        async with asyncio.timeout(20):
            while agent._admission.standing(time.monotonic_ns()).calls:
                await asyncio.sleep(0.02)
        async with ScriptedCaller(trial.target) as next_one:
            await next_one.call()
            await next_one.hang_up()
