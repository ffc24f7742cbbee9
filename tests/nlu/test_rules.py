"""Utterances and what they must mean; what must never be misheard is checked both ways."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.intents import INTENTS
from appliance.dialogue.routing import CONFIDENT
from appliance.nlu.patterns import load_rules
from appliance.nlu.rules import RuleUnderstander, trails_off
from appliance.nlu.understander import Context

GUARDED = {
    "affirmation", "negation", "stop_request", "human_request", "goodbye", "wrong_party", "busy",
    "callback_request", "dispute", "already_paid", "robot_question", "repeat_request",
    "wait_request", "hard_refusal",
}  # fmt: skip
"""Acted on without a question, or in every state: a false alarm changes the call."""

TABLE = yaml.safe_load((Path(__file__).parent / "utterances.yaml").read_text("utf-8"))
CASES = [
    (said, row.get("slot"), row["intent"], set(row.get("also", ())))
    for row in TABLE
    for said in row["says"]
]
NLU = RuleUnderstander()


def _said(text: str, slot: str | None = None) -> set[str]:
    understanding = NLU.understand(text, Context(slot))
    return {intent.name for intent in understanding.intents if intent.confidence >= CONFIDENT}


@pytest.mark.parametrize(("text", "slot", "intent", "also"), CASES)
def test_meaning(text: str, slot: str | None, intent: str | None, also: set[str]) -> None:
    said = _said(text, slot)
    assert intent is None or intent in said
    assert said & GUARDED <= {intent} | also


def test_the_table_is_large_and_covers_every_intent() -> None:
    assert len(CASES) >= 150
    assert {row["intent"] for row in TABLE} - {None} == set(INTENTS)


def test_every_rule_is_for_a_known_intent() -> None:
    assert {rule.intent for rule in load_rules()} <= set(INTENTS)


def test_the_best_intent_comes_first() -> None:
    found = NLU.understand("yes but please stop calling me", Context("yes_no")).intents
    assert [intent.name for intent in found][:2] == ["stop_request", "affirmation"]
    assert list(found) == sorted(found, key=lambda intent: -intent.confidence)


@pytest.mark.parametrize(
    ("text", "slot", "slots"),
    [
        ("nine oh two one oh", "zip", {"digits": "90210"}),
        ("nine oh two one oh", "yes_no", {}),  # not asked for: not read, so not kept
        ("fifty dollars on friday", "yes_no", {"amount": "50.00", "date": "weekday:4"}),
        ("I can pay two hundred on the fifteenth", None, {"amount": "200.00", "date": "day:15"}),
        ("half tomorrow", "amount", {"amount": "half", "date": "tomorrow"}),
        ("I can't pay two hundred but I can do fifty", None, {"amount": "50.00"}),
        ("I don't get paid until the fifteenth", "date", {"date": "day:15"}),
        ("I can't pay on friday", "date", {}),
        ("in two weeks", "amount", {"date": "in_weeks:2"}),
        ("fifty", "amount", {"amount": "50.00"}),
        ("", "zip", {}),
    ],
)
def test_slots(text: str, slot: str, slots: dict[str, str]) -> None:
    assert NLU.understand(text, Context(slot)).slots == slots


@pytest.mark.parametrize(
    ("text", "more"),
    [("yes and", True), ("on the", True), ("nine oh two um", True), ("on friday", False),
     ("yes", False), ("", False)],
)  # fmt: skip
def test_an_utterance_that_trails_off(text: str, more: bool) -> None:
    assert trails_off(text) is more


@given(st.text(max_size=200), st.sampled_from(["zip", "yes_no", "date", "amount", None]))
def test_any_text_is_understood_the_same_twice(text: str, slot: str | None) -> None:
    once = NLU.understand(text, Context(slot))
    assert once == NLU.understand(text, Context(slot))
    assert all(intent.name in INTENTS for intent in once.intents)
