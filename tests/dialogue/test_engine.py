"""The engine on a small flow: what each kind of event does."""

import json
from datetime import datetime

import pytest

from appliance.dialogue.engine import replay, step
from appliance.dialogue.events import (
    CallStarted,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
    parse_event,
    serialize_event,
)
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import State, Turn
from appliance.dialogue.waits import WAITS
from appliance.types import Intent, Understanding


def _heard(*intents: str, confidence: float = 0.9, **slots: str) -> Heard:
    return Heard(Understanding("…", tuple(Intent(name, confidence) for name in intents), slots))


def _run(flow: CallFlow, now: datetime, *events: Event) -> list[Turn]:
    turns, state = [], flow.open()
    for event in (CallStarted(), *events):
        turns.append(step(flow, state, event, now))
        state = turns[-1].state
    return turns


_SMALL_TALK = (_heard("greeting"), _heard("thanks"), _heard("filler"))
"""Three turns that ask different questions, so that none is asked too often."""


def _ids(turn: Turn) -> list[str]:
    return [prompt.id for prompt in turn.say]


def test_the_call_starts_with_the_first_question(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now)[-1]
    assert turn.text == "Hello Ann. What is the code?"
    assert (turn.state.current, turn.state.phase, turn.state.turns) == ("gate", "before", 0)
    assert turn.state.last_question == "who"
    assert [(part.text, part.slot) for part in turn.say[0].parts] == [
        ("Hello ", None),
        ("Ann", "name"),
        (". What is the code?", None),
    ]
    assert turn.say[0].redacted == "Hello [name]. What is the code?"


def test_listen_says_what_is_waited_for(flow: CallFlow, now: datetime) -> None:
    listen = _run(flow, now)[-1].listen
    assert (listen.slot, listen.patience_ms) == ("zip", 300)
    assert listen.unfinished_ms == WAITS["zip"].unfinished_ms
    assert (listen.accepts_digits, listen.min_digits, listen.max_digits) == (True, 2, 2)
    assert listen.interruptible
    assert listen.expects_reply


def test_a_check_opens_the_gate_and_its_facts_are_kept(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now, _heard(digits="42"))[-1]
    assert turn.text == "The word is rosebud, noted on Wednesday, November eleventh."
    assert turn.state.facts == {"known": True, "day": "2026-11-11"}
    action = turn.actions[0]
    assert (action.name, dict(action.args)) == ("note", {"day": "2026-11-11", "why": "asked"})
    assert action.key == "call-7:2:note"
    assert not turn.listen.expects_reply


@pytest.mark.parametrize("event", [_heard(digits="41"), Digits("41")])
def test_a_wrong_code_counts(flow: CallFlow, now: datetime, event: Event) -> None:
    turns = _run(flow, now, event, event)
    assert _ids(turns[1]) == ["wrong"]
    assert turns[1].say[0].uninterruptible
    assert turns[1].state.counters == {"tries": 1}
    assert turns[2].reply == "ended"
    assert turns[2].state.outcome == "refused"
    assert [(a.name, dict(a.args)) for a in turns[2].actions] == [
        ("end_call", {"reason": "refused"})
    ]


def test_a_waiting_action_goes_on_when_its_tool_is_done(flow: CallFlow, now: datetime) -> None:
    opened = _heard(digits="42")
    done = _run(flow, now, opened, ToolDone("note", "done"))[-1]
    assert (_ids(done), done.state.outcome) == (["bye"], "told")
    failed = _run(flow, now, opened, ToolDone("note", "failed"))[-1]
    assert _ids(failed) == ["sorry", "bye"]


@pytest.mark.parametrize(
    "event", [NoInput(), _heard("negation"), ToolDone("other", "done"), Digits("1")]
)
def test_while_a_tool_runs_other_events_change_nothing(
    flow: CallFlow, now: datetime, event: Event
) -> None:
    *_, before, after = _run(flow, now, _heard(digits="42"), event)
    assert (after.say, after.actions, after.reply) == ((), (), "continue")
    heard = {"step": before.state.step + 1, "last_intent": after.state.last_intent}
    assert after.state == before.state.model_copy(update=heard)


def test_while_a_tool_runs_a_stop_is_heard(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now, _heard(digits="42"), _heard("stop_request"))[-1]
    assert turn.state.outcome == "left"


def test_universal_intents_come_before_the_check(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now, _heard("negation", "stop_request", digits="42"))[-1]
    assert turn.state.outcome == "left"
    assert turn.checked == ()


def test_an_unsure_intent_is_not_acted_on(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now, _heard("stop_request", confidence=0.4))[-1]
    assert _ids(turn) == ["what", "who_again"]


def test_staying_asks_again(flow: CallFlow, now: datetime) -> None:
    assert _ids(_run(flow, now, _heard("repeat_request"))[-1]) == ["who_again"]
    assert _ids(_run(flow, now, EngineFailed("stt"))[-1]) == ["what", "who_again"]


def test_counters_reset_as_declared(flow: CallFlow, now: datetime) -> None:
    silence_then_speech = _run(flow, now, NoInput(), _heard("greeting"), NoInput())
    assert silence_then_speech[-1].state.counters == {"silence": 1}
    assert _run(flow, now, NoInput(), NoInput())[-1].state.outcome == "silent"
    unclear, understood = _heard(), _heard("greeting")
    assert "unclear" not in _run(flow, now, unclear, understood)[-1].state.counters
    assert _run(flow, now, unclear, NoInput(), unclear)[-1].state.counters["unclear"] == 2


def test_the_turn_limit_ends_the_call(flow: CallFlow, now: datetime) -> None:
    turns = _run(flow, now, *_SMALL_TALK, *_SMALL_TALK)
    assert [turn.state.ended for turn in turns] == [False] * 6 + [True]
    assert turns[-1].state.outcome == "too_long"


def test_a_gate_that_opens_in_the_last_turn_stays_open(flow: CallFlow, now: datetime) -> None:
    turns = _run(flow, now, *_SMALL_TALK, *_SMALL_TALK[:2], _heard(digits="42"))
    assert turns[-1].state.current == "telling"


def test_hanging_up_says_nothing(flow: CallFlow, now: datetime) -> None:
    turn = _run(flow, now, HungUp())[-1]
    assert (turn.say, turn.state.outcome, turn.reply) == ((), "left", "ended")
    before_start = step(flow, flow.open(), HungUp(), now)
    assert before_start.state.outcome == "left"


def test_ended_is_ended(flow: CallFlow, now: datetime) -> None:
    events = [HungUp(), _heard("robot_question"), Digits("42"), CallStarted(), NoInput()]
    first, *later = _run(flow, now, *events)[1:]
    for turn in later:
        assert turn.reply == "already_closed"
        assert (turn.say, turn.actions, turn.state) == ((), (), first.state)


def test_a_stop_request_counts_after_the_end_once(flow: CallFlow, now: datetime) -> None:
    over, stopped, again = _run(flow, now, HungUp(), *[_heard("stop_request")] * 2)[1:]
    assert (stopped.taken, stopped.say) == (("universal.stop_request",), ())
    assert stopped.state.outcome == over.state.outcome
    assert (again.reply, again.state) == ("already_closed", stopped.state)


def test_nothing_happens_before_the_start_or_by_a_second_one(flow: CallFlow, now: datetime) -> None:
    early = step(flow, flow.open(), _heard("negation"), now)
    assert (early.say, early.state.current) == ((), "")
    assert _run(flow, now, CallStarted())[-1].say == ()


def test_the_same_step_gives_the_same_turn(flow: CallFlow, now: datetime) -> None:
    state = _run(flow, now)[-1].state
    event = _heard(digits="42")
    assert step(flow, state, event, now) == step(flow, state, event, now)


def test_state_survives_json_and_rejects_what_it_does_not_know(
    flow: CallFlow, now: datetime
) -> None:
    state = _run(flow, now, _heard(digits="42"))[-1].state
    assert State.model_validate_json(state.model_dump_json()) == state
    with pytest.raises(ValueError, match="extra"):
        State.model_validate({**state.model_dump(), "zip": "42"})


def test_a_state_of_another_version_is_refused(flow: CallFlow, now: datetime) -> None:
    state = flow.open().model_copy(update={"flow_hash": "0" * 16})
    with pytest.raises(ValueError, match="flow is"):
        step(flow, state, CallStarted(), now)


def test_a_call_replays_from_its_redacted_log(flow: CallFlow, now: datetime) -> None:
    events = [_heard(digits="41"), Digits("42"), ToolDone("note", "failed"), HungUp()]
    turns = _run(flow, now, *events)
    log = json.dumps(
        [
            serialize_event(event, turn.checked, flow.private_words())
            for event, turn in zip([CallStarted(), *events], turns, strict=True)
        ]
    )
    assert "41" not in log
    assert "42" not in log
    without_code = flow.flow.bind("call-7", {"name": "Ann", "word": "rosebud", "code": "gone"})
    entries = [(now, parse_event(entry)) for entry in json.loads(log)]
    assert list(replay(without_code, entries)) == turns


def test_a_secret_cannot_be_rendered_before_its_condition(flow: CallFlow) -> None:
    with pytest.raises(PermissionError, match="before known"):
        flow.render("secret", {"day": "2026-11-11"}, "en")
    with pytest.raises(PermissionError):
        flow.render("secret", {"day": "2026-11-11", "known": "yes"}, "en")
