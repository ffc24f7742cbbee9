"""How the rules' word and the model's are put together."""

from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest

from appliance.dialogue.checks import CONFIDENT
from appliance.dialogue.schema import Slot
from appliance.nlu.hybrid import GUARDED, RulesAndModel, merge
from appliance.nlu.model import Classifier, IntentModel, Reading
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Intent

RULES = RuleUnderstander()


def reading(*, outside: bool = False, **intents: float) -> Reading:
    ranked = sorted(intents.items(), key=lambda each: -each[1])
    return Reading(tuple(Intent(*each) for each in ranked), outside)


def merged(by_rule: dict[str, float], model: Reading) -> list[tuple[str, float]]:
    return [(each.name, each.confidence) for each in merge(by_rule, model)]


@pytest.mark.parametrize("name", sorted(GUARDED))
@pytest.mark.parametrize(
    "model",
    [
        reading(),
        reading(outside=True),
        reading(busy=0.99),
        reading(outside=True, busy=0.99),
        reading(content=0.99),
        reading(affirmation=0.99, thanks=0.98),
    ],
    ids=["nothing", "outside", "other", "both", "content", "courtesies"],
)
def test_what_must_not_be_missed_stands_whatever_the_model_says(name: str, model: Reading) -> None:
    assert (name, 0.9) in merged({name: 0.9}, model)


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_the_model_alone_must_be_surer_of_what_ends_a_call(name: str) -> None:
    assert merged({}, reading(**{name: 0.59})) == []
    assert merged({}, reading(**{name: 0.6})) == [(name, 0.6)]
    assert merged({}, reading(outside=True, **{name: 0.99})) == []
    assert merged({"busy": 0.9}, reading(busy=0.9, **{name: 0.59})) == [("busy", 0.9)]


def test_the_model_adds_what_no_rule_found() -> None:
    assert merged({}, reading(dispute=0.7, busy=0.5, angry=0.49)) == [
        ("dispute", 0.7),
        ("busy", 0.5),
    ]
    assert merged({"busy": 0.9}, reading(callback_request=0.8, busy=0.7)) == [
        ("busy", 0.9),
        ("callback_request", 0.8),
    ]


def test_the_surer_of_both_counts() -> None:
    assert merged({"busy": 0.9}, reading(busy=0.95)) == [("busy", 0.95)]
    assert merged({"busy": 0.9}, reading(busy=0.2)) == [("busy", 0.9)]


def test_a_value_is_no_intent() -> None:
    assert merged({}, reading(content=0.99)) == []
    assert merged({"busy": 0.9}, reading(content=0.99)) == [("busy", 0.9)]


def test_out_of_scope_silences_the_model_and_not_the_rules() -> None:
    assert merged({}, reading(outside=True, dispute=0.9)) == []
    assert merged({"busy": 0.9}, reading(outside=True, dispute=0.9)) == [("busy", 0.9)]


def test_courtesies_rank_below_what_is_said_besides() -> None:
    assert merged({"affirmation": 1.0, "busy": 0.85}, reading()) == [
        ("busy", 0.85),
        ("affirmation", 0.8),
    ]
    assert merged({}, reading(thanks=0.99, dispute=0.6)) == [("dispute", 0.6), ("thanks", 0.8)]
    assert merged({"affirmation": 0.8}, reading(affirmation=0.99, dispute=0.9)) == [
        ("dispute", 0.9),
        ("affirmation", 0.8),
    ]


def test_courtesies_alone_are_as_sure_as_they_are() -> None:
    assert merged({"affirmation": 1.0}, reading(thanks=0.95, affirmation=0.9)) == [
        ("affirmation", 1.0),
        ("thanks", 0.95),
    ]


def test_a_rule_that_the_model_denies_loses() -> None:
    found = merged({"busy": 0.93}, reading(dispute=0.9))
    assert found[0] == ("dispute", 0.9)
    assert dict(found)["busy"] < CONFIDENT
    # it does not deny what it holds for possible, and a model that says nothing denies nothing
    assert dict(merged({"busy": 0.93}, reading(dispute=0.9, busy=0.1)))["busy"] == 0.93
    assert merged({"busy": 0.93}, reading(dispute=0.4)) == [("busy", 0.93)]
    assert merged({"busy": 0.93}, reading(content=0.9)) == [("busy", 0.93)]
    assert merged({"busy": 0.93}, reading(outside=True, dispute=0.9)) == [("busy", 0.93)]


def test_what_is_acted_on_first_is_first_where_both_are_said() -> None:
    found = merged({"goodbye": 0.9, "stop_request": 0.6}, reading(dispute=0.95, emergency=0.9))
    assert [name for name, _ in found] == ["emergency", "stop_request", "dispute", "goodbye"]


class Fixed:
    """An encoder that gives the scores of (dispute, stop_request, content)."""

    def __init__(self, *scores: float) -> None:
        self._scores = np.array(scores, np.float32)

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        return self._scores


def both(*scores: float, threshold: float = -np.inf) -> RulesAndModel:
    labels = ("dispute", "stop_request", "content")
    classifier = Classifier(
        labels, np.eye(3, dtype=np.float32), np.zeros(3, np.float32), threshold=threshold
    )
    return RulesAndModel(RULES, IntentModel(Fixed(*scores), classifier))


def test_intents_are_those_of_both() -> None:
    found = both(0, 0, 0).intents
    assert found == RULES.intents
    assert "content" not in found


def test_what_no_rule_knows_is_understood_by_the_model() -> None:
    text = "this paperwork has nothing to do with me whatsoever"
    assert RULES.understand(text).intents == ()
    found = both(3, -3, -3).understand(text)
    assert [each.name for each in found.intents] == ["dispute"]
    assert not found.out_of_scope


def test_the_verdict_needs_that_nothing_is_found() -> None:
    low = both(-5, -5, -5, threshold=0)
    assert low.understand("purple monkeys dishwasher").out_of_scope
    assert not low.understand("stop calling me").out_of_scope
    assert not low.understand("the fifteenth", Context("date")).out_of_scope
    assert not both(3, -3, -3, threshold=0).understand("purple monkeys").out_of_scope


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
def test_silence_is_nothing(text: str) -> None:
    for slot in (None, *get_args(Slot)):
        found = both(9, 9, 9).understand(text, Context(slot))
        assert (found.intents, found.slots, found.out_of_scope) == ((), {}, False)


def test_a_name_is_taken_only_where_the_model_hears_no_refusal() -> None:
    """What the model hears decides whether words can be an answer."""
    context = Context("text")
    assert both(-9, -9, 9).understand("they came with a van", context).slots
    assert both(-9, 9, -9).understand("they came with a van", context).slots == {}


def test_more_than_anybody_says_is_not_read() -> None:
    """The time of rules grows with the square of the text: all of this would take an hour."""
    text, context = "one oh five oak street " * 20_000, Context("address")
    heard = RULES.understand(text, context)
    assert heard.text == text
    assert heard.slots == RULES.understand(text[:1000], context).slots != {}
