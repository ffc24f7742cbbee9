"""The renovation flow by telephone: Bob, then Alice in her own voice, and a call that goes silent.

The caller says what the recognizer was made for (models/stt/recipe/english/phrases.py).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from appliance.cli.chat import example_accounts
from appliance.store.database import Database
from appliance.store.papers import SUMMARY, Papers
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice
from appliance.types import LINE_RATE_HZ

from .records import record_of, said

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(300)]
QUIET_MS = 1500
"""Longer than the gaps between the sentences of one reply."""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("renovation")
    call = {"flow": "renovation", "no_input_ms": 2500}
    return write_trial_config(folder, example_accounts("renovation"), {"call": call})


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


class Talk:
    """A call: says something, waits for the whole reply, and keeps what was heard of it."""

    def __init__(self, caller: ScriptedCaller, voice: CallerVoice) -> None:
        self._caller, self._voice = caller, voice

    async def hears(self) -> None:
        await self._caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)

    async def says(self, text: str) -> None:
        await self._caller.say(self._voice.speak(text))
        await self.hears()


async def test_from_bob_to_alice_for_an_answer_and_back(
    trial: Trial, served: Served, voice: CallerVoice, tmp_path: Path
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        talk = Talk(caller, voice)
        await talk.hears()
        await talk.says("i want to remodel the kitchen")
        await talk.says("transfer me to alice")
        await talk.says("do i need a permit for the deck")
        await talk.says("let me talk to bob please")
        await talk.says("goodbye")
        await caller.wait_hangup()
        caller.save_recording(tmp_path / "call.wav")
        record = await record_of(trial, caller.call_id)
    assert record["outcome"] == "user_ended", record["dialogue"]
    assert said(record) == [
        "bob_hello", "ask_project", "got_project", "ask_goals", "connecting_alice", "alice_hello",
        "alice_knows_project", "alice_what_else", "alice_answer", "alice_what_else",
        "connecting_bob", "bob_back", "bob_knows_project", "bob_heard_topics", "ask_budget",
        "goodbye",
    ]  # fmt: skip
    assert record["facts"]["answer"] == "permit_deck"
    assert_summary_is_kept(trial, record)
    bob, alice = (
        pitch_hz(tmp_path / "call.wav", record, prompt) for prompt in ("bob_hello", "alice_answer")
    )
    assert bob < 0.93 * alice, (bob, alice)


def assert_summary_is_kept(trial: Trial, record: dict[str, Any]) -> None:
    """In the store, and nowhere else: what the caller told stays out of the record."""
    database = Database(trial.store)
    kept = Papers(database, SUMMARY).find(record["call"])
    database.close()
    assert kept is not None
    assert (kept["turns"], kept["transfers"]) == (record_turns(record), 2)
    first, second = kept["handoffs"]
    assert (first["by"], first["to"], second["by"], second["to"]) == (
        "bob",
        "alice",
        "alice",
        "bob",
    )
    assert first["key_facts"] == {"project": "kitchen"}
    assert second["key_facts"] == {"project": "kitchen", "topics": "permits"}
    assert "Plan: kitchen." in kept["takeaways"]
    assert "project" not in record["facts"]


def record_turns(record: dict[str, Any]) -> int:
    return sum(line["kind"] == "heard" for line in record["dialogue"])


def pitch_hz(recording: Path, record: dict[str, Any], prompt: str) -> float:
    """The median pitch of a prompt, by autocorrelation of 50 ms frames between 90 and 400 Hz."""
    sound, _ = soundfile.read(recording, dtype="float32")
    line = next(line for line in record["dialogue"] if line.get("prompt") == prompt)
    end = int(line["ms"] * LINE_RATE_HZ / 1000)
    heard = sound[max(0, end - int(line["heard_ms"] * LINE_RATE_HZ / 1000)) : end, 1]
    frame, lags = 400, np.arange(LINE_RATE_HZ // 400, LINE_RATE_HZ // 90)
    found = []
    for start in range(0, len(heard) - frame, frame):
        piece = heard[start : start + frame] - heard[start : start + frame].mean()
        power = float(piece @ piece)
        if power < 0.05:
            continue
        likeness = [float(piece[lag:] @ piece[:-lag]) / power for lag in lags]
        if max(likeness) > 0.5:
            found.append(LINE_RATE_HZ / lags[int(np.argmax(likeness))])
    assert len(found) > 10
    return float(np.median(found))


async def test_nobody_of_that_name_and_then_silence(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        talk = Talk(caller, voice)
        await talk.hears()
        await talk.says("transfer me to charles")
        await caller.wait_hangup(timeout_s=60)
        record = await record_of(trial, caller.call_id)
    assert record["outcome"] == "silence_timeout", record["dialogue"]
    assert said(record) == [
        "bob_hello", "ask_project", "who_is_there", "ask_project_again", "are_you_there",
        "ask_project_again", "are_you_there", "ask_project_again", "no_answer",
    ]  # fmt: skip
