"""Date phrases on given days: the day, and how sure it is."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.calendar import DateOutcome, resolve
from appliance.dialogue.days import month_end

TODAY = date(2026, 11, 11)  # a Wednesday
EXACT, AMBIGUOUS = DateOutcome.EXACT, DateOutcome.AMBIGUOUS
OUTSIDE, NONE = DateOutcome.OUTSIDE, DateOutcome.UNPARSEABLE


@pytest.mark.parametrize(
    ("phrase", "outcome", "day"),
    [
        ("today", EXACT, "2026-11-11"),
        ("tomorrow", EXACT, "2026-11-12"),
        ("overmorrow", EXACT, "2026-11-13"),
        ("yesterday", OUTSIDE, "2026-11-10"),
        ("weekday:4", EXACT, "2026-11-13"),
        ("weekday:0", EXACT, "2026-11-16"),
        ("weekday:2", AMBIGUOUS, "2026-11-18"),  # said on a Wednesday: today or in a week
        ("this:2", EXACT, "2026-11-11"),
        ("this:4", EXACT, "2026-11-13"),
        ("next:4", AMBIGUOUS, "2026-11-20"),
        ("next:0", AMBIGUOUS, "2026-11-16"),
        ("day:15", EXACT, "2026-11-15"),
        ("day:11", EXACT, "2026-11-11"),
        ("day:10", OUTSIDE, "2026-12-10"),
        ("day:31", OUTSIDE, "2026-12-31"),  # November has none
        ("date:11-30", EXACT, "2026-11-30"),
        ("date:12-1", OUTSIDE, "2026-12-01"),
        ("date:11-1", OUTSIDE, "2027-11-01"),
        ("date:2-29", OUTSIDE, "2028-02-29"),
        ("date:2026-11-20", EXACT, "2026-11-20"),
        ("in_days:3", EXACT, "2026-11-14"),
        ("in_weeks:2", EXACT, "2026-11-25"),
        ("in_weeks:3", OUTSIDE, "2026-12-02"),
        ("in_months:1", OUTSIDE, "2026-12-11"),
        ("after:tomorrow:7", EXACT, "2026-11-19"),
        ("after:weekday:4:7", EXACT, "2026-11-20"),
        ("after:next:4:7", AMBIGUOUS, "2026-11-27"),
        ("end_of_month", AMBIGUOUS, "2026-11-30"),
        ("end_of_week", AMBIGUOUS, "2026-11-13"),
        ("next_month", OUTSIDE, "2026-12-01"),
        ("next_week", AMBIGUOUS, None),
        ("payday", AMBIGUOUS, None),
        ("vague", AMBIGUOUS, None),
    ],
)
def test_resolve(phrase: str, outcome: DateOutcome, day: str | None) -> None:
    found = resolve(phrase, TODAY)
    assert (found.outcome, found.day) == (outcome, date.fromisoformat(day) if day else None)


@pytest.mark.parametrize(
    "phrase",
    ["", "soon", "weekday:7", "weekday:", "day:0", "day:32", "date:13-1", "date:2-30", "date:x",
     "date:2026-2-30", "in_days:lots", "after:tomorrow", "after::7", "in_days:999999999"],
)  # fmt: skip
def test_what_is_no_phrase_is_no_date(phrase: str) -> None:
    assert resolve(phrase, TODAY).outcome is NONE


def test_the_month_end_leaves_nothing_but_itself() -> None:
    last = date(2026, 11, 30)
    assert resolve("today", last).outcome is EXACT
    assert resolve("tomorrow", last).outcome is OUTSIDE
    assert resolve("next:4", last).outcome is OUTSIDE


PHRASES = [
    "today", "tomorrow", "overmorrow", "end_of_month", "end_of_week", "in_months:1", "in_months:13",
    *(f"{kind}:{day}" for kind in ("weekday", "this", "next") for day in range(7)),
    *(f"day:{day}" for day in range(1, 32)),
    *(f"in_weeks:{weeks}" for weeks in range(1, 6)),
    "date:2-29", "date:12-31", "date:1-1",
]  # fmt: skip


@given(st.sampled_from(PHRASES), st.dates(date(2024, 1, 1), date(2032, 12, 31)))
def test_the_verdict_agrees_with_the_day(phrase: str, today: date) -> None:
    found = resolve(phrase, today)
    assert found.day is not None
    assert found.day >= today
    inside = found.day <= month_end(today)
    assert (found.outcome in (EXACT, AMBIGUOUS)) == inside


@given(st.integers(0, 6), st.dates(date(2024, 1, 1), date(2032, 12, 31)))
def test_a_weekday_is_that_weekday_within_two_weeks(weekday: int, today: date) -> None:
    for kind in ("weekday", "this", "next"):
        day = resolve(f"{kind}:{weekday}", today).day
        assert day is not None
        assert day.weekday() == weekday
        assert today <= day <= today + timedelta(days=13)


@pytest.mark.parametrize(
    ("phrase", "outcome", "day", "candidates"),
    [
        ("on:4:day:27", EXACT, "2026-11-27", ["2026-11-27"]),
        ("on:4:day:28", AMBIGUOUS, "2026-11-28", ["2026-11-28", "2026-11-27"]),
        ("or:weekday:4|weekday:5", AMBIGUOUS, "2026-11-13", ["2026-11-13", "2026-11-14"]),
        ("about:day:15", AMBIGUOUS, "2026-11-15", ["2026-11-15"]),
        ("either:12-11", AMBIGUOUS, "2026-11-12", ["2026-11-12"]),
        ("nth:-1:4", EXACT, "2026-11-27", ["2026-11-27"]),
        ("nth:1:4", OUTSIDE, "2026-12-04", ["2026-12-04"]),
        ("week:1:4", EXACT, "2026-11-20", ["2026-11-20"]),
        ("weekend:0", AMBIGUOUS, None, ["2026-11-14", "2026-11-15"]),
        ("holiday:thanksgiving", EXACT, "2026-11-26", ["2026-11-26"]),
        ("holiday:christmas:2024", OUTSIDE, "2024-12-25", ["2024-12-25"]),
        ("following:4:holiday:thanksgiving", EXACT, "2026-11-27", ["2026-11-27"]),
        ("preceding:1:holiday:thanksgiving", EXACT, "2026-11-24", ["2026-11-24"]),
        ("quincena", AMBIGUOUS, "2026-11-15", ["2026-11-15", "2026-11-30"]),
        ("in_workdays:3", AMBIGUOUS, "2026-11-16", ["2026-11-16"]),
    ],
)
def test_candidates(
    phrase: str, outcome: DateOutcome, day: str | None, candidates: list[str]
) -> None:
    found = resolve(phrase, TODAY)
    assert (found.outcome, found.day) == (outcome, date.fromisoformat(day) if day else None)
    assert [each.isoformat() for each in found.candidates] == candidates


def test_another_window_than_the_month() -> None:
    assert resolve("date:12-24", TODAY, last=date(2026, 12, 31)).outcome is EXACT
    assert resolve("tomorrow", TODAY, last=TODAY).outcome is OUTSIDE


@pytest.mark.parametrize(
    "phrase",
    ["on:4:payday", "nth:6:4", "nth:5:0:2", "holiday:ramadan", "or:", "about:", "month:13",
     "week:x", "in_workdays:0", "next_month:31:2", "either:40-15", "following:9:today"],
)  # fmt: skip
def test_malformed_phrases_are_no_date(phrase: str) -> None:
    assert resolve(phrase, TODAY).outcome is NONE
