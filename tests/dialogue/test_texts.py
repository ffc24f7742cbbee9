"""Facts of data, texts for tools and checks, forgetting, and files that checks read."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Event, Heard, HungUp, ToolDone, serialize_event
from appliance.dialogue.flow import Flow
from appliance.dialogue.turn import State, Turn
from appliance.errors import ConfigError
from appliance.flows.registry import read_flow
from appliance.types import Intent, Understanding

FLOW = """\
flow: reader
version: 1
start: fetch
automation: machine
outcomes: [told, refused, left]
facts: {found: data, item: text, day: date, right: flag, size: [small, large]}
variables: {item: {type: text, source: fact}, day: {type: date, source: fact}}
secrets: {item: {after: right}}
tools:
  fetch: {outcomes: [done, failed], produces: {done: [found]}}
  keep: {args: [letter]}
texts: {letter: [tells_item, tells_day, tells_size]}
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
  fetch:
    kind: action
    phase: one
    do: [{tool: fetch}]
    on:
      fetch.done:
        set: right
        check: read
        on:
          read.item: {check: judge, on: {judge.good: {goto: keep}, judge.bad: {goto: refused}}}
          read.nothing: {goto: refused}
      fetch.failed: {goto: refused}
  keep:
    kind: action
    phase: one
    do: [{tool: keep, args: {letter: $letter}}]
    on:
      keep.done: {say: [tells_item, tells_day, tells_size], goto: more}
      keep.failed: {goto: left}
  more:
    kind: decision
    phase: two
    ask: more
    on:
      affirmation: {forget: [item, day, found], goto: fetch}
      negation: {goto: told}
  told: {kind: terminal, outcome: told}
  refused: {kind: terminal, outcome: refused}
  left: {kind: terminal, outcome: left}
"""
PROMPTS = """\
language: en
prompts:
  machine: Yes, I am a machine.
  tells_item: It is {item}.
  tells_day: {text: "It comes on {day}.", only_if: day}
  tells_size: {text: It is large., only_if: {size: large}}
  more: Shall I look again?
"""
CHECKS = """\
import json
from enum import StrEnum

from appliance.dialogue.checks import Check, CheckInput, CheckResult
from appliance.dialogue.declarations import FlowPart


class Words(FlowPart):
    forbidden: tuple[str, ...]


class Read(StrEnum):
    ITEM = "item"
    NOTHING = "nothing"


class Judge(StrEnum):
    GOOD = "good"
    BAD = "bad"


def read(given: CheckInput) -> CheckResult:
    found = json.loads(given.facts["found"])
    if not found:
        return CheckResult(Read.NOTHING)
    return CheckResult(Read.ITEM, found)


def judge(given: CheckInput) -> CheckResult:
    assert list(given.texts) == ["letter"]
    said = given.texts["letter"]
    bad = any(word in said for word in given.data["words"].forbidden)
    return CheckResult(Judge.BAD if bad else Judge.GOOD)


CHECKS = (
    Check("read", Read, read, {"item": ("item",)}, {"item": ("day", "size")}),
    Check("judge", Judge, judge),
)
DATA = {"words": Words}
"""
WORDS = "forbidden: [gold, silver]\n"

Make = Callable[..., Flow]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """The flow, with texts of its files changed."""

    def _make(*changes: tuple[str, str], words: str = WORDS) -> Flow:
        files = {"flow.yaml": FLOW, "prompts.en.yaml": PROMPTS, "checks.py": CHECKS}
        for name, text in {**files, "words.yaml": words}.items():
            changed = text
            for old, new in changes:
                changed = changed.replace(old, new)
            (tmp_path / name).write_text(changed)
        return read_flow(tmp_path)

    return _make


def play(flow: Flow, *events: Event) -> list[Turn]:
    call = flow.bind("c", {})
    turns, state = [], call.open()
    for event in events:
        turns.append(step(call, state, event, datetime(2026, 11, 11, 10, 30, tzinfo=UTC)))
        state = turns[-1].state
    return turns


def fetched(**found: str) -> ToolDone:
    return ToolDone("fetch", "done", facts=(("found", json.dumps(found)),))


def test_the_flow_is_proven(make: Make) -> None:
    assert not check_flow(make()).failures


def test_what_the_tool_is_given_is_what_is_said(make: Make) -> None:
    found = fetched(item="a lamp", day="2026-11-20")
    _, told, done = play(make(), CallStarted(), found, ToolDone("keep", "done"))
    (action,) = told.actions
    assert action.args == {"letter": "It is a lamp. It comes on Friday, November twentieth."}
    assert " ".join(each.text for each in done.say[:-1]) == action.args["letter"]


def test_a_check_judges_the_text_by_a_file_of_its_own(make: Make) -> None:
    (turn,) = play(make(), CallStarted(), fetched(item="a gold lamp"))[-1:]
    assert turn.state.outcome == "refused"
    (turn,) = play(make(words="forbidden: [lamp]\n"), CallStarted(), fetched(item="a lamp"))[-1:]
    assert turn.state.outcome == "refused"


def test_a_text_that_may_not_be_said_is_not_there(make: Make) -> None:
    flow = make()
    call = flow.bind("c", {})
    assert dict(call.texts({"item": "a lamp"}, "en")) == {}
    assert len(call.texts({"item": "a lamp", "right": True}, "en")) == 1


def test_a_file_that_a_check_reads_is_part_of_the_version(make: Make) -> None:
    assert make().hash != make(words="forbidden: [brass]\n").hash


def test_a_mistake_in_such_a_file_is_named_with_its_line(make: Make) -> None:
    with pytest.raises(ConfigError, match=r"words\.yaml:2: forbiden: unknown key"):
        make(words="forbidden: [gold]\nforbiden: [silver]\n")


def test_what_is_forgotten_is_not_said_again(make: Make) -> None:
    yes = Heard(Understanding("yes", (Intent("affirmation", 1.0),)))
    found = fetched(item="a lamp", day="2026-11-20")
    *_, forgot, again = play(
        make(), CallStarted(), found, ToolDone("keep", "done"), yes, fetched(item="a chair")
    )
    assert set(forgot.state.facts) == {"right"}
    assert again.actions[0].args == {"letter": "It is a chair."}


def test_data_that_is_no_json_makes_the_tool_fail(make: Make) -> None:
    broken = ToolDone("fetch", "done", facts=(("found", "{"),))
    assert play(make(), CallStarted(), broken)[-1].state.outcome == "refused"


def test_data_stays_out_of_the_log(make: Make) -> None:
    flow = make()
    logged = serialize_event(fetched(item="a lamp"), hidden=flow.private_facts)
    assert "lamp" not in json.dumps(logged)
    assert logged["facts"] == {"found": "{}"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # the tool could be given what may not be said yet
        ("        set: right\n", "", "keep: letter: $letter: tells_item before right"),
        ("read.item: {check", "read.item: {forget: right, check", "tells_item before right"),
        ("read.item: {check", "read.item: {forget: item, check", "before item is known"),
    ],
)
def test_the_checker_proves_that_a_text_may_be_said(
    make: Make, old: str, new: str, said: str
) -> None:
    assert said in "\n".join(each.detail for each in check_flow(make((old, new))).failures)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("letter: [tells_item,", "letter: [nothing,", r"texts\.letter: no prompt nothing"),
        ("texts: {letter:", "texts: {item: [tells_day], letter:", r"texts\.item: is also the name"),
        ("letter: $letter}", "letter: $lettre}", "letter: \\$lettre is no argument"),
        ("forget: [item, day", "forget: [itme, day", r"forget: itme is not declared"),
        ("item: {type: text", "found: {type: text, source: fact}, item: {type: text",
         "is of type text, but its fact is not"),
        ("tells_item: It is {item}.", "tells_item: ['It is {item}.', 'Here: {item}.']",
         "it has one wording"),
    ],
)  # fmt: skip
def test_names_that_do_not_fit(make: Make, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make((old, new))


def test_hanging_up_while_it_waits(make: Make) -> None:
    state: State = play(make(), CallStarted(), HungUp())[-1].state
    assert state.outcome == "left"
