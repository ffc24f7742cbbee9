"""A call that speculates holds the same dialogue as one that does not, and does nothing twice."""

import asyncio
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from appliance.dialogue.engine import replay
from appliance.dialogue.events import parse_event
from appliance.dialogue.turn import END_CALL
from appliance.flows.shelf import FlowShelf
from appliance.testing.engines import ToneVoice
from appliance.types import FRAME_BYTES

from .interleavings import NOTICED, Act, Held, Script, Speech, held, scripts

EVENTS = {"call_started", "heard", "digits", "no_input", "engine_failed", "tool_done", "hung_up"}
_TIMES = {
    "ms", "at", "at_ns", "decision_ms", "recognition_ms", "understanding_ms", "dialogue_ms",
    "speech_end_ns", "endpoint_ms", "first_audio_ms", "prepared", "void",
}  # fmt: skip
_COUNTS: Counter[str] = Counter()


@pytest.fixture(scope="module")
def flows() -> FlowShelf:
    return FlowShelf("collections")


def hold(script: Script, flows: FlowShelf, *, speculate: bool) -> Held:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(held(script, Path(folder), flows, speculate=speculate))


def dialogue(call: Held) -> list[dict[str, Any]]:
    """The log without what tells of time; turns, which are noted when their sound begins, last."""
    events = [
        {name: value for name, value in event.items() if name not in _TIMES}
        for event in call.events
    ]
    return sorted(events, key=lambda event: event["t"] == "turn")


def check_deeds(call: Held) -> None:
    """What was done is what the turns say that happened, once each; and the log replays."""
    entries = [event for event in call.events if event["t"] in EVENTS]
    turns = list(
        replay(
            call.bound,
            [
                (datetime.fromisoformat(each["at"]), parse_event({**each, "type": each["t"]}))
                for each in entries
            ],
        )
    )
    logged = [(turn["state"], turn["prompts"]) for turn in call.events if turn["t"] == "turn"]
    replayed = [
        (turn.state.current, [each.id for each in turn.say]) for turn in turns if turn.taken
    ]
    assert replayed == logged
    decided = [each.key for turn in turns for each in turn.actions if each.name != END_CALL]
    assert len(set(call.performed)) == len(call.performed)
    assert sorted(call.performed) == sorted(decided)
    assert set(call.stored) <= set(decided)


@settings(
    max_examples=8, deadline=None, derandomize=True, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(script=scripts())
@pytest.mark.parametrize("trials", range(4))  # each draws its own
def test_the_dialogue_is_the_same(flows: FlowShelf, trials: int, script: Script) -> None:
    speculating, waiting = (hold(script, flows, speculate=on) for on in (True, False))
    assert dialogue(speculating) == dialogue(waiting)
    assert sorted(speculating.performed) == sorted(waiting.performed)
    assert speculating.played == waiting.played
    check_deeds(speculating)
    check_deeds(waiting)


@settings(
    max_examples=10, deadline=None, derandomize=True, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(script=scripts(voice=True))
@pytest.mark.parametrize("trials", range(2))
def test_a_slow_voice_makes_nothing_happen_twice(
    flows: FlowShelf, trials: int, script: Script
) -> None:
    """It answers at another time than the call that waits, so the two need not be the same."""
    check_deeds(hold(script, flows, speculate=True))


YES = Act(Speech((("yes this is maria", 500, 1600),)), waits=True, after_ms=100)
ZIP = "nine zero two one zero"
REST = Act(Speech(()), waits=True, after_ms=0)
VERIFIED = "Thank you, that's correct."
VOICE_MS = 20


def zip_said(*more: tuple[str, int, int]) -> Script:
    """The ZIP, which lets the call say what it is about; and more in the same turn."""
    said = Act(Speech(((ZIP, 500, NOTICED if more else 2500), *more)), waits=True, after_ms=100)
    return Script((YES, said, REST), voice_ms=(VOICE_MS,))


def test_the_sound_is_there_when_the_turn_is_over(flows: FlowShelf) -> None:
    ahead, waiting = (hold(zip_said(), flows, speculate=on) for on in (True, False))
    (turn,), (late) = disclosure(ahead), disclosure(waiting)
    assert (turn["prepared"], turn["decision_ms"]) == (True, 0)
    assert late[0]["decision_ms"] >= VOICE_MS
    assert ahead.rendered == waiting.rendered  # each once
    assert ToneVoice().synthesize(VERIFIED) in ahead.played


def test_what_is_void_is_neither_heard_nor_logged(flows: FlowShelf) -> None:
    call = hold(zip_said(("stop calling me", 500, 2500)), flows, speculate=True)
    assert VERIFIED in call.rendered
    assert ToneVoice().synthesize(VERIFIED)[: 45 * FRAME_BYTES] not in call.played
    assert not disclosure(call)
    (end,) = (event for event in call.events if event["t"] == "end")
    assert (end["outcome"], end["prepared"], end["void"]) == ("cease_contact", 3, 1)
    assert [key.rpartition(":")[2] for key in call.performed] == ["mark_do_not_contact"]


def disclosure(call: Held) -> list[dict[str, Any]]:
    return [each for each in call.events if "mini_miranda" in each.get("prompts", ())]
