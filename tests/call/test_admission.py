"""A box that cannot hear one more call in time says so at the door."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from appliance.cli.chat import example_accounts
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.session.agent import Agent
from appliance.telephony.switch import Switch
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.served import write_trial_config

from .records import record_of

pytestmark = pytest.mark.anyio


async def test_a_call_that_would_be_heard_late_is_refused(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, example_accounts("collections"))
    agent = Agent(load_config(trial.config), SystemClock(), lambda *_: None)
    for _ in range(20):  # a decode costs half a minute here
        agent._services.scheduler.load.warm_up(1.0, 30.0)
    started: asyncio.Future[Switch] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(agent.run(started.set_result))
    await started
    try:
        async with ScriptedCaller(trial.target) as first:
            await first.call()
            async with ScriptedCaller(trial.target) as second:
                with pytest.raises(CallRefused) as refused:
                    await second.call()
            assert refused.value.code == 486
            await first.hang_up()
            await record_of(trial, first.call_id)
        async with ScriptedCaller(trial.target) as third:
            await third.call()
            await third.hang_up()
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
