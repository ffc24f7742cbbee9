"""The status flow by telephone: an answer from the operator's systems, and a person in its place.

The caller is one of the sample people, and says what the recognizer was made for.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from appliance.clock import SystemClock
from appliance.conversations import STATUS
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Sections, Served, Trial, write_flow_trial
from appliance.testing.speech import CallerVoice

from .records import record_of, said

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(300)]
QUIET_MS = 1500
"""Longer than the gaps between the sentences of one reply."""
MARIA, JAMES = "+13105550101", "+13105550102"
STATUS_QUESTION = "what is the status of my application"


async def talk(
    trial: Trial, voice: CallerVoice, words: Sequence[str], number: str = MARIA
) -> dict[str, Any]:
    """Call, say each after the reply to the one before, be hung up, and see the record."""
    async with ScriptedCaller(trial.target, number=number) as caller:
        await caller.call()
        await caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)
        for text in words:
            if text.isdigit():
                await caller.digits(text)
            else:
                await caller.say(voice.speak(text))
            if text != words[-1]:
                await caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)
        await caller.wait_hangup()
        return await record_of(trial, caller.call_id)


def conversation_of(trial: Trial) -> tuple[dict[str, str], list[str], list[str]]:
    """Attributes, messages and notes of the only conversation."""
    thread = Conversations(Database(trial.store), SystemClock()).thread("1")
    notes = [each.text for each in thread.entries if each.is_note]
    return (
        dict(thread.conversation.attributes),
        [m.text for m in thread.conversation.messages],
        notes,
    )


def assert_nothing_personal_is_logged(trial: Trial, served: Served) -> None:
    text = "".join(path.read_text() for path in trial.calls.glob("*/*")) + json.dumps(served.log)
    for private in ("James", "Carter", "90210", "10001", "Warehouse", "642", "Inventory"):
        assert private not in text, private


async def test_an_application_and_a_payment(tmp_path: Path, voice: CallerVoice) -> None:
    trial = write_flow_trial(tmp_path / "box", "status")
    words = (STATUS_QUESTION, "90210", "no", "what is the status of my payment", "no", "goodbye")
    with Served(trial.config) as served:
        record = await talk(trial, voice, words)
        assert_nothing_personal_is_logged(trial, served)
    assert record["outcome"] == "success", record["dialogue"]
    heard = said(record)
    assert heard[:2] == ["hello", "ask_question"]
    assert heard.count("holding") == 2
    assert heard.count("answer_personal") == 2
    attributes, messages, notes = conversation_of(trial)
    assert attributes[STATUS] == "success"
    assert any("You have seven applications." in each for each in messages)
    assert any("You have four payments." in each for each in messages)
    assert [json.loads(each)["overall_passed"] for each in notes] == [True, True]
    kept = Papers(Database(trial.store), INQUIRY).find(record["call"])
    assert kept is not None
    assert set(kept["tool_data"]) == {"list_applications", "list_payments"}


async def test_a_person_is_asked_for(tmp_path: Path, voice: CallerVoice) -> None:
    trial = write_flow_trial(tmp_path / "box", "status")
    words = (STATUS_QUESTION, "10001", "i want to speak to a person")
    with Served(trial.config) as served:
        record = await talk(trial, voice, words, JAMES)
        assert_nothing_personal_is_logged(trial, served)
    assert record["outcome"] == "ROUTE_TO_TEAM", record["dialogue"]
    attributes, _, notes = conversation_of(trial)
    assert attributes[STATUS] == "ROUTE_TO_TEAM"
    assert notes[-1] == "🚨 Escalation: User requested to talk to a human"


async def test_the_systems_are_down(tmp_path: Path, voice: CallerVoice) -> None:
    extra: Sections = {"sources.mcp.people": {"command": ["/nonexistent/people"]}}
    trial = write_flow_trial(tmp_path / "box", "status", extra)
    with Served(trial.config):
        async with ScriptedCaller(trial.target, number=MARIA) as caller:
            await caller.call()
            await caller.wait_hangup()
            record = await record_of(trial, caller.call_id)
    assert record["outcome"] == "error", record["dialogue"]
    attributes, _, notes = conversation_of(trial)
    assert attributes[STATUS] == "error"
    assert notes[0].startswith("🚨 Escalation: Initialization failed: ")
    assert "will_call_back" in said(record)


async def test_while_it_takes_long_the_caller_hears_that_it_goes_on(
    tmp_path: Path, voice: CallerVoice
) -> None:
    slow = [sys.executable, str(Path(__file__).with_name("slow_people.py"))]
    extra: Sections = {
        "sources": {"wait_s": 1.0},
        "sources.mcp.people": {"command": slow, "deadline_s": 9.0},
    }
    trial = write_flow_trial(tmp_path / "box", "status", extra)
    with Served(trial.config):
        record = await talk(trial, voice, (STATUS_QUESTION, "90210", "no", "goodbye"))
    heard = said(record)
    assert "still_looking" in heard, record["dialogue"]
    assert heard.count("answer_personal") == 1
