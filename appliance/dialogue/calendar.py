"""From a date phrase to a day: pure arithmetic on today's date, with a verdict.

Understanding finds the phrase without knowing the day ("next friday" is `next:4`); a check resolves
it here against the caller's local date. So a recorded phrase means the same on every replay.

    today | tomorrow | overmorrow | yesterday
    weekday:N  this:N  next:N         N = 0 (Monday) .. 6
    day:D  date:M-D  date:Y-M-D
    in_days:N  in_weeks:N  in_months:N
    after:PHRASE:DAYS                 "a week from tomorrow" is after:tomorrow:7
    end_of_month  end_of_week  next_week  next_month  payday  vague
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class DateOutcome(StrEnum):
    """What a phrase comes to; only `exact` needs no confirmation."""

    EXACT = "exact"
    AMBIGUOUS = "ambiguous"
    OUTSIDE_MONTH = "outside_month"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Resolution:
    """A verdict with its day. An ambiguous phrase may have no candidate at all ("payday")."""

    outcome: DateOutcome
    day: date | None = None


NO_DATE = Resolution(DateOutcome.NONE)


def resolve(phrase: str, today: date) -> Resolution:
    """Resolve a phrase (see the module's table); what does not parse is `none`.

    "Outside" is any day before today or after the end of today's month: the seed's rule for
    promises. A caller with another rule looks at `day`.
    """
    try:
        days, certain = _candidates(phrase, today)
    except (ValueError, OverflowError):
        return NO_DATE
    inside = [day for day in days if today <= day <= month_end(today)]
    if not days:
        return Resolution(DateOutcome.AMBIGUOUS)
    if not inside:
        return Resolution(DateOutcome.OUTSIDE_MONTH, days[0])
    return Resolution(DateOutcome.EXACT if certain else DateOutcome.AMBIGUOUS, inside[0])


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _candidates(phrase: str, today: date) -> tuple[list[date], bool]:
    """The days that a phrase can mean, likeliest first, and whether it is certain."""
    name, _, value = phrase.partition(":")
    if name in _OFFSETS:
        return [today + timedelta(days=_OFFSETS[name])], True
    if name in _WITHOUT_DAY:
        return [], False
    if name in _ENDS:
        return [_ENDS[name](today)], False
    if name in ("weekday", "this", "next"):
        return _weekday(name, int(value), today)
    if name == "after":
        start, _, days = value.rpartition(":")
        found, certain = _candidates(start, today)
        return [day + timedelta(days=int(days)) for day in found], certain
    if name in _EXACT:
        return [_EXACT[name](value, today)], True
    raise ValueError(f"not a date phrase: {phrase!r}")


def _weekday(name: str, weekday: int, today: date) -> tuple[list[date], bool]:
    """A plain weekday is the coming one; said on that very day it is ambiguous. So is "next"."""
    if not 0 <= weekday <= 6:
        raise ValueError(f"not a weekday: {weekday}")
    ahead = (weekday - today.weekday()) % 7
    coming = today + timedelta(days=ahead or 7)
    if name == "next":
        following = today + timedelta(days=7 - today.weekday() + weekday)
        return list(dict.fromkeys([following, coming])), False
    if ahead == 0:
        return ([today], True) if name == "this" else ([coming, today], False)
    return [coming], True


def _day_of_month(day: int, today: date) -> date:
    """The next such day that exists: the thirty-first skips short months."""
    if not 1 <= day <= 31:
        raise ValueError(f"not a day: {day}")
    month = today.replace(day=1)
    while True:
        if day <= month_end(month).day and month.replace(day=day) >= today:
            return month.replace(day=day)
        month = month_end(month) + timedelta(days=1)


def _calendar_date(value: str, today: date) -> date:
    """Month and day, with or without the year; without it, the next such day."""
    *year, month, day = (int(part) for part in value.split("-"))
    if year:
        return date(year[0], month, day)
    for candidate in (today.year + offset for offset in range(9)):  # 29 February is 8 years apart
        if day <= calendar.monthrange(candidate, month)[1] if 1 <= month <= 12 else False:
            found = date(candidate, month, day)
            if found >= today:
                return found
    raise ValueError(f"not a date: {value!r}")


def _months_on(today: date, months: int) -> date:
    """The same day some months later, or that month's last day."""
    index = today.year * 12 + today.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    return first.replace(day=min(today.day, month_end(first).day))


_OFFSETS = {"today": 0, "tomorrow": 1, "overmorrow": 2, "yesterday": -1}
_WITHOUT_DAY = {"next_week", "payday", "vague"}
_ENDS: dict[str, Callable[[date], date]] = {
    "end_of_month": month_end,
    "end_of_week": lambda today: today + timedelta(days=(4 - today.weekday()) % 7),
    "next_month": lambda today: month_end(today) + timedelta(days=1),
}
_EXACT: dict[str, Callable[[str, date], date]] = {
    "day": lambda value, today: _day_of_month(int(value), today),
    "date": _calendar_date,
    "in_days": lambda value, today: today + timedelta(days=int(value)),
    "in_weeks": lambda value, today: today + timedelta(weeks=int(value)),
    "in_months": lambda value, today: _months_on(today, int(value)),
}
