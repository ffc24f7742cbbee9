"""The campaign flow by telephone: to its success, with a changed campaign, and a locked store."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from appliance.cli.chat import example_accounts
from appliance.dialogue.campaign import parse_campaign
from appliance.store.actions import ActionStore
from appliance.store.campaigns import CampaignStore
from appliance.store.database import Database
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice

from .records import record_of, said

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(300)]
QUIET_MS = 1500
"""Longer than the gaps between the sentences of one reply."""

SPRING = {
    "compliance_text": "This is a sales call. Say stop, and we never call again.",
    "context_variables": {"company": "Sunline Heating", "offer": "a spring check"},
    "response_style": "formal",
    "seed": 7,
}
STARTED = ["greeting", "compliance", "ask_to_go_on"]


def keep(trial: Trial, data: object) -> None:
    database = Database(trial.store)
    CampaignStore(database).put(parse_campaign("spring", data), datetime.now(UTC))
    database.close()


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    call = {"flow": "campaign", "campaign": "spring"}
    folder = tmp_path_factory.mktemp("campaign")
    trial = write_trial_config(folder, example_accounts("campaign"), {"call": call})
    keep(trial, SPRING)
    return trial


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


async def hears(caller: ScriptedCaller) -> None:
    await caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)


def stored(trial: Trial, call: str) -> dict[str, Any]:
    database = Database(trial.store)
    try:
        return {each["name"]: each["args"] for each in ActionStore(database).of_call(call)}
    finally:
        database.close()


async def test_a_campaign_to_its_success(trial: Trial, served: Served, voice: CallerVoice) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await hears(caller)
        for answer in ("yes", "yes I'm interested", "yes please"):
            await caller.say(voice.speak(answer))
            if answer != "yes please":
                await hears(caller)
        await caller.wait_hangup(timeout_s=40)
        record = await record_of(trial, caller.call_id)
    ending = ["one_moment", "noted", "goodbye"]
    assert said(record) == [*STARTED, "ask_qualification", "ask_closing", *ending]
    assert (record["outcome"], record["campaign"]) == ("success", "spring")
    assert stored(trial, record["call"]) == {
        "record_result": {"campaign": "spring", "result": "success"}
    }


async def test_a_changed_campaign_is_taken_for_new_calls(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    keep(trial, {**SPRING, "compliance_text": "This is a new text. Say stop at any time."})
    async with asyncio.timeout(40):
        while not [e for e in served.log if "changed flows in use" in str(e["event"])]:
            await asyncio.sleep(0.1)
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await hears(caller)
        await caller.say(voice.speak("please stop calling me"))
        await caller.wait_hangup(timeout_s=40)
        record = await record_of(trial, caller.call_id)
    in_use = [e["hashes"] for e in served.log if "changed flows in use" in str(e["event"])]
    assert in_use == [[record["flow_hash"]]]
    assert said(record) == [*STARTED, "stop_ack"]
    assert record["outcome"] == "declined"
    assert set(stored(trial, record["call"])) == {"mark_do_not_contact"}


async def test_a_store_that_is_locked_while_the_answer_is_stored(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    """The caller is told so, once; the answer is stored as soon as that is possible."""
    locking = Database(trial.store)
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await hears(caller)
        for _ in range(2):
            await caller.say(voice.speak("yes"))
            await hears(caller)
        with locking.writing():
            await caller.say(voice.speak("yes please"))
            await caller.wait_hangup(timeout_s=60)
        call_id = caller.call_id
    record = await record_of(trial, call_id)
    assert said(record)[-3:] == ["one_moment", "not_stored", "goodbye"]
    assert len(said(record)) == len(set(said(record)))
    assert record["outcome"] == "error"
    assert record["facts"]["confirmed"] is True
    async with ScriptedCaller(trial.target) as caller:  # the box goes on to take calls
        await caller.call()
        await hears(caller)
        await caller.say(voice.speak("no thank you"))
        await caller.wait_hangup(timeout_s=40)
        assert (await record_of(trial, caller.call_id))["outcome"] == "declined"
    async with asyncio.timeout(30):
        while "record_result" not in stored(trial, record["call"]):
            await asyncio.sleep(0.2)
