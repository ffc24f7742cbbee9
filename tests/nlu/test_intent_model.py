"""The shipped model does what its card says, and knows what the flows ask for."""

import json
from pathlib import Path

import pytest

from appliance.config import UnderstandingConfig
from appliance.dialogue.intents import INTENTS
from appliance.nlu.hybrid import RulesAndModel
from appliance.nlu.loading import open_model
from appliance.nlu.model import CONTENT, IntentModel
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.training.evaluation import Evaluation, evaluate
from appliance.training.examples import read_examples
from appliance.training.judging import by_understander
from appliance.types import Language

FOLDER = Path(__file__).resolve().parents[2] / "models/intent"
FIGURES = json.loads((FOLDER / "figures.json").read_text("utf-8"))["together"]
MARGIN = 0.03
"""A third of the examples, on another processor, may differ by so much from all of them."""


@pytest.fixture(scope="module")
def model() -> IntentModel:
    return open_model(UnderstandingConfig(model=FOLDER))


@pytest.fixture(scope="module")
def both(model: IntentModel) -> RulesAndModel:
    return RulesAndModel(RuleUnderstander(), model)


@pytest.fixture(scope="module")
def found(both: RulesAndModel) -> Evaluation:
    return evaluate(read_examples(FOLDER / "data/heldout")[::3], by_understander(both))


def test_it_knows_every_intent_and_nothing_else(model: IntentModel) -> None:
    assert set(model.classifier.labels) == {*INTENTS, CONTENT}


def test_it_is_as_good_as_its_card_says(found: Evaluation) -> None:
    assert found.first > FIGURES["all"]["accuracy"] - MARGIN
    assert found.guarded_recall > FIGURES["all"]["guarded_recall"] - MARGIN
    assert found.false_alarms < FIGURES["all"]["guarded_false_alarms"] + 0.01
    assert found.calibration < 0.1


def test_its_files_stay_small() -> None:
    files = [FOLDER / name for name in ("encoder.onnx", "tokenizer.json", "classifier.npz")]
    assert sum(path.stat().st_size for path in files) < 30e6


@pytest.mark.parametrize(
    ("text", "language", "intents"),
    [
        ("yes but call me tomorrow", "en", ["callback_request", "affirmation"]),
        ("thanks bye", "en", ["goodbye", "thanks"]),
        ("sí pero llámeme mañana", "es", ["callback_request", "affirmation"]),
        ("how do i get off this list of yours", "en", ["stop_request"]),
        ("what is the capital of france", "en", []),
        ("cuál es la capital de francia", "es", []),
    ],
)
def test_several_intents_or_none(
    both: RulesAndModel, text: str, language: Language, intents: list[str]
) -> None:
    heard = both.understand(text, Context(None, language))
    assert [intent.name for intent in heard.intents if intent.confidence >= 0.5] == intents
    assert heard.out_of_scope is not bool(intents)


@pytest.mark.parametrize("text", ["friday", "fifty dollars", "ninety two ten", "the fifteenth"])
@pytest.mark.parametrize("slot", ["date", "amount", "yes_no", None])
def test_a_bare_value_is_no_intent(both: RulesAndModel, text: str, slot: str) -> None:
    heard = both.understand(text, Context(slot)).intents  # type: ignore[arg-type]
    assert not [intent for intent in heard if intent.confidence >= 0.5]
