"""Flows that look harmless and are not: each was once accepted, or broke what accepted it."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

import pytest

from appliance.dialogue.checker.verdict import Verdict, check_flow
from appliance.dialogue.checks import Check, CheckInput, CheckResult
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Event, Heard, HungUp, ToolDone
from appliance.dialogue.flow import Flow
from appliance.dialogue.loader import load_flow
from appliance.dialogue.turn import Turn
from appliance.errors import ConfigError
from appliance.types import Intent, Understanding

HEAD = """\
flow: trap
version: 1
start: hello
automation: machine
outcomes: [left, done]
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
"""
PROMPTS = """\
language: en
prompts:
  hello: Hello?
  machine: I am a machine.
"""
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")


class Found(StrEnum):
    OK = "ok"
    NONE = "none"


def _read(_: CheckInput) -> CheckResult:
    return CheckResult(Found.NONE)


def _flow(folder: Path, text: str, *checks: Check) -> Flow:
    if "universal:" not in text:
        text = "universal: {robot_question: {say: machine}}\n" + text
    (folder / "flow.yaml").write_text(HEAD + text, encoding="utf-8")
    (folder / "prompts.en.yaml").write_text(PROMPTS, encoding="utf-8")
    return load_flow(folder, checks)


def _said(intent: str) -> Heard:
    return Heard(Understanding(intent, (Intent(intent, 0.9),)))


def _run(flow: Flow, *events: Event | str) -> list[Turn]:
    call = flow.bind("c", {})
    turns, state = [], call.open()
    for event in (CallStarted(), *events):
        said = (
            Heard(Understanding(event, (Intent(event, 0.9),))) if isinstance(event, str) else event
        )
        turns.append(step(call, state, said, NOW))
        state = turns[-1].state
    return turns


def _broken(verdict: Verdict, words: str) -> bool:
    return any(words in f"{each.title}: {each.detail}" for each in verdict.failures)


def test_what_a_terminal_state_does_for_who_hangs_up_is_explored(tmp_path: Path) -> None:
    flow = _flow(tmp_path, """\
facts: {mood: [calm, angry], ok: flag}
tools: {first: {}, second: {}}
properties:
  - never: {tool: second, before: ok}
states:
  hello:
    kind: decision
    phase: p
    ask: hello
    on: {affirmation: {set: {mood: angry}, goto: fin}, negation: {set: [ok], goto: fin}}
  fin:
    kind: terminal
    outcome: done
    do: [{tool: first}, {tool: second, when: {mood: angry}}]
    on:
      first.done: {branch: ok, on: {ok.yes: {set: {mood: angry}}, ok.no: {set: {mood: calm}}}}
      first.failed: {set: {mood: calm}}
      second.done: {set: {mood: calm}}
      second.failed: {set: {mood: calm}}
  left: {kind: terminal, outcome: left}
""")  # fmt: skip
    done = [action.name for action in _run(flow, "affirmation", HungUp())[-1].actions]
    assert done == ["second", "end_call"]
    assert _broken(check_flow(flow), "never tool second, before ok")


def test_a_universal_that_begins_the_same_action_again_is_not_heard(tmp_path: Path) -> None:
    flow = _flow(tmp_path, """\
universal:
  robot_question: {say: machine}
  callback_request: {branch: ok, on: {ok.yes: {goto: act}, ok.no: {goto: act}}}
facts: {ok: flag}
tools: {book: {}}
states:
  hello: {kind: decision, phase: p, ask: hello, on: {affirmation: {set: ok}}}
  act: {kind: action, phase: p, do: [{tool: book}],
        on: {book.done: {goto: fin}, book.failed: {goto: fin}}}
  fin: {kind: terminal, outcome: done}
  left: {kind: terminal, outcome: left}
""")  # fmt: skip
    assert check_flow(flow).proven
    turns = _run(flow, "callback_request", "callback_request")
    assert [len(turn.actions) for turn in turns] == [0, 1, 0]


STATES = """\
states:
  hello: {kind: decision, phase: p, ask: hello, listen: {check: read},
          on: {read.ok: {}, affirmation: {goto: act}}}
  act: {kind: action, phase: p, do: [{tool: look}],
        on: {look.done: {goto: fin}, look.failed: {goto: fin}}}
  fin: {kind: terminal, outcome: done}
  left: {kind: terminal, outcome: left}
"""


@pytest.mark.parametrize(
    ("declared", "check", "said"),
    [
        ("facts: {read: flag}\ntools: {look: {}}", {}, "read: is also the name of a check"),
        ("facts: {look: flag}\ntools: {look: {}}", {}, "also the name of a fact or a check"),
        ("facts: {why: text}\ntools: {look: {produces: {failed: why}}}", {}, "gives nothing"),
        ("facts: {ok: flag}\ntools: {look: {produces: {done: ok}}}", {}, "neither a value nor"),
        ("facts: {m: [a, b]}\ntools: {look: {}}", {"none": ("m",)}, "gives facts with none"),
        ("facts: {ok: flag}\ntools: {look: {}}", {"ok": ("ok",)}, "neither a value nor a choice"),
        ("tools: {look: {}}", {"ok": ("day",)}, "day is under facts neither"),
        ("facts: {d: date}\ntools: {look: {}}", {"no": ("d",)}, "no is not among its outcomes"),
    ],
)
def test_facts_come_only_as_they_are_declared(
    tmp_path: Path, declared: str, check: dict[str, tuple[str, ...]], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        _flow(tmp_path, f"{declared}\n{STATES}", Check("read", Found, _read, check))


def test_a_tool_that_failed_leaves_no_facts_behind(tmp_path: Path) -> None:
    text = f"facts: {{mood: [calm, cross]}}\ntools: {{look: {{}}}}\n{STATES}"
    flow = _flow(tmp_path, text, Check("read", Found, _read))
    event = ToolDone("look", "failed", facts=(("mood", "nonsense"),))
    assert "mood" not in _run(flow, "affirmation", event)[-1].state.facts


def test_a_check_that_finds_something_else_is_a_bug(tmp_path: Path) -> None:
    def odd(_: CheckInput) -> CheckResult:
        return CheckResult(Found.OK, {"mood": "furious"})

    text = f"facts: {{mood: [calm, cross]}}\ntools: {{look: {{}}}}\n{STATES}"
    flow = _flow(tmp_path, text, Check("read", Found, odd, {"ok": ("mood",)}))
    with pytest.raises(AssertionError, match="which it does not declare so"):
        _run(flow, "negation")


def test_a_note_takes_facts_as_they_stand(tmp_path: Path) -> None:
    flow = _flow(tmp_path, """\
facts: {promise: money, known: flag}
variables:
  balance: {type: money, source: account}
  promise: {type: money, source: fact, share_of: balance}
secrets: {balance: {after: known}}
notes: {pass: {to: them, facts: promise}}
tools: {look: {}}
states:
  hello: {kind: decision, phase: p, ask: hello, listen: {check: read},
          on: {read.ok: {note: pass, goto: act}}}
  act: {kind: action, phase: p, do: [{tool: look}],
        on: {look.done: {goto: fin}, look.failed: {goto: fin}}}
  fin: {kind: terminal, outcome: done}
  left: {kind: terminal, outcome: left}
""", Check("read", Found, lambda _: CheckResult(Found.OK, {"promise": "full"}),
           {"ok": ("promise",)}))  # fmt: skip
    call = flow.bind("c", {"balance": "240.50"})
    started = step(call, call.open(), CallStarted(), NOW)
    turn = step(call, started.state, Heard(Understanding("x")), NOW)
    assert turn.state.notes[-1].key_facts == {"promise": "full"}
    assert "240" not in turn.state.model_dump_json()


def test_who_hangs_up_is_not_handed_over(tmp_path: Path) -> None:
    flow = _flow(tmp_path, """\
tools: {look: {}}
states:
  hello: {kind: decision, phase: p, ask: hello, on: {affirmation: {goto: fin}}}
  fin: {kind: terminal, outcome: done, do: [{tool: look}], on: {look.done: {}, look.failed: {}},
        handover: {flow: ../other}}
  left: {kind: terminal, outcome: left}
""")  # fmt: skip
    turn = _run(flow, "affirmation", HungUp())[-1]
    assert (turn.reply, turn.next_flow) == ("ended", None)
    assert [action.name for action in turn.actions] == ["end_call"]
    assert _run(flow, "affirmation", ToolDone("look", "done"))[-1].reply == "handed_over"


def test_the_order_of_universal_intents_is_part_of_the_version(tmp_path: Path) -> None:
    text = f"facts: {{}}\ntools: {{look: {{}}}}\n{STATES}"
    one = "universal: {robot_question: {say: machine}, goodbye: {goto: fin}, busy: {}}\n"
    two = "universal: {robot_question: {say: machine}, busy: {}, goodbye: {goto: fin}}\n"
    check = Check("read", Found, _read)
    assert _flow(tmp_path, one + text, check).hash != _flow(tmp_path, two + text, check).hash
