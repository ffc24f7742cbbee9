"""What the flow language can say beyond questions and routes, on one flow that uses all of it."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Digits, Event, Heard, HungUp, NoInput, ToolDone
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.loader import load_flow
from appliance.dialogue.turn import State, Turn
from appliance.errors import ConfigError
from appliance.types import Intent, Understanding

FLOW_YAML = """\
flow: rooms
version: 1
start: bob
automation: machine
voices: [bob, alice]
outcomes: [booked, called_back, left, passed_on]
facts:
  room: [kitchen, bath]
  mood: [calm, cross]
  urgent: flag
  day: date
  caller_number: phone
  campaign: [spring, autumn]
entry: {caller_number: required, campaign: optional}
variables:
  caller_number: {type: phone, source: fact}
notes:
  to_alice:
    to: alice
    summary: summary
    facts: [room, caller_number, urgent]
    open_questions: [room, day]
    recommendations: [three_quotes, day_first]
tools:
  book: {args: [room, urgent]}
  alert: {}
  tell: {outcomes: [done, late, failed], timeout_s: 3}
observe:
  angry: {mood: cross}
universal:
  key.0: {goto: callback}
  stop_request: {goto: left}
  robot_question: {say: machine}
  spanish_request: {language: es, otherwise: {say: only_english}}
  wait_request: {say: machine, ask: false}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
states:
  bob:
    kind: decision
    phase: one
    ask: hello
    again: hello_again
    listen: {no_input_ms: 2500}
    on:
      affirmation: {set: {room: kitchen}, note: to_alice, goto: alice}
      negation: {set: {room: bath}, goto: callback}
      key.1: {set: {room: kitchen}, goto: booking}
      busy: {set: urgent, goto: callback}
      goodbye: {goto: handed}
      greeting:
        branch: room
        on:
          room.kitchen: {say: kitchen}
          room.bath: {say: bath}
          room.unset: {say: nothing_yet}
      why_question: {set: {room: bath}}
      thanks: {branch: campaign, on: {campaign.spring: {say: bath}, campaign.autumn: {},
               campaign.unset: {say: kitchen}}}
  alice:
    kind: decision
    phase: two
    voice: alice
    ask: alice_hello
    again: hello_again
    on:
      affirmation: {goto: booking}
      silence: {goto: bob}
      unclear: {goto: callback}
  booking:
    kind: action
    phase: three
    hears: [stop_request]
    do:
      - {tool: book, args: {room: $room}, when: {urgent: false}}
      - {tool: tell}
    on:
      book.done: {}
      book.failed: {goto: callback}
      tell.done: {}
      tell.late: {say: bath}
      tell.failed: {goto: callback}
      hung_up: {goto: booked}
    then: {goto: booked}
  booked: {kind: terminal, outcome: booked, say: kitchen}
  callback:
    kind: terminal
    do:
      - {tool: tell}
      - {tool: alert, when: {urgent: true}}
    on: {tell.done: {}, tell.late: {}, tell.failed: {}, alert.done: {}, alert.failed: {}}
    outcome: called_back
  left: {kind: terminal, outcome: left}
  handed: {kind: terminal, outcome: passed_on, handover: {flow: ../next, note: to_alice}}
properties:
  - at_most: {times: 1, tool: book}
  - never: {tool: book, after: urgent}
"""
PROMPTS = {
    "en": """\
language: en
prompts:
  hello: [Hello there., Good day., Welcome.]
  hello_again: And?
  machine: I am a machine.
  kitchen: The kitchen.
  bath: The bath.
  nothing_yet: Nothing yet.
  only_english: English only.
  alice_hello: Alice speaking.
  summary: They called from {caller_number}.
  three_quotes: Get three quotes.
  day_first: {text: Settle the day first., unless: day}
""",
    "es": """\
language: es
prompts:
  hello: [Hola., Buenas., Qué tal.]
  hello_again: ¿Y?
  machine: Soy una máquina.
  kitchen: La cocina.
  bath: El baño.
  nothing_yet: Nada.
  only_english: Solo español.
  alice_hello: Habla Alicia.
  summary: Llamó desde {caller_number}.
  three_quotes: Pedir tres presupuestos.
  day_first: {text: Primero el día., unless: day}
""",
}
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
ENTRY = {"caller_number": "15550101"}
Run = Callable[..., Turn]


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    folder: Path = tmp_path_factory.mktemp("rooms")
    (folder / "flow.yaml").write_text(FLOW_YAML, encoding="utf-8")
    for language, text in PROMPTS.items():
        (folder / f"prompts.{language}.yaml").write_text(text, encoding="utf-8")
    return load_flow(folder, ())


def _heard(intent: str) -> Heard:
    return Heard(Understanding(intent, (Intent(intent, 0.9),)))


def _run(call: CallFlow, *events: Event | str) -> Turn:
    turn = step(call, call.open(), CallStarted(), NOW)
    for event in events:
        turn = step(call, turn.state, _heard(event) if isinstance(event, str) else event, NOW)
    return turn


def _call(flow: Flow, **settings: object) -> CallFlow:
    return flow.bind("c-1", {}, entry={**ENTRY, **settings.pop("entry", {})}, **settings)  # type: ignore[arg-type, dict-item]


def _ids(turn: Turn) -> list[str]:
    return [prompt.id for prompt in turn.say]


def test_the_flow_is_proven(flow: Flow) -> None:
    assert check_flow(flow).failures == ()


def test_variants_are_chosen_by_call_and_the_same_on_every_replay(flow: Flow) -> None:
    said = {name: _run(flow.bind(name, {}, entry=ENTRY)).text for name in map(str, range(40))}
    assert set(said.values()) == {"Hello there.", "Good day.", "Welcome."}
    for name, text in said.items():
        assert _run(flow.bind(name, {}, entry=ENTRY)).text == text
    seeded = {_run(flow.bind(name, {}, entry=ENTRY, seed="x")).text for name in said}
    assert len(seeded) == 1


def test_a_branch_follows_a_fact(flow: Flow) -> None:
    call = _call(flow)
    assert _ids(_run(call, "greeting")) == ["nothing_yet", "hello_again"]
    assert _ids(_run(call, "why_question", "greeting")) == ["bath", "hello_again"]
    assert _ids(_run(call, "thanks")) == ["kitchen", "hello_again"]
    spring = _call(flow, entry={"campaign": "spring"})
    assert _ids(_run(spring, "thanks")) == ["bath", "hello_again"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "caller_number: is required"),
        ({"caller_number": "my number"}, "not digits"),
        ({"caller_number": "1", "campaign": "winter"}, "not one of spring, autumn"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(
    flow: Flow, entry: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        flow.bind("c", {}, entry=entry)


def test_a_persona_takes_over_with_a_note_in_her_own_voice(flow: Flow) -> None:
    turn = _run(_call(flow), "affirmation")
    assert [(prompt.id, prompt.voice) for prompt in turn.say] == [("alice_hello", "alice")]
    [note] = turn.state.notes
    assert note.to == "alice"
    assert note.summary.startswith("They called from one five five")
    assert note.key_facts == {"room": "kitchen", "caller_number": "15550101"}
    assert note.open_questions == ("day",)
    assert note.recommendations == ("Get three quotes.", "Settle the day first.")
    assert note.by == "bob"
    back = _run(_call(flow), "affirmation", NoInput())
    assert back.say[0].voice == "bob"
    assert len(_run(_call(flow), "affirmation", NoInput(), "affirmation").state.notes) == 2


def test_another_flow_takes_over_without_ending_the_call(flow: Flow) -> None:
    turn = _run(_call(flow), "goodbye")
    assert turn.reply == "handed_over"
    assert turn.actions == ()
    assert turn.next_flow is not None
    assert turn.next_flow.flow == "../next"
    assert turn.next_flow.note == turn.state.notes[-1]
    assert (turn.state.ended, turn.state.outcome) == (True, "passed_on")


def test_a_flag_in_a_note_is_a_flag_for_the_next_flow(flow: Flow) -> None:
    call = _call(flow)
    state = call.open().model_copy(update={"facts": {**ENTRY, "urgent": True}})
    started = step(call, state, CallStarted(), NOW)
    note = step(call, started.state, _heard("goodbye"), NOW).state.notes[-1]
    assert note.key_facts["urgent"] is True
    assert flow.bind("c-2", {}, entry={**ENTRY, **note.key_facts}).entry["caller_number"]


def test_a_tool_gives_the_facts_that_it_declares(flow: Flow, tmp_path: Path) -> None:
    tools = "  alert: {produces: {done: day}, may_produce: {done: mood}}\n"
    text = FLOW_YAML.replace("  alert: {}\n", tools).replace(
        "observe:\n  angry: {mood: cross}\n", ""
    )
    (tmp_path / "flow.yaml").write_text(text, encoding="utf-8")
    for language, prompts in PROMPTS.items():
        (tmp_path / f"prompts.{language}.yaml").write_text(prompts, encoding="utf-8")
    giving = load_flow(tmp_path, ())
    assert check_flow(giving).failures == ()
    call = giving.bind("c", {}, entry=ENTRY)
    before = ("busy", ToolDone("tell", "done"))

    def known(*facts: tuple[str, str]) -> dict[str, bool | str]:
        turn = _run(call, *before, ToolDone("alert", "done", facts=facts))
        assert turn.state.outcome == "called_back"
        return {n: v for n, v in turn.state.facts.items() if n in ("day", "mood")}

    assert known(("day", "2026-11-20")) == {"day": "2026-11-20"}
    both = (("day", "2026-11-20"), ("mood", "calm"))
    assert known(*both) == dict(both)
    for wrong in ((), (("day", "soon"),), (("day", "2026-11-20"), ("room", "bath"))):
        assert known(*wrong) == {}  # it has failed


def test_tools_are_called_one_after_the_other(flow: Flow) -> None:
    call = _call(flow)
    first = _run(call, Digits("1"))
    assert [(a.name, dict(a.args)) for a in first.actions] == [("book", {"room": "kitchen"})]
    second = _run(call, Digits("1"), ToolDone("book", "done"))
    assert [a.name for a in second.actions] == ["tell"]
    late = _run(call, Digits("1"), ToolDone("book", "done"), ToolDone("tell", "late"))
    assert _ids(late) == ["bath", "kitchen"]
    assert [a.name for a in late.actions] == ["end_call"]
    odd = _run(call, Digits("1"), ToolDone("book", "exploded"))  # no outcome of it: it has failed
    assert odd.state.current == "callback"


def test_an_outcome_that_nobody_waits_for_is_ignored(flow: Flow) -> None:
    call = _call(flow)
    turn = _run(call, Digits("1"))
    assert turn.state.awaiting == turn.actions[0].key
    stale = step(call, turn.state, ToolDone("book", "failed", "c-1:1:book"), NOW)
    assert (stale.state.current, stale.actions, stale.taken) == ("booking", (), ())
    right = step(call, turn.state, ToolDone("book", "done", turn.actions[0].key), NOW)
    assert [a.name for a in right.actions] == ["tell"]


def test_a_terminal_state_does_its_tools_before_it_ends(flow: Flow) -> None:
    call = _call(flow)
    turn = _run(call, "busy")
    assert ([a.name for a in turn.actions], turn.state.ended) == (["tell"], False)
    assert _run(call, "busy", "stop_request").actions == ()  # it hears nothing any more
    alert = _run(call, "busy", ToolDone("tell", "failed"))
    assert [a.name for a in alert.actions] == ["alert"]
    done = _run(call, "busy", ToolDone("tell", "failed"), ToolDone("alert", "done"))
    assert ([a.name for a in done.actions], done.state.outcome) == (["end_call"], "called_back")


def test_who_hangs_up_does_not_stop_what_was_begun(flow: Flow) -> None:
    call = _call(flow)
    gone = _run(call, "busy", HungUp())
    assert [a.name for a in gone.actions] == ["alert", "end_call"]
    assert gone.state.outcome == "called_back"
    assert _run(call, Digits("1"), HungUp()).state.outcome == "booked"


def test_keys_lead_somewhere_universal_ones_first(flow: Flow) -> None:
    call = _call(flow)
    assert _run(call).listen.accepts_digits
    assert _run(call, Digits("0")).state.current == "callback"
    assert _run(call, Digits("5")).state.current == "bob"


def test_the_language_changes_only_to_one_that_the_box_speaks(flow: Flow) -> None:
    alone = _run(_call(flow), "spanish_request")
    assert alone.text == "English only. And?"
    both = _run(_call(flow, languages=("en", "es")), "spanish_request")
    assert (both.text, both.state.language, both.listen.language) == ("¿Y?", "es", "es")


def test_waiting_is_not_asking(flow: Flow) -> None:
    turn = _run(_call(flow), "wait_request")
    assert _ids(turn) == ["machine"]
    assert turn.state.times_asked == 1
    assert turn.listen.expects_reply


def test_a_question_is_asked_twice_in_a_row_and_then_given_up(flow: Flow) -> None:
    call = _call(flow)
    assert _ids(_run(call, NoInput(), NoInput())) == ["hello_again"]
    turn = _run(call, NoInput(), NoInput(), NoInput())
    assert (turn.state.outcome, _ids(turn)) == ("left", [])
    assert turn.taken == ("fallbacks.silence", "fallbacks.repeated", "states.left")


def test_what_is_observed_is_kept_and_decides_nothing(flow: Flow) -> None:
    turn = _run(_call(flow), "angry")
    assert turn.state.facts["mood"] == "cross"
    assert turn.state.last_intent == "angry"


def test_a_state_says_how_long_it_waits(flow: Flow) -> None:
    assert _run(_call(flow)).listen.no_input_ms == 2500


def test_what_may_be_personal_is_told_apart(flow: Flow) -> None:
    assert flow.private_facts == {"caller_number": "15550100"}  # what logs say instead


def test_a_state_of_another_form_is_refused(flow: Flow) -> None:
    body = _call(flow).open().model_dump()
    with pytest.raises(ValueError, match="form"):
        State.model_validate({**body, "form": 1})
