"""Digits, amounts and numbers as people say them: the suites of `cases/`, in both languages."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.nlu.amounts import read_amount
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.numbers import read_digits
from appliance.nlu.quantities import find_numbers
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

CASES = Path(__file__).parent / "cases"
NLU = RuleUnderstander()
AT_LEAST = 250
in_both_languages = pytest.mark.parametrize("language", ["en", "es"])


def _read(suite: str, part: str, language: Language) -> dict[str, Any]:
    suites = yaml.safe_load((CASES / f"{suite}.{language}.yaml").read_text())
    cases: dict[str, Any] = suites[part]
    return cases


def _cases(suite: str, part: str, language: Language) -> Iterator[tuple[str, str]]:
    """Each utterance with what it means."""
    for wanted, said in _read(suite, part, language).items():
        yield from ((str(text), str(wanted)) for text in said)


def _continued(language: Language) -> Iterator[tuple[str, str, str]]:
    """What was said before, an utterance and what both mean."""
    for before, cases in _read("digits", "before", language).items():
        for wanted, said in cases.items():
            yield from ((before, str(text), wanted) for text in said)


@in_both_languages
def test_zip(language: Language) -> None:
    found = {
        (said, wanted): NLU.understand(said, Context("zip", language)).slots.get("digits", "")
        for said, wanted in _cases("digits", "zip", language)
    }
    assert {case: digits for case, digits in found.items() if digits != case[1]} == {}


@in_both_languages
def test_zip_over_turns(language: Language) -> None:
    found = {}
    for before, said, wanted in _continued(language):
        slots = NLU.understand(said, Context("zip", language, before)).slots
        found[before, said, wanted] = slots.get("digits", "")
    assert {case: digits for case, digits in found.items() if digits != case[2]} == {}


@in_both_languages
def test_digits_of_any_length(language: Language) -> None:
    found = {
        (said, wanted): read_digits(said, GRAMMARS[language], length=None)
        for said, wanted in _cases("digits", "any", language)
    }
    assert {case: digits for case, digits in found.items() if digits != case[1]} == {}


@in_both_languages
@pytest.mark.parametrize("part", ["asked", "unasked"])
def test_amounts(part: str, language: Language) -> None:
    grammar = GRAMMARS[language]
    found = {
        (said, wanted): read_amount(grammar.normalize(said).split(), grammar, asked=part == "asked")
        for said, wanted in _cases("amounts", part, language)
    }
    assert {case: amount for case, amount in found.items() if amount != case[1]} == {}


@in_both_languages
def test_numbers(language: Language) -> None:
    found = {
        (said, wanted): [each.value for each in find_numbers(said, GRAMMARS[language])]
        for said, wanted in _cases("numbers", "numbers", language)
    }
    wrong = {
        case: [float(value) for value in values]
        for case, values in found.items()
        if values != [Fraction(each) for each in case[1].split()]
    }
    assert wrong == {}


@in_both_languages
def test_the_suites_are_large(language: Language) -> None:
    parts = (("digits", "zip"), ("digits", "any"), ("amounts", "asked"), ("amounts", "unasked"),
             ("numbers", "numbers"))  # fmt: skip
    count = sum(len([*_cases(*part, language)]) for part in parts)
    assert count + len([*_continued(language)]) >= AT_LEAST
