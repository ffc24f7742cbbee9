"""A call that speculates holds the same dialogue as one that does not, and does nothing twice."""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from appliance.dialogue.engine import replay
from appliance.dialogue.events import CallStarted, Heard, NoInput, parse_event
from appliance.dialogue.turn import END_CALL, Prompt
from appliance.flows.shelf import FlowShelf
from appliance.session.ear import Reading
from appliance.session.speculation import Speculation
from appliance.testing.clock import VirtualClock
from appliance.testing.engines import ToneVoice
from appliance.types import FRAME_BYTES, Intent, Transcript, Understanding

from .conftest import ACCOUNT
from .interleavings import BROKEN, NOTICED, Act, Held, Script, Speech, held, scripts

EVENTS = {"call_started", "heard", "digits", "no_input", "engine_failed", "tool_done", "hung_up"}
_TIMES = {
    "ms", "at", "at_ns", "decision_ms", "recognition_ms", "understanding_ms", "dialogue_ms",
    "speech_end_ns", "endpoint_ms", "first_audio_ms", "prepared", "void",
}  # fmt: skip


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
    check_heard(call, decided)


def check_heard(call: Held, decided: list[str]) -> None:
    """Whoever says stop is heard, whatever goes on; and only what was decided is said."""
    stopped = any("stop calling me" in words for words in call.read) and BROKEN not in call.read
    assert not stopped or any("mark_do_not_contact" in key for key in decided)
    told = {prompt for turn in call.events if turn["t"] == "turn" for prompt in turn["prompts"]}
    spec = call.bound.flow.spec
    asides = {spec.holding, spec.holding_again, spec.transferring}
    assert {each["prompt"] for each in call.events if each["t"] == "said"} <= told | asides


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
    pause, end = (heard[-1]["at"] for heard in map(turns_of_caller, (ahead, waiting)))
    assert pause < end  # the time that `step` was given
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


def turns_of_caller(call: Held) -> list[dict[str, Any]]:
    return [each for each in call.events if each["t"] == "heard"]


# One step ahead, by itself


class Voice:
    """Notes what it is asked to have ready."""

    def __init__(self) -> None:
        self.ready: list[str] = []

    def prepare(self, prompts: tuple[Prompt, ...]) -> None:
        self.ready = [prompt.id for prompt in prompts]

    def drop_prepared(self) -> None:
        self.ready = []


class Ahead:
    """A call that waits for its first answer, which was prepared."""

    def __init__(self, flows: FlowShelf, at: datetime) -> None:
        self.clock, self.voice = VirtualClock(at), Voice()
        self.steps = Speculation(self.voice, self.clock, on=True)
        self.flow = flows.current.first.bind("call-1", ACCOUNT, entry={"caller_number": "1"})
        self.state = self.steps.turn(self.flow, self.flow.open(), CallStarted()).turn.state
        self.reading = Reading(Understanding("yes", (Intent("affirmation", 0.9),)), YES_HEARD)
        self.heard = Heard(self.reading.understanding)
        self.steps.prepare(self.flow, self.state, self.heard, self.reading)
        assert self.voice.ready == ["ask_zip"]


YES_HEARD = Transcript("yes", 0.9)
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_a_prepared_turn_is_given_out_once(flows: FlowShelf) -> None:
    call = Ahead(flows, NOON)
    call.clock.advance(300)
    first, second = (
        call.steps.turn(call.flow, call.state, call.heard, call.reading) for _ in range(2)
    )
    assert (first.ahead, first.at) == (True, NOON)
    assert not second.ahead
    assert second.turn == first.turn
    assert call.steps.counts == {"prepared": 1, "void": 0}


def _another_reading(call: Ahead) -> None:
    call.reading = replace(call.reading)


def _another_state(call: Ahead) -> None:
    call.state = call.state.model_copy()


def _another_flow(call: Ahead) -> None:
    call.flow = call.flow.flow.bind("call-1", ACCOUNT, entry={"caller_number": "1"})


def _another_event(call: Ahead) -> None:
    call.heard = Heard(replace(call.heard.understanding, unsure=True))


def _void(call: Ahead) -> None:
    call.steps.void()


def _something_else(call: Ahead) -> None:
    call.steps.turn(call.flow, call.state, NoInput())


@pytest.mark.parametrize(
    "happens",
    [
        _another_reading, _another_state, _another_flow, _another_event, _void, _something_else,
    ],
)  # fmt: skip
def test_what_is_not_the_same_is_stepped_anew(
    flows: FlowShelf, happens: Callable[[Ahead], None]
) -> None:
    call = Ahead(flows, NOON)
    call.clock.advance(300)
    happens(call)
    stepped = call.steps.turn(call.flow, call.state, call.heard, call.reading)
    assert (stepped.ahead, stepped.at) == (False, call.clock.now())
    assert call.voice.ready == []
    assert call.steps.counts == {"prepared": 1, "void": 1}


def test_no_turn_of_yesterday_is_committed(flows: FlowShelf) -> None:
    call = Ahead(flows, datetime(2026, 3, 2, 23, 59, 59, 900_000, tzinfo=UTC))
    call.clock.advance(200)
    stepped = call.steps.turn(call.flow, call.state, call.heard, call.reading)
    assert (stepped.ahead, stepped.at.day) == (False, 3)
