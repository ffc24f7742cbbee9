"""What the caller heard: in the record, said again where he must hear it, gone on with where the
stop was wrong."""

import asyncio
from datetime import datetime
from typing import Any

from appliance.dialogue.engine import replay
from appliance.dialogue.events import parse_event
from appliance.flows.registry import load_flow
from appliance.store.events import read_events
from tests.session.conftest import ACCOUNT, Place, Trial
from tests.session.test_edges import DIALOGUE


async def _at_the_terms(trial: Trial) -> None:
    """On to "So you'll pay …", which is about to be said."""
    for words in ("yes", "nine oh two one oh"):
        await trial.listens()
        await trial.says(words)
    await trial.listens()
    trial.hearing.words = "yes i can"
    await trial.line.speak(600)
    while "confirm_promise" not in trial.prompts():
        await trial.line.quiet(20)


async def _talks_over(trial: Trial, words: str, after_ms: int) -> None:
    await trial.line.quiet(after_ms)
    await trial.says(words, ms=900)


def _said(trial: Trial, prompt: str) -> list[dict[str, Any]]:
    return [each for each in trial.events("said") if each["prompt"] == prompt]


def test_a_yes_over_the_terms_is_none_and_they_are_read_again(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _at_the_terms(trial)
            await _talks_over(trial, "yes", after_ms=600)
            assert trial.actions() == []
            assert trial.prompts()[-2:] == ["in_full", "confirm_promise"]
            await trial.listens()
            await trial.says("yes that's right")
            await trial.listens()
        assert trial.actions() == ["create_promise_to_pay"]
        first, *_, last = _said(trial, "confirm_promise")
        assert first["must_hear"] == "owed"
        assert f"{first['words']} {first['cut']}" == last["words"]
        assert last["words"] == "So you'll pay [promise_amount] on [promise_date]. Is that right?"
        told = [event["unheard"] for event in trial.events("heard") if "unheard" in event]
        assert told == [["confirm_promise"]]
        heard = {each["prompt"]: each["heard"] for each in trial.record()["obligations"]}
        assert heard == {"greeting": True, "mini_miranda": True, "confirm_promise": True}

    asyncio.run(call())


def test_a_yes_over_nothing_but_is_that_right_is_a_yes(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _at_the_terms(trial)
            terms_ms = 60 * len("So you'll pay two hundred forty dollars and fifty cents on ")
            terms_ms += 60 * len("Monday, March second.") + 300
            await _talks_over(trial, "yes", after_ms=terms_ms)
            await trial.listens()
        [said] = _said(trial, "confirm_promise")
        assert said["interrupted"] is True
        assert said["must_hear"] == "heard"
        assert trial.actions() == ["create_promise_to_pay"]

    asyncio.run(call())


def test_stop_calling_over_the_terms_is_acted_on(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _at_the_terms(trial)
            await _talks_over(trial, "stop calling me", after_ms=600)
            await trial.listens()
        assert trial.actions() == ["mark_do_not_contact"]
        assert trial.record()["outcome"] == "cease_contact"

    asyncio.run(call())


def test_a_call_in_which_something_was_not_heard_replays_bit_for_bit(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(600)
            await trial.says("yes", ms=900)  # over "on a recorded line"
            await _at_the_terms(trial)
            await _talks_over(trial, "yes", after_ms=600)
            await trial.listens()
            await trial.says("yes that's right")
            await trial.listens()
        entries = [event for event in read_events(trial.log) if event["t"] in DIALOGUE]
        assert sum("unheard" in each for each in entries) >= 2
        flow = load_flow("collections").bind(trial.line.key, ACCOUNT)
        events = [parse_event({**each, "type": each["t"]}) for each in entries]
        times = [datetime.fromisoformat(each["at"]) for each in entries]
        turns = list(replay(flow, zip(times, events, strict=True)))
        logged = [(turn["state"], turn["prompts"]) for turn in trial.events("turn")]
        replayed = [(turn.state.current, [each.id for each in turn.say]) for turn in turns]
        assert replayed == logged
        assert turns[-1].state.outcome == trial.record()["outcome"] == "ptp_set"

    asyncio.run(call())


def test_what_was_cut_off_by_noise_goes_on_from_its_sentence(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            hello_ms = 60 * len("Hello.") + 1200
            await _talks_over(trial, "", after_ms=hello_ms)
            await trial.listens()
        first, rest = _said(trial, "greeting")
        assert first["words"].startswith("Hello. This is")
        assert first["must_hear"] == "owed"
        assert rest["words"].startswith("This is the automated assistant")
        assert rest["must_hear"] == "heard"
        assert rest["interrupted"] is False
        assert trial.record()["obligations"] == [{"prompt": "greeting", "times": 2, "heard": True}]

    asyncio.run(call())


def test_nothing_personal_is_in_the_words_that_are_kept(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _at_the_terms(trial)
            await _talks_over(trial, "yes", after_ms=2500)
            await trial.listens()
        words = " ".join(each["words"] + each.get("cut", "") for each in trial.events("said"))
        assert "[full_name]" in words
        assert "[promise_amount]" in words
        assert not {"Maria", "Lopez", "240", "hundred"} & set(words.replace(",", " ").split())

    asyncio.run(call())
