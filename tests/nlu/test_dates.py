"""Date phrases in words. That they come to the right day is tested in dialogue/test_calendar."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.dialogue.calendar import resolve
from appliance.dialogue.speech import speak_date
from appliance.nlu.dates import find_date
from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.english.words import normalize


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("today", "today"),
        ("this afternoon", "today"),
        ("I can pay right now", "today"),
        ("tomorrow", "tomorrow"),
        ("tomorow", "tomorrow"),
        ("the day after tomorrow", "overmorrow"),
        ("friday", "weekday:4"),
        ("on Friday", "weekday:4"),
        ("this friday", "this:4"),
        ("this coming friday", "this:4"),
        ("next friday", "next:4"),
        ("friday next week", "week:1:4"),
        ("next week on monday", "week:1:0"),
        ("on the fifteenth", "day:15"),
        ("the 15th", "day:15"),
        ("friday the twenty seventh", "on:4:day:27"),
        ("the twenty first of this month", "day:21"),
        ("december fifth", "date:12-5"),
        ("december 5", "date:12-5"),
        ("december twenty one", "date:12-21"),
        ("the fifth of december", "date:12-5"),
        ("november the twenty eighth 2026", "date:2026-11-28"),
        ("11/28", "date:11-28"),
        ("in two weeks", "in_weeks:2"),
        ("in a week", "in_weeks:1"),
        ("in three days", "in_days:3"),
        ("in a month", "in_months:1"),
        ("within ten days", "in_days:10"),
        ("two weeks from today", "after:today:14"),
        ("a week from tomorrow", "after:tomorrow:7"),
        ("a week from friday", "after:weekday:4:7"),
        ("at the end of the month", "end_of_month"),
        ("the last day of the month", "end_of_month"),
        ("the end of the week", "end_of_week"),
        ("next week", "week:1"),
        ("next month", "next_month"),
        ("the first of next month", "next_month"),
        ("on payday", "payday"),
        ("when I get paid", "payday"),
        ("when I get paid on friday", "weekday:4"),
        ("soon", "vague"),
        ("sometime this week", "vague"),
        ("in a couple of weeks", "vague"),
        ("yesterday", "yesterday"),
        ("not until friday", "weekday:4"),
        ("friday, no, thursday", "weekday:3"),
        ("no wait not today friday", "weekday:4"),
        ("the twentieth, sorry, the twenty second", "day:22"),
    ],
)
def test_phrases(said: str, phrase: str) -> None:
    found = find_date(normalize(said), ENGLISH, asked=False)
    assert found is not None
    assert found.phrase == phrase


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("fifteenth", "day:15"),
        ("on the fifteen", "day:15"),
        ("two weeks", "in_weeks:2"),
    ],
)
def test_bare_phrases_count_where_a_date_was_asked_for(said: str, phrase: str) -> None:
    found = find_date(normalize(said), ENGLISH, asked=True)
    assert found is not None
    assert found.phrase == phrase
    assert find_date(normalize(said), ENGLISH, asked=False) is None


@pytest.mark.parametrize(
    "said",
    [
        "I can't pay today",
        "not on friday",
        "I paid last friday",
        "the first payment",
        "in the first place",
        "may a friend call you",
        "the fifty dollars",
        "by the hundred",
        "",
    ],
)
def test_what_is_no_date(said: str) -> None:
    assert find_date(normalize(said), ENGLISH, asked=True) is None


@settings(deadline=None)
@given(st.dates(date(2026, 1, 1), date(2027, 12, 31)), st.integers(0, 330))
def test_what_the_voice_says_is_understood_again(today: date, ahead: int) -> None:
    day = today + timedelta(days=ahead)
    found = find_date(normalize(speak_date(day)), ENGLISH, asked=False)
    assert found is not None
    assert resolve(found.phrase, today).day == day


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz '0123456789", max_size=80))
def test_every_phrase_that_is_found_resolves_or_is_none(text: str) -> None:
    found = find_date(normalize(text), ENGLISH, asked=True)
    if found:
        resolve(found.phrase, date(2026, 11, 21))
