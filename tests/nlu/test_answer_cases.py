"""Yes and no in all their forms: every case of the suites, all right."""

from pathlib import Path
from typing import get_args

import pytest
import yaml

from appliance.dialogue.checks import CONFIDENT
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)
NLU = RuleUnderstander()
ANSWERS = {"affirmation": "yes", "negation": "no"}


def suite(language: Language) -> dict[str, list[str]]:
    path = Path(__file__).parent / f"cases/answers.{language}.yaml"
    table: dict[str, list[str]] = yaml.safe_load(path.read_text("utf-8"))
    return table


CASES = [
    (language, said, meant)
    for language in LANGUAGES
    for meant, says in suite(language).items()
    for said in says
]


@pytest.mark.parametrize(("language", "said", "meant"), CASES)
def test_an_answer_is_a_yes_a_no_or_neither(language: Language, said: str, meant: str) -> None:
    intents = NLU.understand(said, Context("yes_no", language)).intents
    sure = (ANSWERS.get(each.name) for each in intents if each.confidence >= CONFIDENT)
    assert [each for each in sure if each] == ([] if meant == "neither" else [meant])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_suite_is_large(language: Language) -> None:
    table = suite(language)
    assert sum(map(len, table.values())) >= 250
    assert min(map(len, table.values())) >= 25
