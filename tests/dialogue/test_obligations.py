"""What must be heard: the engine says it again, the checker proves that it does."""

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from appliance.dialogue.checker.script import dialogue
from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.engine import replay, step
from appliance.dialogue.events import (
    CallStarted,
    Digits,
    EngineFailed,
    Event,
    Heard,
    NoInput,
    ToolDone,
    parse_event,
    serialize_event,
)
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.turn import WITHHELD, Turn
from appliance.errors import ConfigError
from appliance.types import Intent, Understanding

LoadEdited = Callable[..., Flow]

DEAL = """\
  deal:
    kind: decision
    phase: after
    say: notice
    ask: terms
    again: terms_again
    on:
      affirmation: {goto: telling}
      negation: {goto: over, reason: refused, anyway: true}
      greeting: {}
  telling:
"""
TERMS = (
    ("  telling:\n", DEAL),
    ("code.right: {set: known, goto: telling}", "code.right: {set: known, goto: deal}"),
    ("automation: a_machine\n", "automation: a_machine\nin_full: in_full\n"),
)  # fmt: skip
NOTICE = "  notice: {text: This is recorded., must_hear: later}\n"
SAID = """\
  terms: {text: 'We tell you the word. Is that right?', must_hear: true}
  in_full: Let me say that in full.
  terms_again: Is that right?
"""
PROMPTS = (("  what:", f"{NOTICE}{SAID}  what:"),)


@pytest.fixture
def deal(load: LoadEdited) -> Flow:
    """The small flow, with terms to agree to and a notice before them."""
    return load(*TERMS, prompts=PROMPTS)


@pytest.fixture
def call(deal: Flow) -> CallFlow:
    return deal.bind("call-7", {"name": "Ann", "word": "rosebud", "code": "42"})


def _heard(*intents: str, unheard: tuple[str, ...] = ()) -> Heard:
    found = tuple(Intent(name, 0.9) for name in intents)
    return Heard(Understanding("…", found), unheard=unheard)


def _run(flow: CallFlow, now: datetime, *events: Event) -> list[Turn]:
    turns, state = [], flow.open()
    for event in (CallStarted(), Digits("42"), *events):
        turns.append(step(flow, state, event, now))
        state = turns[-1].state
    return turns


def _said(turn: Turn) -> list[str]:
    return [prompt.id for prompt in turn.say]


def test_a_yes_to_terms_that_were_cut_off_leads_nowhere(call: CallFlow, now: datetime) -> None:
    early = _run(call, now, _heard("affirmation", unheard=("terms",)), _heard("affirmation"))
    assert _said(early[-2]) == ["in_full", "terms"]
    assert early[-2].taken == (WITHHELD,)
    assert early[-2].state.current == "deal"
    assert early[-1].state.current == "telling"


def test_terms_that_were_heard_are_agreed_to(call: CallFlow, now: datetime) -> None:
    turn = _run(call, now, _heard("affirmation"))[-1]
    assert turn.state.current == "telling"
    assert [action.name for action in turn.actions] == ["note"]


def test_a_no_is_a_no_even_to_half_the_terms(call: CallFlow, now: datetime) -> None:
    turn = _run(call, now, _heard("negation", unheard=("terms",)))[-1]
    assert turn.state.outcome == "refused"


def test_a_stop_is_followed_at_once(call: CallFlow, now: datetime) -> None:
    turn = _run(call, now, _heard("stop_request", unheard=("notice", "terms")))[-1]
    assert turn.state.outcome == "left"
    assert _said(turn) == ["bye"]


@pytest.mark.parametrize(
    "event",
    [
        _heard("robot_question", unheard=("terms",)),
        NoInput(unheard=("terms",)),
        EngineFailed("stt", unheard=("terms",)),
        _heard("thanks", unheard=("terms",)),
    ],
)
def test_what_leads_back_to_the_question_asks_it_in_its_own_words(
    call: CallFlow, now: datetime, event: Event
) -> None:
    assert _said(_run(call, now, event)[-1])[-1] == "terms"


def test_a_notice_may_come_after_the_answer_but_before_the_next_question(
    call: CallFlow, now: datetime
) -> None:
    turn = _run(call, now, _heard("greeting", unheard=("notice",)))[-1]
    assert _said(turn) == ["in_full", "notice", "terms_again"]
    assert [prompt.uninterruptible for prompt in turn.say] == [False, True, False]
    assert turn.taken == ("states.deal.on.greeting",)


def test_a_notice_does_not_hold_up_what_asks_nothing(call: CallFlow, now: datetime) -> None:
    turn = _run(call, now, _heard("affirmation", unheard=("notice",)))[-1]
    assert _said(turn) == ["secret"]


def test_a_question_that_stands_no_more_is_not_owed(call: CallFlow, now: datetime) -> None:
    turns = _run(call, now, _heard("affirmation"), ToolDone("note", "done", unheard=("terms",)))
    assert turns[-1].state.outcome == "told"


def test_terms_that_are_cut_off_time_and_again_come_to_an_end(
    call: CallFlow, now: datetime
) -> None:
    cut = _heard("affirmation", unheard=("terms",))
    turns = _run(call, now, cut, cut)
    assert turns[-1].state.outcome == "silent"  # `repeated`


def test_prompts_that_need_not_be_heard_are_not_owed(call: CallFlow, now: datetime) -> None:
    turn = _run(call, now, _heard("affirmation", unheard=("who", "nobody knows")))[-1]
    assert turn.state.current == "telling"


def test_a_call_with_what_was_not_heard_replays_from_its_log(call: CallFlow, now: datetime) -> None:
    events = (
        _heard("affirmation", unheard=("notice", "terms")),
        _heard("greeting", unheard=("notice",)),
        _heard("affirmation"),
    )
    turns = _run(call, now, *events)
    steps = zip((CallStarted(), Digits("42"), *events), turns, strict=True)
    log = [json.dumps(serialize_event(event, turn.checked)) for event, turn in steps]
    entries = ((now, parse_event(json.loads(line))) for line in log)
    assert list(replay(call, entries)) == turns


# The checker


def test_the_flow_is_proven(deal: Flow) -> None:
    assert check_flow(deal).failures == ()


HEARD_FIRST = "max_turns: 6\nproperties:\n  - never: {tool: note, before: {heard: terms}}\n"


def test_no_tool_before_the_terms_were_heard_is_proven(load: LoadEdited) -> None:
    once = ("    again: terms_again\n", "")
    said = ("  terms_again: Is that right?\n", "")
    flow = load(*TERMS, once, ("max_turns: 6\n", HEARD_FIRST), prompts=(*PROMPTS, said))
    assert check_flow(flow).proven


def test_an_answer_that_does_not_wait_is_caught_with_the_shortest_dialogue(
    load: LoadEdited,
) -> None:
    careless = ("affirmation: {goto: telling}", "affirmation: {goto: telling, anyway: true}")
    flow = load(*TERMS, careless, ("max_turns: 6\n", HEARD_FIRST), prompts=PROMPTS)
    [failure] = check_flow(flow).failures
    assert failure.detail == "note is called before terms was heard"
    told = dialogue(flow, failure)
    assert "caller:    affirmation (has not heard all of terms)" in told


def test_a_question_without_the_terms_is_caught(load: LoadEdited) -> None:
    """`heard` counts until another question: what was read long ago is agreed to by no yes."""
    flow = load(*TERMS, ("max_turns: 6\n", HEARD_FIRST), prompts=PROMPTS)
    assert [each.detail for each in check_flow(flow).failures] == [
        "note is called before terms was heard"
    ]


def test_an_event_that_is_answered_with_silence_is_caught(load: LoadEdited) -> None:
    silent = ("greeting: {}\n  telling", "greeting: {ask: false}\n  telling")
    failures = check_flow(load(*TERMS, silent, prompts=PROMPTS)).failures
    assert "in deal nothing is said to greeting" in [each.detail for each in failures]


@pytest.mark.parametrize(
    ("edits", "prompts", "said"),
    [
        (
            (("greeting: {}\n  telling", "greeting: {say: terms}\n  telling"),), (),
            "must_hear: is both said and asked",
        ),
        ((), ((NOTICE, NOTICE.replace("later", "soon")),), "must_hear"),
        (
            (), (("right?', must_hear: true}", "right?', must_hear: later}"),),
            "must_hear: later: is asked, so answers wait for it",
        ),
        (
            (("unclear: {count: unclear, say: what}",
              "unclear: {count: unclear, say: what, anyway: true}"),), (),
            "belongs to what a decision does on an answer",
        ),
        (
            (("max_turns: 6\n", HEARD_FIRST.replace("heard: terms", "heard: who")),), (),
            "heard: who has no must_hear",
        ),
        (
            (("in_full: in_full\n", "in_full: in_full\nholding: who\n"),), (),
            "who is said at any time: no variables",
        ),
        (
            (("in_full: in_full\n", "in_full: in_full\ncut_off: who\n"),), (),
            "who is said at any time: no variables",
        ),
        (
            (("in_full: in_full\n", "in_full: in_full\ntransferring: sorry\n"),
             ("max_turns: 6\n",
              "max_turns: 6\nproperties:\n  - never: {words: [noted], before: known}\n")), (),
            "sorry is said at any time: not noted",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_when_the_flow_loads(
    load: LoadEdited,
    edits: tuple[tuple[str, str], ...],
    prompts: tuple[tuple[str, str], ...],
    said: str,
) -> None:
    with pytest.raises(ConfigError, match=said):
        load(*TERMS, *edits, prompts=(*PROMPTS, *prompts))
