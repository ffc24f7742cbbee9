"""A small flow with one of everything: a check, a secret, a counter, a tool that is waited for."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import pytest

from appliance.dialogue.checks import Check, CheckInput, CheckResult
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.loader import load_flow

FLOW_YAML = """\
flow: tiny
version: 1
start: gate
automation: a_machine
outcomes: [told, refused, left, silent, too_long]
facts: {known: flag, day: date}
variables:
  name: {type: text, source: account}
  word: {type: text, source: account}
  day: {type: date, source: fact}
secrets:
  word: {after: known}
tools:
  note: {args: [day, why], outcomes: [done, failed]}
counters:
  tries: {limit: 2, past: {reason: refused, goto: over}}
  silence: {limit: 2, reset: heard, past: {goto: silent}}
  unclear: {limit: 3, reset: understood, past: {goto: silent}}
max_turns: 6
universal:
  stop_request: {goto: left}
  robot_question: {say: a_machine}
  repeat_request: {}
fallbacks:
  unclear: {count: unclear, say: what}
  silence: {count: silence}
  engine_failed: {say: what}
  repeated: {goto: silent}
  hung_up: {goto: left}
out_of_turns: {goto: too_long}
states:
  gate:
    kind: decision
    phase: before
    ask: who
    again: who_again
    listen: {slot: zip, check: code, patience_ms: 300, keypad: {min: 2, max: 2}}
    on:
      code.right: {set: known, goto: telling}
      code.wrong: {count: tries, ask: wrong}
      negation: {reason: refused, goto: over}
      greeting: {}
      thanks: {ask: who}
      filler: {ask: wrong}
  telling:
    kind: action
    phase: after
    say: secret
    do:
      - tool: note
        args: {day: $day, why: asked}
    on:
      note.done: {goto: told}
      note.failed: {say: sorry, goto: told}
  told: {kind: terminal, outcome: told, say: bye}
  over: {kind: terminal, outcome: $reason, say: bye}
  left: {kind: terminal, outcome: left, say: bye}
  silent: {kind: terminal, outcome: silent}
  too_long: {kind: terminal, outcome: too_long}
"""
PROMPTS_YAML = """\
language: en
prompts:
  who: "Hello {name}. What is the code?"
  who_again: "What is the code?"
  wrong: {text: "That is wrong.", uninterruptible: true}
  secret: "The word is {word}, noted on {day}."
  what: I did not get that.
  sorry: That could not be noted.
  bye: Goodbye.
  a_machine: Yes, I am a machine.
"""


class Code(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"


def _code(given: CheckInput) -> CheckResult:
    said = given.typed or given.understanding.slots.get("digits", "")
    if not said:
        return CheckResult(Code.NONE)
    if said != given.account["code"]:
        return CheckResult(Code.WRONG)
    return CheckResult(Code.RIGHT, {"day": given.now.date().isoformat()})


CHECK = Check("code", Code, _code, {Code.RIGHT: ("day",)})
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
ACCOUNT = {"name": "Ann", "word": "rosebud", "code": "42"}

LoadEdited = Callable[..., Flow]


@pytest.fixture
def load(tmp_path: Path) -> LoadEdited:
    """Load the small flow after edits to its text: pairs of old and new."""

    def load_edited(*edits: tuple[str, str], prompts: tuple[tuple[str, str], ...] = ()) -> Flow:
        flow, texts = FLOW_YAML, PROMPTS_YAML
        for old, new in edits:
            assert old in flow, old
            flow = flow.replace(old, new)
        for old, new in prompts:
            assert old in texts, old
            texts = texts.replace(old, new)
        (tmp_path / "flow.yaml").write_text(flow, encoding="utf-8")
        (tmp_path / "prompts.en.yaml").write_text(texts, encoding="utf-8")
        return load_flow(tmp_path, (CHECK,))

    return load_edited


@pytest.fixture
def flow(load: LoadEdited) -> CallFlow:
    """The small flow, bound to a call."""
    return load().bind("call-7", ACCOUNT)


@pytest.fixture
def now() -> datetime:
    """A Wednesday."""
    return NOW
