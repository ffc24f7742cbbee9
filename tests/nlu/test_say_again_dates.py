"""What the voice says of a day or a time is understood as that day or that time again."""

from datetime import date, time, timedelta

import pytest

from appliance.dialogue.calendar import DateOutcome, resolve
from appliance.dialogue.speech import speak_date, speak_time
from appliance.nlu.dates import find_date
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.times import find_time
from appliance.types import Language

FIRST = date(2026, 11, 22)
MINUTES = [time(minute // 60, minute % 60) for minute in range(24 * 60)]
A_YEAR = 365
"""The voice says no year: what is more than a year away cannot be told apart."""


def _understood(day: date, today: date, language: Language) -> date | None:
    grammar = GRAMMARS[language]
    said = grammar.normalize(speak_date(day, language))
    found = find_date(said, grammar, asked=False)
    assert found is not None, said
    resolved = resolve(found.phrase, today, last=today + timedelta(days=A_YEAR))
    assert resolved.outcome is DateOutcome.EXACT, (said, found.phrase)
    return resolved.day


@pytest.mark.parametrize("language", GRAMMARS)
def test_days_on_each_of_400_days(language: Language) -> None:
    for today in (FIRST + timedelta(days=count) for count in range(400)):
        for ahead in (0, 1, 9, 99, A_YEAR - 1):
            day = today + timedelta(days=ahead)
            assert _understood(day, today, language) == day


@pytest.mark.parametrize("language", GRAMMARS)
def test_each_day_of_a_year(language: Language) -> None:
    for ahead in range(A_YEAR):
        day = FIRST + timedelta(days=ahead)
        assert _understood(day, FIRST, language) == day


@pytest.mark.slow
@pytest.mark.parametrize("language", GRAMMARS)
def test_each_day_of_a_year_on_each_of_400_days(language: Language) -> None:
    grammar = GRAMMARS[language]
    spoken = {}
    for ahead in range(400 + A_YEAR):
        day = FIRST + timedelta(days=ahead)
        found = find_date(grammar.normalize(speak_date(day, language)), grammar, asked=False)
        assert found is not None
        spoken[day] = found.phrase
    for today in (FIRST + timedelta(days=count) for count in range(400)):
        for day in (today + timedelta(days=ahead) for ahead in range(A_YEAR)):
            assert resolve(spoken[day], today, last=today + timedelta(days=A_YEAR)).day == day


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("language", GRAMMARS)
def test_every_minute_of_the_day(language: Language, asked: bool) -> None:
    grammar = GRAMMARS[language]
    for at in MINUTES:
        said = grammar.normalize(speak_time(at, language))
        assert find_time(said, grammar, asked=asked) == f"{at:%H:%M}", said


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_day_and_a_time_together(language: Language) -> None:
    grammar = GRAMMARS[language]
    for at in MINUTES[::37]:
        words = grammar.normalize(f"{speak_date(FIRST, language)}, {speak_time(at, language)}")
        found = find_date(words, grammar, asked=False)
        assert found is not None
        assert resolve(found.phrase, FIRST).day == FIRST
        rest = words.split()
        rest[found.start : found.end] = [";"]
        assert find_time(" ".join(rest), grammar, asked=False) == f"{at:%H:%M}", words
