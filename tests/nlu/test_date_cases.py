"""The suites of dates and times: what callers say, today, and the day and verdict or the time."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from appliance.dialogue.calendar import NO_DATE, resolve
from appliance.nlu.dates import find_date
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.times import find_time
from appliance.types import Language

_CASES = Path(__file__).parent / "cases"
_FEWEST = 250


def _table(name: str, language: Language) -> dict[Any, Any]:
    loaded = yaml.safe_load((_CASES / f"{name}.{language}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def _dates() -> Iterator[tuple[Language, date, str, date | None, str]]:
    for language in GRAMMARS:
        for today, verdicts in _table("dates", language).items():
            for verdict, days in verdicts.items():
                for day, said in days.items():
                    for each in said:
                        yield language, today, verdict, None if day == "none" else day, str(each)


def _times() -> Iterator[tuple[Language, str, str]]:
    for language in GRAMMARS:
        for time, said in _table("times", language).items():
            for each in said:
                yield language, "" if time == "none" else time, each


@pytest.mark.parametrize(("language", "today", "verdict", "day", "said"), list(_dates()))
def test_dates(language: Language, today: date, verdict: str, day: date | None, said: str) -> None:
    grammar = GRAMMARS[language]
    found = find_date(grammar.normalize(said), grammar, asked=True)
    if verdict == "unread":
        assert found is None
        return
    assert found is not None
    resolved = resolve(found.phrase, today)
    assert (resolved.outcome, resolved.day) == (verdict, day), found.phrase
    assert resolved.needs_confirmation == (verdict == "ambiguous")
    assert resolved.day is None or resolved.day in resolved.candidates


@pytest.mark.parametrize(("language", "time", "said"), list(_times()))
def test_times(language: Language, time: str, said: str) -> None:
    grammar = GRAMMARS[language]
    assert find_time(grammar.normalize(said), grammar, asked=True) == time


@pytest.mark.parametrize("language", GRAMMARS)
def test_there_are_enough_different_cases(language: Language) -> None:
    dates = {(today, said) for each, today, _, _, said in _dates() if each == language}
    times = {said for each, _, said in _times() if each == language}
    assert len(dates) + len(times) >= _FEWEST


def test_what_is_no_phrase_needs_no_confirmation() -> None:
    assert not NO_DATE.needs_confirmation


@pytest.mark.parametrize("language", GRAMMARS)
def test_no_mixture_of_these_words_breaks_the_readers(language: Language) -> None:
    grammar, chance = GRAMMARS[language], Random(7)
    said = [said for each, _, _, _, said in _dates() if each == language]
    said += [said for each, _, said in _times() if each == language]
    words = sorted({word for each in said for word in each.split()})
    for _ in range(600):
        mixed = grammar.normalize(" ".join(chance.choices(words, k=chance.randint(2, 8))))
        date_found = find_date(mixed, grammar, asked=True)
        if date_found:
            assert 0 <= date_found.start < date_found.end <= len(mixed.split()), mixed
            resolve(date_found.phrase, date(2028, 2, 29))
        time = find_time(mixed, grammar, asked=True)
        assert re.fullmatch(r"[0-2]\d:[0-5]\d|morning|afternoon|evening|any|", time), mixed
