"""The collections flow: written dialogues, and random walks that must keep its promises."""

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.dialogue.engine import replay
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
from appliance.dialogue.intents import INTENTS
from appliance.dialogue.turn import Listen, State, Turn
from appliance.errors import ConfigError
from appliance.flows.coverage import Coverage
from appliance.flows.registry import load_flow
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.suite import scenario_files, text_call
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Intent, Understanding

HERE = Path(__file__).parent
FLOW = load_flow("collections")
ACCOUNTS = yaml.safe_load(
    (HERE.parents[1] / "appliance/flows/collections/accounts.example.yaml").read_text()
)
ACCOUNT = ACCOUNTS["default"]
SCENARIOS = {
    name: scenario
    for path in scenario_files(FLOW)
    for name, scenario in load_scenarios(path).items()
}
NLU = RuleUnderstander()
NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")  # a Wednesday
SECRET_WORDS = ("debt", "owe", "balance", "account", "collect", "pay", "creditor", "lakeside",
                "furniture", "two hundred", "dollar", "deuda", "saldo", "cuenta", "pagar", "pago",
                "acreedor", "cobr", "dólar", "doscientos")  # fmt: skip


def _call(now: datetime = NOW) -> TextCall:
    return TextCall(FLOW.bind("call-1", ACCOUNT), _understand, lambda: now)


def _understand(text: str, listen: Listen) -> Understanding:
    return NLU.understand(text, Context.of(listen))


def _assert_turn_is_lawful(turn: Turn) -> None:
    """What must hold for every turn of every call."""
    state = turn.state
    if state.facts.get("right_party_verified") is not True:
        said = turn.text.lower()
        assert not [word for word in SECRET_WORDS if word in said], said
    assert State.model_validate_json(state.model_dump_json()) == state
    for secret in ("expected_zip", "balance", "creditor", "full_name", "account_id"):
        assert ACCOUNT[secret] not in state.model_dump_json()
    assert state.ended == (state.outcome is not None)
    assert state.turns <= FLOW.spec.max_turns
    if state.ended:
        assert state.outcome in FLOW.spec.outcomes


def _assert_replays(call: TextCall) -> None:
    """The redacted log gives the same turns, without the ZIP in log or account."""
    log = [
        serialize_event(event, turn.checked, call.flow.private_words())
        for event, turn in zip(call.events, call.turns, strict=True)
    ]
    assert not [key for key, value in ACCOUNT.items() if value in str(log)]
    account = {**ACCOUNT, "expected_zip": "00000"}  # replay must not need the real one
    entries = [(call.now(), parse_event(entry)) for entry in log]
    again = FLOW.bind(call.flow.call_id, account, call.flow.language, languages=call.flow.languages)
    assert list(replay(again, entries)) == call.turns


@pytest.mark.parametrize("name", [name for name, each in SCENARIOS.items() if each.outcome])
def test_scenario(name: str) -> None:
    call = text_call(FLOW, SCENARIOS[name], ACCOUNTS, _understand)
    for turn in play(SCENARIOS[name], SCENARIOS, call):
        _assert_turn_is_lawful(turn)
    if not any(step.last_turn for step in SCENARIOS[name].steps):  # those skip turns
        _assert_replays(call)


def test_every_outcome_is_reached_by_a_scenario() -> None:
    written = {scenario.outcome for scenario in SCENARIOS.values()}
    assert written | {"max_turns"} >= set(FLOW.spec.outcomes)


def test_the_scenarios_cover_every_state_route_and_prompt() -> None:
    coverage = Coverage(FLOW)
    for scenario in SCENARIOS.values():
        call = text_call(FLOW, scenario, ACCOUNTS, _understand)
        for turn in play(scenario, SCENARIOS, call):
            coverage.add(turn)
    for kind in ("states", "routes", "prompts"):
        assert coverage.missing(kind) == []


def test_the_call_ends_at_its_turn_limit() -> None:
    call = _call()
    call.starts()
    for turn in range(FLOW.spec.max_turns):
        assert not call.state.ended
        call.says("hello" if turn % 2 else "no")
    assert call.state.outcome == "max_turns"
    assert call.turns[-1].say[-1].id == "too_long"


def test_a_stop_request_in_the_last_turn_is_acted_on() -> None:
    call = _call()
    call.starts()
    for turn in range(FLOW.spec.max_turns - 1):
        call.says("hello" if turn % 2 else "no")
    turn = call.says("stop calling me")
    assert [action.name for action in turn.actions] == ["mark_do_not_contact"]
    call.tool("mark_do_not_contact", "done")
    assert call.state.outcome == "cease_contact"


def test_only_the_mini_miranda_is_uninterruptible() -> None:
    uninterruptible = [t.id for t in FLOW.templates["en"].values() if t.uninterruptible]
    assert uninterruptible == ["mini_miranda"]


def test_every_example_account_binds() -> None:
    for number, account in ACCOUNTS.items():
        assert FLOW.bind("c", account).account_id, number
        assert len(account["expected_zip"]) == 5


UTTERANCES = [
    "yes", "no", "nine oh two one oh", "nine oh two one one", "nine oh", "friday", "next friday",
    "fifty dollars", "the full amount tomorrow", "next month", "payday", "I can't pay",
    "I will never pay", "stop calling", "a human please", "bye", "wrong number", "hold on",
    "I'm busy", "call me back", "are you a robot", "who is this", "how much is it", "hello", "um",
    "purple elephants", "that's not my debt", "say that again", "five hundred dollars", "half",
    "no, on the thirtieth", "why", "I won't tell you that", "she's not here", "",
]  # fmt: skip

events = st.one_of(
    st.sampled_from(UTTERANCES),
    st.builds(
        lambda names, scores, digits: Heard(
            Understanding(
                f"the zip is {digits}",
                tuple(map(Intent, names, scores)),
                {"digits": digits, "date": "tomorrow", "amount": "1.00"},
            )
        ),
        st.lists(st.sampled_from(sorted(INTENTS)), max_size=3),
        st.lists(st.floats(0, 1), min_size=3, max_size=3),
        st.sampled_from(["90210", "12345", ""]),
    ),
    st.builds(Digits, st.text("0123456789*#", max_size=9)),
    st.builds(Digits, st.just("90210")),
    st.builds(NoInput),
    st.builds(EngineFailed, st.sampled_from(["stt", "nlu", "tts"])),
    st.builds(
        ToolDone,
        st.sampled_from(sorted(FLOW.spec.tools)),
        st.sampled_from(["done", "failed", "other"]),
    ),
    st.sampled_from([CallStarted()]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(events, max_size=60), st.dates(NOW.date(), NOW.date() + timedelta(days=400)))
def test_random_walks_keep_the_promises(walk: list[str | Event], day: date) -> None:
    call = _call(datetime.combine(day, NOW.time(), NOW.tzinfo))
    call.starts()
    for event in walk:
        turn = call.says(event) if isinstance(event, str) else call.take(event)
        _assert_turn_is_lawful(turn)
    _assert_replays(call)
    counted = [e for e in walk if not isinstance(e, ToolDone | CallStarted)]
    waits = call.state.doing  # a tool that never answers is the host's to end
    assert call.state.ended or waits or len(counted) < FLOW.spec.max_turns
    call.hangs_up()
    assert call.state.ended
    keys = [action.key for turn in call.turns for action in turn.actions]
    assert len(keys) == len(set(keys))
    ends = [a for turn in call.turns for a in turn.actions if a.name == "end_call"]
    assert len(ends) == 1
    closed = call.says("hello")
    assert (closed.reply, closed.say, closed.actions) == ("already_closed", (), ())


def test_a_share_of_a_secret_is_a_secret() -> None:
    for name in ("confirm_promise", "promise_set"):
        assert FLOW.templates["en"][name].after == {"right_party_verified"}


@pytest.mark.parametrize("value", [None, 2139, "2139", "021390", "x"])
def test_an_account_without_a_good_zip_is_refused_before_any_call(value: object) -> None:
    with pytest.raises(ConfigError, match="expected_zip: must be text of the form") as error:
        FLOW.bind("call-1", {**ACCOUNT, "expected_zip": value})
    assert "021390" not in str(error.value)
