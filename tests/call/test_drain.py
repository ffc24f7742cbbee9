"""The appliance as a service told to end: SIGTERM, as systemd sends it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from appliance.cli.chat import example_accounts
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.served import Served, write_trial_config
from appliance.testing.speech import CallerVoice

from .records import records

pytestmark = pytest.mark.anyio
ACCOUNTS = example_accounts("collections")


async def refusal(target: str) -> CallRefused | None:
    async with ScriptedCaller(target) as caller:
        try:
            await caller.call(10)
        except CallRefused as refused:
            return refused
    return None


async def until_draining(served: Served) -> None:
    async with asyncio.timeout(10):
        while not any(each.get("event") == "draining" for each in served.log):
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_call_goes_on_to_its_own_end(tmp_path: Path, voice: CallerVoice) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS, {"line": {"drain_s": 60}})
    with Served(trial.config) as served:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            os.kill(served.pid, signal.SIGTERM)
            await until_draining(served)
            await caller.say(voice.speak("please stop calling me"))
            await caller.wait_hangup(30)
            call_id = caller.call_id
        assert served.wait() == 0
    record = records(trial)[call_id]
    assert record["outcome"] == "cease_contact"
    assert "cannot_go_on" not in str(record["dialogue"])


async def test_new_calls_are_refused_and_one_that_lasts_too_long_hears_why(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS, {"line": {"drain_s": 2}})
    with Served(trial.config) as served:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            before_ms = sum(span.duration_ms for span in caller.received)
            os.kill(served.pid, signal.SIGTERM)
            await until_draining(served)
            refused = await refusal(trial.target)
            assert refused is not None
            assert (refused.code, refused.retry_after_s) == (503, 10)
            await caller.wait_hangup(20)
            assert caller.remote_hung_up
            words_ms = sum(span.duration_ms for span in caller.received) - before_ms
            call_id = caller.call_id
        assert served.wait() == 0
    assert words_ms > 2000
    record = records(trial)[call_id]
    assert record["ended_by"] == "agent"


@pytest.mark.slow
async def test_told_twice_it_ends_at_once(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS, {"line": {"drain_s": 60}})
    with Served(trial.config) as served:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            os.kill(served.pid, signal.SIGTERM)
            await until_draining(served)
            os.kill(served.pid, signal.SIGTERM)
            await caller.wait_hangup(5)
        assert served.wait() == 0


@pytest.mark.slow
async def test_callers_of_a_killed_agent_hear_why(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS)
    with Served(trial.config) as served:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            before_ms = sum(span.duration_ms for span in caller.received)
            os.kill(served.pid, signal.SIGKILL)
            await caller.wait_hangup(20)
            assert caller.remote_hung_up
            assert sum(span.duration_ms for span in caller.received) - before_ms > 2000
        served.wait()
