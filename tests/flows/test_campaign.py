"""The campaign flow: its transition table, its outcomes in their order, and its wording."""

from datetime import datetime
from itertools import combinations
from pathlib import Path

import pytest
import yaml

from appliance.dialogue.events import EngineFailed, HungUp, ToolDone
from appliance.dialogue.routes import routes
from appliance.dialogue.schema import ActionState, Decision
from appliance.dialogue.turn import Listen
from appliance.flows.coverage import Coverage
from appliance.flows.registry import flow_folder, load_flow
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.suite import scenario_files, text_call
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Understanding

FLOW = load_flow("campaign")
FOLDER: Path = flow_folder("campaign")
ACCOUNTS = yaml.safe_load((FOLDER / "accounts.example.yaml").read_text("utf-8"))
FILES = {path.name: load_scenarios(path) for path in scenario_files(FLOW)}
NLU = RuleUnderstander()
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")

TABLE = """
GREETING | YES/GREETING | QUALIFICATION | -
GREETING | NO | GOODBYE | DECLINED
GREETING | UNCERTAIN | OBJECTION_HANDLING | -
GREETING | REQUEST_HUMAN | TRANSFER | TRANSFER_TO_HUMAN
QUALIFICATION | YES | CLOSING | -
QUALIFICATION | NO | GOODBYE | DECLINED
QUALIFICATION | CALLBACK | GOODBYE | CALLBACK_REQUESTED
QUALIFICATION | UNCERTAIN/OBJECTION | OBJECTION_HANDLING | -
OBJECTION_HANDLING | YES | CLOSING | -
OBJECTION_HANDLING | NO/MAX | GOODBYE | NOT_INTERESTED
CLOSING | CONFIRMED | GOODBYE | SUCCESS
*any* | MAX_TURNS | GOODBYE | MAX_TURNS_REACHED
*any* | LLM_ERROR x2 | GOODBYE | ERROR
""".strip().splitlines()
"""The state transition table of the design, row by row."""

EDGES = [
    ("greeting", "affirmation", "qualification"),
    ("greeting", "greeting", "qualification"),
    ("greeting", "uncertain", "objection_handling"),
    ("greeting", "negation", "goodbye"),
    ("greeting", "human_request", "transfer"),
    ("qualification", "affirmation", "closing"),
    ("qualification", "uncertain", "objection_handling"),
    ("qualification", "objection", "objection_handling"),
    ("qualification", "negation", "goodbye"),
    ("qualification", "callback_request", "goodbye"),
    ("qualification", "human_request", "transfer"),
    ("objection_handling", "affirmation", "closing"),
    ("objection_handling", "negation", "goodbye"),
    ("objection_handling", "human_request", "transfer"),
    ("closing", "affirmation", "recording"),  # stores the result, then goes to goodbye
]
"""The arrows of the design's diagram, by the intent on them."""

OUTCOMES = [
    "success", "declined", "not_interested", "callback_requested", "transfer_to_human",
    "max_turns_reached", "error", "unknown",
]  # fmt: skip

ORDER = [
    ("stopped", "declined"),
    ("failing", "error"),
    ("callback_requested", "callback_requested"),
    ("confirmed", "success"),
    ("transfer_requested", "transfer_to_human"),
    ("out_of_turns", "max_turns_reached"),
    ("not_interested", "not_interested"),
    ("declined", "declined"),
]
"""What decides the outcome, first to last; whatever else holds besides."""


def _understand(text: str, listen: Listen) -> Understanding:
    return NLU.understand(text, Context.of(listen))


def _call(call_id: str = "call-1", seed: str | None = None) -> TextCall:
    bound = FLOW.bind(call_id, ACCOUNTS["default"], seed=seed)
    return TextCall(bound, _understand, lambda: NOW)


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, each in FILES.items() for name in each]
)
def test_scenario(file: str, name: str) -> None:
    scenarios = FILES[file]
    call = text_call(FLOW, scenarios[name], ACCOUNTS, _understand)
    for turn in play(scenarios[name], scenarios, call):
        assert turn.state.ended == (turn.state.outcome is not None)


def test_scenarios_take_every_way() -> None:
    coverage = Coverage(FLOW)
    for scenarios in FILES.values():
        for scenario in scenarios.values():
            for turn in play(scenario, scenarios, text_call(FLOW, scenario, ACCOUNTS, _understand)):
                coverage.add(turn)
    for kind in ("states", "routes", "prompts"):
        assert coverage.missing(kind) == []


@pytest.mark.parametrize("row", TABLE)
def test_every_row_of_the_table_is_a_scenario(row: str) -> None:
    """The scenario of that name comes to the row's state, with the row's outcome."""
    origin, _, target, outcome = row.split(" | ")
    scenario = FILES["scenarios.yaml"][row]
    call = text_call(FLOW, scenario, ACCOUNTS, _understand)
    turns = list(play(scenario, FILES["scenarios.yaml"], call))
    begun = len(turns) - len(scenario.steps)  # the steps of the scenarios before it
    if origin != "*any*":
        assert turns[begun - 1].state.current == origin.lower()
    passed = [place for turn in turns[begun:] for place in turn.taken]
    assert f"states.{target.lower()}" in passed
    if outcome == "-":
        assert call.state.current == target.lower()
        assert call.state.outcome is None
    else:
        assert scenario.outcome == call.state.outcome == outcome.lower()


@pytest.mark.parametrize(("origin", "intent", "target"), EDGES)
def test_every_arrow_of_the_diagram_is_a_route(origin: str, intent: str, target: str) -> None:
    state = FLOW.spec.states[origin]
    assert isinstance(state, Decision)
    route = FLOW.spec.universal.get(intent) or state.on[intent]
    targets = {route.goto} if route.goto else {each.goto for each in route.on.values()}
    assert targets == {target}


def test_too_many_objections_lead_to_goodbye() -> None:
    past = FLOW.spec.counters["objections"].past
    assert past is not None
    assert (past.goto, past.set) == ("goodbye", {"not_interested": True})


def test_the_outcomes_are_those_of_the_design() -> None:
    assert list(FLOW.spec.outcomes) == OUTCOMES


def test_the_outcome_is_decided_in_one_place() -> None:
    ends = {name for name, each in FLOW.spec.states.items() if each.kind == "terminal"}
    assert ends == {"outcome_computed"}
    into = [at[:3] for at, route in routes(FLOW.spec) if route.goto in ends]
    assert set(into) == {("states", "determine_outcome", "then")}


FLAGS = [name for name, _ in ORDER]
SUBSETS = [set(some) for size in range(len(FLAGS) + 1) for some in combinations(FLAGS, size)]


def test_the_order_of_outcomes_whatever_else_holds() -> None:
    """Every combination of what a call can have come to: the first in the order decides."""
    assert len(SUBSETS) == 2 ** len(ORDER)
    for held in SUBSETS:
        call = _call()
        waiting = call.flow.open().model_copy(
            update={
                "current": "nobody_free", "phase": "transfer", "doing": 1,
                "reason": "transfer_to_human", "facts": dict.fromkeys(held, True),
            }
        )  # fmt: skip
        call._state = waiting
        ended = call.take(ToolDone("create_callback_request", "done")).state
        expected = next((outcome for flag, outcome in ORDER if flag in held), "unknown")
        assert ended.outcome == expected, held


def test_a_caller_who_hangs_up_anywhere_ends_with_an_outcome() -> None:
    for name, state in FLOW.spec.states.items():
        if not isinstance(state, Decision | ActionState) or name == "determine_outcome":
            continue
        call = _call()
        call._state = call.flow.open().model_copy(
            update={"current": name, "reason": "unknown", "doing": int(not hasattr(state, "ask"))}
        )
        turn = call.take(HungUp())
        assert (turn.state.outcome, turn.say) == ("unknown", ()), name


def test_two_failures_end_the_call_however_far_apart() -> None:
    call = _call()
    call.starts()
    call.says("yes")
    call.take(EngineFailed("nlu"))
    for words in ("say that again please", "yes", "who is this"):
        assert not call.says(words).state.ended
    turn = call.take(EngineFailed("nlu"))
    assert [action.name for action in turn.actions] == ["create_callback_request"]
    ended = call.tool("create_callback_request", "failed")
    assert ended.state.outcome == "error"
    assert [prompt.id for prompt in ended.say] == ["box_failed", "callback_not_stored", "goodbye"]


def _words(call_id: str, seed: str | None) -> list[list[str]]:
    """All that is said, word for word, in every English dialogue of the flow."""
    said = []
    scenarios = FILES["scenarios.yaml"]
    for scenario in scenarios.values():
        if not scenario.languages:
            call = _call(call_id, seed)
            said.append([p.text for turn in play(scenario, scenarios, call) for p in turn.say])
    return said


def test_with_a_seed_every_call_is_the_same_word_for_word() -> None:
    first = _words("call-1", "7")
    assert first == _words("call-2", "7") == _words("call-3", "7")
    assert _words("call-1", None) != _words("call-2", None)
    assert first != _words("call-1", "8")


def test_no_line_of_a_failure_pretends_to_be_a_person() -> None:
    """Of the design's lines those are left out that only a person could say."""
    for language, pretence in (("en", ("step away", "note that down")), ("es", ("ausentarme",))):
        texts = " ".join(
            text for each in FLOW.templates[language].values() for text in each.shown
        )  # fmt: skip
        assert not [words for words in pretence if words in texts]


def test_each_state_has_words_of_its_own_for_a_failure() -> None:
    asked = set()
    for name, state in FLOW.spec.states.items():
        if isinstance(state, Decision):
            route = state.on.get("engine_failed", FLOW.spec.fallbacks.engine_failed)
            assert route.count == "errors"
            asked.add(str(route.ask))
            assert len(FLOW.templates["en"][str(route.ask)].variants) >= 2, name
    assert len(asked) == 4
    assert FLOW.spec.counters["errors"].limit == 2
    assert FLOW.spec.counters["errors"].reset == "never"
