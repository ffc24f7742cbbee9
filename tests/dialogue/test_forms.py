"""Decisions that ask for what is still missing (`asks`), from the flow file to the turn."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Event, Heard, NoInput
from appliance.dialogue.flow import Flow
from appliance.dialogue.turn import State, Turn
from appliance.dialogue.waits import WAITS
from appliance.errors import ConfigError
from appliance.flows.registry import read_flow
from appliance.types import Intent, Understanding

FLOW = """\
flow: form
version: 1
start: hello
automation: machine
max_turns: 12
outcomes: [done, left]
facts: {room: text, day: date, sure: flag, colour: text}
tools: {keep: {args: [room, day, colour]}}
entry: {room: optional}
variables: {room: {type: text, source: fact}}
universal:
  robot_question: {say: machine}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
states:
  hello:
    kind: decision
    phase: one
    ask: hello
    on:
      affirmation: {goto: details}
  details:
    kind: decision
    phase: two
    asks:
      - {fact: room, ask: which_room, again: which_room_again, slot: text, unfinished_ms: 900}
      - {fact: day, ask: which_day, slot: date, keypad: {max: 4}}
      - {fact: sure, ask: is_it_right, slot: yes_no}
    then: {goto: finished}
    listen: {check: read, patience_ms: 450}
    on:
      read.room: {}
      read.day: {}
      affirmation: {set: sure}
      negation: {ask: which_room}
  finished:
    kind: terminal
    do: [{tool: keep, args: {room: $room, day: "$day?", colour: "$colour?"}}]
    on: {keep.done: {}, keep.failed: {}}
    outcome: done
    say: thanks
  left: {kind: terminal, outcome: left}
"""
PROMPTS = """\
language: en
prompts:
  machine: Yes, I am a machine.
  hello: Hello. Shall we begin?
  which_room: Which room is it?
  which_room_again: Please name the room.
  which_day: On which day?
  is_it_right: The {room} then, is that right?
  thanks: Thank you.
"""
CHECKS = """\
from enum import StrEnum

from appliance.dialogue.checks import Check, CheckInput, CheckResult


class Read(StrEnum):
    ROOM = "room"
    DAY = "day"
    NONE = "none"


def read(given: CheckInput) -> CheckResult:
    slots = given.understanding.slots
    if "room" in slots:
        return CheckResult(Read.ROOM, {"room": slots["room"]})
    if "date" in slots:
        return CheckResult(Read.DAY, {"day": slots["date"]})
    return CheckResult(Read.NONE)


CHECKS = (Check("read", Read, read, {"room": ("room",), "day": ("day",)}),)
"""
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
MakeFlow = Callable[..., Flow]


@pytest.fixture
def make(tmp_path: Path) -> MakeFlow:
    def load(flow: str = FLOW, prompts: str = PROMPTS) -> Flow:
        (tmp_path / "flow.yaml").write_text(flow)
        (tmp_path / "prompts.en.yaml").write_text(prompts)
        (tmp_path / "checks.py").write_text(CHECKS)
        return read_flow(tmp_path)

    return load


def meaning(name: str, **slots: str) -> Heard:
    return Heard(Understanding(name, (Intent(name, 0.9),) if name else (), slots))


def run(flow: Flow, *events: Event, entry: dict[str, str] | None = None) -> list[Turn]:
    bound = flow.bind("call", {}, entry=entry)
    state: State = bound.open()
    turns = []
    for event in (CallStarted(), meaning("affirmation"), *events):
        turns.append(step(bound, state, event, NOW))
        state = turns[-1].state
    return turns[1:]


def asked(turns: list[Turn]) -> list[list[str]]:
    return [[prompt.id for prompt in turn.say] for turn in turns]


ROOM, DAY, YES = meaning("", room="kitchen"), meaning("", date="2026-11-12"), meaning("affirmation")


def test_what_is_missing_is_asked_for_in_order(make: MakeFlow) -> None:
    turns = run(make(), ROOM, DAY, YES)
    assert asked(turns) == [["which_room"], ["which_day"], ["is_it_right"], ["thanks"]]
    assert turns[-1].state.current == "finished"


def test_a_fact_that_is_not_known_is_left_out_of_what_a_tool_is_given(make: MakeFlow) -> None:
    [action] = run(make(), ROOM, DAY, YES)[-1].actions
    assert action.args == {"room": "kitchen", "day": "2026-11-12"}


def test_what_is_known_is_not_asked_for(make: MakeFlow) -> None:
    turns = run(make(), YES, entry={"room": "bath"})
    assert asked(turns) == [["which_day"], ["which_day"]]
    turns = run(make(), DAY, ROOM, YES)
    assert asked(turns) == [["which_room"], ["which_room_again"], ["is_it_right"], ["thanks"]]


def test_a_form_with_nothing_missing_is_passed_through(make: MakeFlow) -> None:
    first = "    kind: decision\n    phase: two\n    asks:\n"
    only = (
        f"{first}      - {{fact: room, ask: which_room}}\n    then: {{goto: second}}\n"
        "    listen: {check: read}\n    on: {read.room: {}, read.day: {}}\n  second:\n"
    )
    flow = make(FLOW.replace(first, only + first))
    assert asked(run(flow, entry={"room": "bath"})) == [["which_day"]]
    assert run(flow, entry={"room": "bath"})[-1].state.current == "second"


def test_the_open_question_is_asked_again(make: MakeFlow) -> None:
    turns = run(make(), NoInput(), ROOM, meaning("robot_question"))
    assert asked(turns)[1:] == [["which_room_again"], ["which_day"], ["machine", "which_day"]]


def test_another_question_of_a_route_gives_way_to_what_is_missing(make: MakeFlow) -> None:
    turns = run(make(), ROOM, DAY, meaning("negation"), ROOM, YES)
    assert asked(turns)[3:] == [["which_room"], ["is_it_right"], ["thanks"]]


def test_a_question_asked_too_often_is_given_up(make: MakeFlow) -> None:
    turns = run(make(), NoInput(), NoInput(), NoInput())
    assert turns[-1].state.outcome == "left"


def test_each_question_says_what_it_listens_for(make: MakeFlow) -> None:
    heard = [turn.listen for turn in run(make(), ROOM, DAY)]
    assert [each.slot for each in heard] == ["text", "date", "yes_no"]
    kinds = [WAITS[each.slot].unfinished_ms for each in heard]
    assert [each.unfinished_ms for each in heard] == [900, *kinds[1:]]
    assert [each.patience_ms for each in heard] == [450, 450, 450]
    assert [each.max_digits for each in heard] == [0, 4, 0]


def test_the_checker_proves_a_form(make: MakeFlow) -> None:
    assert check_flow(make()).failures == ()


@pytest.mark.parametrize(
    ("old", "new", "because"),
    [
        ("fact: sure, ask: is_it_right", "fact: sure, ask: which_day", "is_it_right is never said"),
        ("read.day: {}\n", "read.day: {goto: left}\n", "is_it_right is never said"),
        (
            FLOW[FLOW.index("- {fact: room") : FLOW.index("- {fact: day")],
            "",
            "is_it_right before room is known",
        ),
    ],
)
def test_the_checker_sees_what_a_form_asks(
    make: MakeFlow, old: str, new: str, because: str
) -> None:
    assert old in FLOW
    said = [failure.detail for failure in check_flow(make(FLOW.replace(old, new))).failures]
    assert any(because in each for each in said), said


@pytest.mark.parametrize(
    ("old", "new", "because"),
    [
        ("    then: {goto: finished}\n", "", "needs `then`"),
        ("    then: {goto: finished}\n", "    then: {goto: nowhere}\n", "no state nowhere"),
        ("    ask: hello\n", "", "give `ask`, or else `asks` and `then`"),
        ("    ask: hello\n", "    ask: hello\n    then: {goto: left}\n", "or else `asks`"),
        ("    asks:\n", "    ask: hello\n    asks:\n", "has no `ask`"),
        ("fact: sure", "fact: certain", "certain is not declared under facts"),
        ("$colour?", "$color?", "is no argument or fact of it"),
        ("ask: which_day", "ask: what_day", "no prompt what_day"),
    ],
)
def test_a_form_that_does_not_fit_does_not_load(
    make: MakeFlow, old: str, new: str, because: str
) -> None:
    assert old in FLOW
    with pytest.raises(ConfigError, match=because):
        make(FLOW.replace(old, new))


OBSERVED = {
    "universal:\n": "observe: {angry: {mood: upset}}\nuniversal:\n",
    "facts: {": "facts: {mood: [upset, calm], ",
}


@pytest.mark.parametrize(
    ("old", "new", "because"),
    [
        ("- {fact: sure, ask: is_it_right", "- {fact: mood, ask: is_it_right", "mood decides"),
        ("  is_it_right:", "  machine_too: {text: Hm., only_if: {mood: upset}}\n  is_it_right:",
         "machine_too.*mood is only observed"),
    ],
)  # fmt: skip
def test_what_is_only_observed_decides_nothing(
    make: MakeFlow, tmp_path: Path, old: str, new: str, because: str
) -> None:
    """The checker does not see it: it would prove what the engine does not do."""
    flow, prompts = FLOW, PROMPTS
    for each, changed in (*OBSERVED.items(), (old, new)):
        assert each in flow + prompts
        flow, prompts = flow.replace(each, changed), prompts.replace(each, changed)
    with pytest.raises(ConfigError, match=because):
        make(flow, prompts)
