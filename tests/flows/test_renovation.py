"""The renovation flow: two personas, transfers by rule, notes, approved answers."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.checks import CheckInput
from appliance.dialogue.engine import replay
from appliance.dialogue.events import (
    EngineFailed,
    Event,
    Heard,
    NoInput,
    ToolDone,
    parse_event,
    serialize_event,
)
from appliance.dialogue.intents import INTENTS
from appliance.dialogue.turn import Listen, Turn
from appliance.flows.coverage import Coverage
from appliance.flows.registry import flow_folder, load_flow, read_flow
from appliance.flows.renovation.intake import own_words, read_plan
from appliance.flows.renovation.personas import ALICE, BOB, PERSONAS
from appliance.flows.renovation.questions import is_question
from appliance.flows.renovation.transfers import TransferReader
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.suite import scenario_files, text_call
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Intent, Understanding

HERE = Path(__file__).parent
FLOW = load_flow("renovation")
ACCOUNT = {"company": "Hearth and Home"}
ACCOUNTS = {"default": ACCOUNT}
SCENARIOS = {
    name: scenario
    for path in scenario_files(FLOW)
    for name, scenario in load_scenarios(path).items()
}
TRANSFERS = [
    (row.get("at", "bob"), said, row["wanted"])
    for row in yaml.safe_load((HERE / "transfers.yaml").read_text(encoding="utf-8"))
    for said in row["says"]
]
READER = TransferReader(PERSONAS)
NLU = RuleUnderstander()
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
LARGEST_STATE = 8_000
"""Bytes of the state of a call at most, whatever is said: docs/renovation.md."""


def _understand(text: str, listen: Listen) -> Understanding:
    return NLU.understand(text, Context.of(listen))


def _call() -> TextCall:
    return TextCall(FLOW.bind("call-1", ACCOUNT), _understand, lambda: NOW)


def _after(*said: str) -> TextCall:
    call = _call()
    call.starts()
    for text in said:
        call.says(text)
    return call


PLAN = (
    "I want to remodel our kitchen and take out a wall",
    "more space",
    "forty thousand dollars",
    "this spring",
    "my wife and two children",
)


# --- Transfers by rule ---


@pytest.mark.parametrize(("here", "said", "wanted"), TRANSFERS)
def test_who_is_asked_for(here: str, said: str, wanted: str) -> None:
    assert READER.read(said, here).value == wanted


def test_the_table_is_large_and_has_every_reading() -> None:
    assert len(TRANSFERS) >= 120
    for wanted in ("to_other", "to_self", "to_unknown", "none"):
        assert sum(each == wanted for _, _, each in TRANSFERS) >= 12


@pytest.mark.parametrize(("here", "said", "wanted"), TRANSFERS)
def test_what_is_read_is_what_the_flow_does(here: str, said: str, wanted: str) -> None:
    call = _after(*PLAN, *(["switch agents"] if here == "alice" else []))
    before, notes = call.state.facts.get("persona", "bob"), len(call.state.notes)
    assert before == here
    turn = call.says(said)
    moved = turn.state.facts.get("persona", "bob") != before
    assert moved == (wanted == "to_other")
    assert len(turn.state.notes) == notes + moved
    said_here = {prompt.id for prompt in turn.say}
    assert (wanted == "to_unknown") == ("who_is_there" in said_here)
    assert (wanted == "to_self") == bool(said_here & {"bob_is_here", "alice_is_here"})


def test_personas_are_the_voices_of_the_flow_and_share_its_topics() -> None:
    assert tuple(each.name for each in PERSONAS) == FLOW.spec.voices
    topics = {each.topic for each in FLOW.passages["en"].values()}
    assert topics == {*BOB.topics, *ALICE.topics}
    assert not set(BOB.topics) & set(ALICE.topics)


@pytest.mark.parametrize("bye", ["bye", "that's all", "no"])
def test_goodbye_is_said_by_whoever_spoke(bye: str) -> None:
    assert _after(*PLAN, bye).turns[-1].say[-1].voice == "bob"
    with_alice = _after(*PLAN, "switch agents", "yes", bye)
    assert with_alice.state.ended
    assert with_alice.turns[-1].say[-1].voice == "alice"


@pytest.mark.parametrize(("moves", "voice"), [([], "bob"), (["switch agents", "yes"], "alice")])
@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_what_came_of_a_wish_is_said_by_whoever_heard_it(
    moves: list[str], voice: str, outcome: str
) -> None:
    asked = _after(*PLAN, *moves, "I want to talk to a human")
    asked.tool("escalate_to_human", "failed")
    promised = asked.tool("schedule_callback", outcome)
    assert {prompt.voice for prompt in promised.say} == {voice}
    stopped = _after(*PLAN, *moves, "stop calling me").tool("mark_do_not_contact", outcome)
    assert {prompt.voice for prompt in stopped.say} == {voice}


@pytest.mark.parametrize(
    ("said", "project"),
    [
        ("actually not the kitchen, the bathroom", "bathroom"),
        ("the bathroom and the kitchen, not the basement", "kitchen and bathroom"),
    ],
)
def test_a_room_that_it_is_not_is_no_room(said: str, project: str) -> None:
    given = CheckInput(ACCOUNT, _understand(said, Listen()), {}, NOW)
    assert read_plan(given, asked="project")["project"] == project


@pytest.mark.parametrize("said", ["you are an idiot", "this is a nice house", "you are a fool"])
def test_a_statement_is_no_question(said: str) -> None:
    assert not is_question(CheckInput(ACCOUNT, _understand(said, Listen()), {}, NOW))


@pytest.mark.parametrize("said", ["does a deck need a permit", "is a beam needed", "is it loud"])
def test_a_question_is_one(said: str) -> None:
    assert is_question(CheckInput(ACCOUNT, _understand(said, Listen()), {}, NOW))


# --- Suggestions ---


@pytest.mark.parametrize(
    "reply",
    ["no", "hello", "maybe later", "I don't know", "what", "how do I find a contractor",
     "don't transfer me", "my budget is ten thousand dollars", "are you a robot", "hold on",
     "transfer me to Charlie", "transfer me to Bob", "the weather is nice"],
)  # fmt: skip
def test_a_suggestion_transfers_nobody_by_itself(reply: str) -> None:
    call = _after(*PLAN, "I have a question about permits")
    assert call.state.current == "bob_offers_alice"
    for turn in (call.says(reply), call.is_silent()):
        assert turn.state.notes == ()
        assert "persona" not in turn.state.facts


@pytest.mark.parametrize("reply", ["yes", "sure please", "Alice please", "transfer me to Alice",
                                   "put her on, yes", "connect me"])  # fmt: skip
def test_a_suggestion_that_is_followed_brings_the_answer(reply: str) -> None:
    call = _after(*PLAN, "do I need a permit to remove a wall")
    turn = call.says(reply)
    brought = next(prompt for prompt in turn.say if prompt.id == "alice_brings")
    assert brought.voice == "alice"
    assert brought.text.endswith(FLOW.passages["en"]["permit_wall"].text)
    assert turn.state.facts["topics"] == "permits"


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("I have a question about permits", "permits"),
        ("is this wall load bearing", "structural work"),
        ("which tiles should I use", "materials"),
        ("what does a deck cost", "costs"),
        ("could there be asbestos", "safety"),
        ("in what order should the work be done", "the order of the work"),
        ("I wonder about zoning", "permits"),
    ],
)
def test_what_is_alices_is_offered_by_bob(asked: str, topic: str) -> None:
    call = _after(*PLAN, asked)
    assert (call.state.current, call.state.facts["topic"]) == ("bob_offers_alice", topic)


def test_what_is_bobs_is_offered_by_alice() -> None:
    call = _after(*PLAN, "switch agents", "I don't know", "how long does the kitchen take")
    assert (call.state.current, call.state.facts["topic"]) == ("alice_offers_bob", "the timeline")


# --- Notes and memory ---


def test_each_transfer_writes_what_the_next_one_must_know() -> None:
    call = _after(*PLAN, "put Alice on")
    [note] = call.state.notes
    assert (note.by, note.to) == ("bob", "alice")
    assert note.summary == (
        "The plan: kitchen. Budget about forty thousand dollars. Time: this spring. "
        "A wall may come out."
    )
    assert note.key_facts == {
        "project": "kitchen",
        "goals": "more space",
        "budget": "40000.00",
        "timeline": "this spring",
        "household": "my wife and two children",
        "wall": "may come out",
    }
    assert note.open_questions == ("load_bearing",)
    assert len(note.recommendations) == 3


def test_what_is_not_known_is_an_open_question() -> None:
    [note] = _after("the kitchen", "put Alice on").state.notes
    assert note.open_questions == ("budget", "timeline", "household", "load_bearing")


def test_bobs_first_words_use_both_notes() -> None:
    call = _after(*PLAN, "put Alice on", "yes it does", "what does a kitchen cost", "back to Bob")
    first, second = call.state.notes
    words = call.turns[-1].text
    assert first.key_facts["project"] == "kitchen"
    assert second.summary == "We talked about costs. The wall: it carries load."
    for told in ("the kitchen", "forty thousand dollars", "costs", "it carries load"):
        assert told in words


def test_topics_accumulate_each_once() -> None:
    call = _after("switch agents", "what does a deck cost", "is there asbestos in my floor tiles",
                  "what does a roof cost", "do I need a permit for a deck")  # fmt: skip
    assert call.state.facts["topics"] == "costs, safety and permits"


def test_unanswered_questions_are_kept_the_last_three_of_them() -> None:
    call = _after(
        *PLAN, *(f"who is the king of country number {n}" for n in ["one", "two", "three", "four"])
    )
    kept = str(call.state.facts["unanswered"]).split(" | ")
    assert [each.rsplit(" ", 1)[1] for each in kept] == ["two", "three", "four"]


def test_the_state_of_a_long_call_stays_small() -> None:
    long = "we would like to have it nicer and brighter and larger than ever before " * 5
    plan = ("I want to remodel the dining room and the living room in three months", long,
            "nine hundred ninety nine thousand dollars", f"{long} and take out a wall")  # fmt: skip
    call = _after(*plan, "switch agents", "no it does not")
    for _ in range(5):
        for asked in ("what paint should I use", "what does a roof cost", "is there asbestos",
                      "what comes first", f"who is the king of {long}"):  # fmt: skip
            call.says(asked)
        call.says("switch agents")
    sizes = [len(turn.state.model_dump_json()) for turn in call.turns]
    assert call.state.turns > 30
    assert len(call.state.notes) == 6
    assert max(sizes) < LARGEST_STATE


def test_six_transfers_and_their_notes_are_bounded() -> None:
    call = _after(*PLAN, *["switch agents"] * 12)
    assert len(call.state.notes) == 6
    assert call.state.facts["persona"] == "bob"
    assert max(len(turn.state.model_dump_json()) for turn in call.turns) < LARGEST_STATE


# --- All written dialogues ---


def _assert_turn_is_lawful(turn: Turn, before: Turn | None) -> None:
    notes = before.state.notes if before else ()
    assert turn.state.notes[: len(notes)] == notes
    here = turn.state.current.partition("_")[0]
    if here in ("bob", "alice") and turn.say:
        assert turn.say[-1].voice == here
    assert turn.state.turns <= FLOW.spec.max_turns
    assert len(turn.state.model_dump_json()) < LARGEST_STATE


def _assert_replays(call: TextCall) -> None:
    """The log gives the same turns; what is personal in it is invented."""
    hidden, private = FLOW.private_facts, call.flow.private_words()
    log = [
        serialize_event(event, turn.checked, private, hidden)
        for event, turn in zip(call.events, call.turns, strict=True)
    ]
    told = {name: call.state.facts[name] for name in hidden if name in call.state.facts}
    for entry in log:
        for checked in entry.get("checked", ()):
            for name, value in checked["facts"].items():
                assert name not in told or value == hidden[name]
    entries = [(NOW, parse_event(entry)) for entry in log]
    again = list(replay(FLOW.bind("call-1", ACCOUNT), entries))
    assert [turn.state.current for turn in again] == [turn.state.current for turn in call.turns]
    prompts = [[prompt.id for prompt in turn.say] for turn in call.turns]
    assert [[prompt.id for prompt in turn.say] for turn in again] == prompts


@pytest.mark.parametrize("name", [name for name, each in SCENARIOS.items() if each.outcome])
def test_scenario(name: str) -> None:
    call = text_call(FLOW, SCENARIOS[name], ACCOUNTS, _understand)
    before = None
    for turn in play(SCENARIOS[name], SCENARIOS, call):
        _assert_turn_is_lawful(turn, before)
        before = turn
    if not any(step.last_turn for step in SCENARIOS[name].steps):  # those skip turns
        _assert_replays(call)


def test_the_scenarios_cover_every_state_route_and_prompt() -> None:
    coverage = Coverage(FLOW)
    for scenario in SCENARIOS.values():
        for turn in play(scenario, SCENARIOS, text_call(FLOW, scenario, ACCOUNTS, _understand)):
            coverage.add(turn)
    for kind in ("states", "routes", "prompts"):
        assert coverage.missing(kind) == []


# --- Planted faults: each must be refused ---

FAULTS = [
    (
        "an offer that transfers by itself",
        "flow.yaml",
        "read_bobs_aside.for_other: {set: {offer: open}, goto: bob_offers_alice}",
        "read_bobs_aside.for_other: {set: {offer: open}, goto: alice_arrives}",
        "alice_arrives is entered before connecting_alice was said",
    ),
    (
        "transfers without end",
        "flow.yaml",
        "    then:\n      count: transfers\n      note: to_alice\n",
        "    then:\n      note: to_alice\n",
        "at_most times 3, say connecting_alice",
    ),
    (
        "Bob gives Alice's answers",
        "flow.yaml",
        "read_bobs_aside.answer: {say: bob_answer, goto: bob_goes_on}",
        "read_bobs_aside.answer: {say: alice_answer, goto: bob_goes_on}",
        "alice_answer",
    ),
    (
        "a note's topics said where there are none",
        "prompts.en.yaml",
        "    text: Alice's note says that you talked about {topics}.\n    only_if: topics\n",
        "    text: Alice's note says that you talked about {topics}.\n",
        "before topics is known",
    ),
    (
        "an answer that promises",
        "knowledge/permits.en.yaml",
        "Simple permits can come the same day.",
        "Simple permits come the same day, guaranteed.",
        "words en guarantee*",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "because"),
    [pytest.param(*fault[1:], id=fault[0]) for fault in FAULTS],
)
def test_a_planted_fault_is_refused(
    tmp_path: Path, file: str, old: str, new: str, because: str
) -> None:
    folder = tmp_path / "renovation"
    shutil.copytree(flow_folder("renovation"), folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    verdict = check_flow(read_flow(folder))
    found = [f"{failure.title}: {failure.detail}" for failure in verdict.failures]
    assert any(because in each for each in found), found


# --- What callers tell of their project ---


@pytest.mark.parametrize(
    ("asked", "said", "found"),
    [
        ("", "I want to remodel the kitchen", {"project": "kitchen"}),
        ("", "my kitchen is blue", {}),
        ("project", "my kitchen", {"project": "kitchen"}),
        ("project", "the kitchen and both bathrooms", {"project": "kitchen and bathroom"}),
        ("project", "the whole house", {"project": "whole house"}),
        ("project", "a bedroom in our house", {"project": "bedroom"}),
        ("", "we want to knock down a wall", {"wall": "may come out"}),
        ("", "that wall should go, we take it out", {"wall": "may come out"}),
        ("", "paint the wall", {}),
        ("budget", "forty", {"budget": "40000.00"}),
        ("budget", "fifteen hundred", {"budget": "1500.00"}),
        ("budget", "four hundred dollars", {"budget": "400.00"}),
        ("budget", "twenty five thousand", {"budget": "25000.00"}),
        ("budget", "20k dollars", {"budget": "20000.00"}),
        ("budget", "600 thousand", {"budget": "600000.00"}),
        ("budget", "two hundred square feet", {}),
        ("", "our budget is thirty thousand dollars", {"budget": "30000.00"}),
        ("", "we are forty people", {}),
        ("timeline", "by christmas", {"timeline": "by christmas"}),
        ("timeline", "in six months", {"timeline": "in six months"}),
        ("timeline", "we are not in a hurry", {"timeline": "no hurry"}),
        ("timeline", "right away", {"timeline": "as soon as possible"}),
        ("", "right away", {}),
        ("timeline", "soon", {"timeline": "as soon as possible"}),
        ("timeline", "june", {"timeline": "in june"}),
        ("", "I meant the bathroom, not the kitchen", {"project": "bathroom"}),
    ],
)
def test_facts_of_the_plan(asked: str, said: str, found: dict[str, str]) -> None:
    slot = "amount" if asked == "budget" else None
    understanding = NLU.understand(said, Context(slot))
    assert read_plan(CheckInput({}, understanding, {}, NOW), asked) == found


@pytest.mark.parametrize(
    ("said", "kept"),
    [("two kids", "two kids"), ("nobody", "nobody"), ("um", None), ("no", None), ("", None),
     ("I don't know", None), ("no kids, just me", "no kids, just me"), ("no thank you", None),
     ("no, but it must be done by christmas", None), ("x " * 100, ("x " * 40))],
)  # fmt: skip
def test_own_words_are_kept_unless_they_say_nothing(said: str, kept: str | None) -> None:
    assert own_words(CheckInput({}, NLU.understand(said), {}, NOW)) == kept


# --- Anything at all ---

UTTERANCES = [
    *PLAN, *(said for _, said, _ in TRANSFERS), "yes", "no", "thanks", "bye", "say that again",
    "what does a deck cost", "how long does it take", "who is the king", "give me a checklist",
    "I smell gas", "let me talk to a human", "I don't know", "purple elephants",
    "why do you need that",
]  # fmt: skip
PIECES = ("transfer", "me", "to", "alice", "bob", "charlie", "permit", "wall", "do", "not", "talk")

events = st.one_of(
    st.sampled_from(UTTERANCES),
    st.builds(
        lambda names, words: Heard(
            Understanding(" ".join(words), tuple(Intent(name, 0.9) for name in names))
        ),
        st.lists(st.sampled_from(sorted(INTENTS)), max_size=3),
        st.lists(st.sampled_from(PIECES)),
    ),
    st.builds(NoInput),
    st.builds(EngineFailed, st.sampled_from(["stt", "nlu", "tts"])),
    st.builds(
        ToolDone, st.sampled_from(sorted(FLOW.spec.tools)), st.sampled_from(["done", "failed"])
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(events, max_size=60))
def test_random_calls_keep_the_promises(walk: list[str | Event]) -> None:
    call = _call()
    before = call.starts()
    for event in walk:
        turn = call.says(event) if isinstance(event, str) else call.take(event)
        if not before.state.ended:
            _assert_turn_is_lawful(turn, before)
        before = turn
    call.hangs_up()
    assert call.state.ended
    assert len(call.state.notes) <= 6
    ways = [(note.by, note.to) for note in call.state.notes]
    assert ways == [("bob", "alice"), ("alice", "bob")] * 3 or ways == [
        ("bob", "alice") if n % 2 == 0 else ("alice", "bob") for n in range(len(ways))
    ]
    _assert_replays(call)
