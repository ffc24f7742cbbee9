"""The product as an operator runs it: `appliance serve` with the shipped models, called by SIP."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.cli.chat import example_accounts
from appliance.errors import ConfigError
from appliance.store.records import record_path
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice

from .records import record_of, records

pytestmark = pytest.mark.anyio
ACCOUNTS = example_accounts("collections")


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return write_trial_config(tmp_path_factory.mktemp("product"), ACCOUNTS)


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


async def goodbye(trial: Trial) -> dict[str, Any]:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply()
        await caller.hang_up()
        return await record_of(trial, caller.call_id)


async def test_caller_talks_over_the_greeting(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.talk_over(voice.speak("please stop calling me"), 1500)
        await caller.wait_reply()
        await caller.hang_up()
        record = await record_of(trial, caller.call_id)
    greeting = next(line for line in record["dialogue"] if line["kind"] == "said")
    assert greeting["interrupted"] is True
    assert 0 < greeting["heard_ms"] < greeting["total_ms"]


async def test_typed_zip_reaches_the_disclosure(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply()
        await caller.say(voice.speak("yes"))
        await caller.wait_reply()
        await caller.digits("90210")
        await caller.wait_reply(timeout_s=30)
        await caller.hang_up()
        record = await record_of(trial, caller.call_id)
    assert record["facts"].get("right_party_verified") is True
    assert "mini_miranda" in [line.get("prompt") for line in record["dialogue"]]


@pytest.mark.slow  # test_line_sipp.py: the line alone does so in every run
async def test_three_calls_at_once_and_no_fourth(trial: Trial, served: Served) -> None:
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(60):
        calls = [tasks.create_task(goodbye(trial)) for _ in range(3)]
        while len([log for log in trial.calls.glob("*/*.events.jsonl")
                   if not record_path(log).exists()]) < 3:  # fmt: skip
            await asyncio.sleep(0.05)
        async with ScriptedCaller(trial.target) as fourth:
            with pytest.raises(CallRefused) as refused:
                await fourth.call()
        assert refused.value.code == 486
    assert [call.result()["outcome"] for call in calls] == ["user_ended"] * 3


async def test_killed_line_loses_its_calls_only(trial: Trial, served: Served) -> None:
    line_pid = next(entry["line_pid"] for entry in served.log if entry["event"] == "ready")
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply()
        os.kill(line_pid, signal.SIGKILL)
        killed = time.monotonic()
        lost = await record_of(trial, caller.call_id)
        assert lost["ended_by"] == "line"
        async with ScriptedCaller(trial.target) as following:
            await following.call()
            assert time.monotonic() - killed < 3
            await following.wait_reply()
            await following.hang_up()
            assert (await record_of(trial, following.call_id))["outcome"] == "user_ended"


async def test_no_secret_is_left_anywhere(trial: Trial, served: Served) -> None:
    text = "".join(path.read_text() for path in trial.calls.glob("*/*"))
    text += json.dumps(served.log)
    assert len(text) > 1000
    for secret in ("90210", "nine zero two", "240.5", "Lakeside"):
        assert secret not in text


def test_killed_agent_leaves_a_record_at_the_next_start(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS)

    async def call_and_kill(agent_pid: int) -> str:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            os.kill(agent_pid, signal.SIGKILL)
            return caller.call_id

    with Served(trial.config) as first:
        call_id = asyncio.run(call_and_kill(first.pid))
    assert records(trial) == {}
    with Served(trial.config):
        assert records(trial)[call_id]["outcome"] == "interrupted"


def test_stopped_agent_says_bye_and_writes_the_record(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS)

    async def call_and_stop(agent_pid: int) -> str:
        async with ScriptedCaller(trial.target) as caller:
            await caller.call()
            await caller.wait_reply()
            os.kill(agent_pid, signal.SIGTERM)
            await caller.wait_hangup()
            return caller.call_id

    with Served(trial.config) as served:
        call_id = asyncio.run(call_and_stop(served.pid))
        assert served.wait() == 0
    assert records(trial)[call_id]["ended_by"] == "agent"


def one_account(tmp_path: Path, expected_zip: str) -> Path:
    path = tmp_path / "accounts.yaml"
    path.write_text(
        '"15550101": {agency: A, full_name: B C, first_name: B, creditor: D, balance: "1.00", '
        f"expected_zip: {expected_zip}}}\n"
    )
    return path


@pytest.mark.slow
def test_account_that_the_flow_cannot_use_is_a_clear_error(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, one_account(tmp_path, "02134"))  # unquoted: a number
    with pytest.raises(
        ConfigError, match=r"call\.accounts: 15550101: .*expected_zip: must be text"
    ):
        Served(trial.config).__enter__()


def test_caller_without_an_account_is_refused(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, one_account(tmp_path, '"02139"'))

    async def call() -> int:
        async with ScriptedCaller(trial.target, number="+19995550000") as caller:
            with pytest.raises(CallRefused) as refused:
                await caller.call()
            return refused.value.code

    with Served(trial.config) as served:
        assert asyncio.run(call()) == 480
    assert any("account for flow collections" in str(entry.get("why")) for entry in served.log)


def test_taken_port_is_a_clear_error(tmp_path: Path, trial: Trial, served: Served) -> None:
    port = {"line": {"port": trial.port}}
    second = write_trial_config(tmp_path, ACCOUNTS, port)
    with pytest.raises(ConfigError, match=r"line\.port.*in use"), Served(second.config):
        pass


@pytest.mark.slow
def test_missing_model_is_a_clear_error(tmp_path: Path) -> None:
    trial = write_trial_config(tmp_path, ACCOUNTS, {"hearing.models": {"en": str(tmp_path)}})
    with pytest.raises(ConfigError, match=r"hearing\.models.*no model\.bin"), Served(trial.config):
        pass
