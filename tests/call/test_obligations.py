"""What a caller must hear, on real calls: it plays on, or is said again, and he is still obeyed."""

from collections.abc import Iterator
from typing import Any

import pytest

from appliance.cli.chat import example_accounts
from appliance.store.events import EVENTS_SUFFIX, read_events
from appliance.testing.activity import Span
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice

from .records import record_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("obligations")
    return write_trial_config(folder, example_accounts("collections"))


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


def _said(record: dict[str, Any], prompt: str) -> list[dict[str, Any]]:
    return [line for line in record["dialogue"] if line.get("prompt") == prompt]


def _plays_on(caller: ScriptedCaller, over: Span) -> bool:
    """Whether the appliance was heard on the wire while the caller spoke, and for long after."""
    spoken = [(each.first_ns, each.last_ns) for each in caller.received]
    both_ns = sum(
        max(0, min(last, over.last_ns) - max(first, over.first_ns)) for first, last in spoken
    )
    after_ns = sum(max(0, last - max(first, over.last_ns)) for first, last in spoken)
    return both_ns > (over.last_ns - over.first_ns) / 2 and after_ns > 1_000_000_000


@pytest.mark.parametrize(
    ("words", "outcome", "action"),
    [
        ("please stop calling me", "cease_contact", "mark_do_not_contact"),
        ("let me speak to a person", "user_requested_human", "escalate_to_human"),
        ("you have the wrong number", "wrong_party", "end_call"),
    ],
)  # fmt: skip
async def test_the_disclosure_plays_on_and_what_is_said_over_it_is_acted_on(
    trial: Trial, served: Served, voice: CallerVoice, words: str, outcome: str, action: str
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply()
        await caller.say(voice.speak("yes"))
        await caller.wait_reply()
        await caller.digits("90210")
        over = await caller.talk_over(voice.speak(words), 3000)
        await caller.wait_hangup(timeout_s=40)
        record = await record_of(trial, caller.call_id)
    [disclosure] = _said(record, "mini_miranda")
    assert disclosure["interrupted"] is False
    assert disclosure["must_hear"] == "heard"
    assert disclosure["heard_ms"] == disclosure["total_ms"]
    assert disclosure["words"].endswith("will be used for that purpose.")
    assert _plays_on(caller, over)
    assert record["outcome"] == outcome
    assert action in [each["name"] for each in record["actions"]]
    # What is not protected was given up for the answer.
    assert all(each["interrupted"] for each in _said(record, "ask_full_today"))


async def test_a_yes_over_the_terms_is_none_until_they_were_heard(
    trial: Trial, served: Served, voice: CallerVoice
) -> None:
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply()
        await caller.say(voice.speak("yes"))
        await caller.wait_reply()
        await caller.digits("90210")
        await caller.wait_reply(timeout_s=40, quiet_ms=900)
        await caller.say(voice.speak("I can pay one hundred dollars today"))
        await caller.talk_over(voice.speak("yes please"), 700)
        await caller.wait_reply(timeout_s=40, quiet_ms=900)
        assert not _stored(trial, caller.call_id)
        await caller.say(voice.speak("yes please"))
        await caller.wait_hangup(timeout_s=40)
        record = await record_of(trial, caller.call_id)
    assert record["outcome"] == "ptp_set"
    first, *_, last = _said(record, "confirm_promise")
    assert first["must_hear"] == "owed"
    assert first["cut"]
    assert last["must_hear"] == "heard"
    assert "in_full" in [line.get("prompt") for line in record["dialogue"]]
    obligations = {each["prompt"]: each["heard"] for each in record["obligations"]}
    assert obligations == {"greeting": True, "mini_miranda": True, "confirm_promise": True}


def _stored(trial: Trial, call_id: str) -> list[str]:
    """What the call has done so far, as its event log says."""
    for log in trial.calls.glob(f"*/*{EVENTS_SUFFIX}"):
        events = list(read_events(log))
        if events and events[0].get("sip_call_id") == call_id:
            return [each["name"] for each in events if each["t"] == "action"]
    raise AssertionError("no event log of this call")
