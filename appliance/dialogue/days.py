"""Days counted from other days: the arithmetic behind `dialogue.date_phrases`.

Nothing here reads a clock, and nothing is uncertain: what a caller can have meant is a phrase's.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date, timedelta

SATURDAY = 5
_LEAP_GAP_YEARS = 8
"""29 February may be eight years away (1896 to 1904, 2096 to 2104)."""


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def next_month(day: date) -> date:
    """The first of the month after a day's month."""
    return month_end(day) + timedelta(days=1)


def coming(weekday: int, day: date) -> date:
    """The first such weekday from a day on, that day included; 0 is Monday.

    Raises:
        ValueError: it is not a weekday.
    """
    if not 0 <= weekday <= 6:
        raise ValueError(f"not a weekday: {weekday}")
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def day_of_month(day: int, today: date) -> date:
    """The next such day that exists: the thirty-first skips short months.

    Raises:
        ValueError: no month has it.
    """
    if not 1 <= day <= 31:
        raise ValueError(f"not a day: {day}")
    month = today.replace(day=1)
    while True:
        if day <= month_end(month).day and month.replace(day=day) >= today:
            return month.replace(day=day)
        month = next_month(month)


def calendar_date(value: str, today: date) -> date:
    """Month and day (`12-24`), with or without the year before it; without, the next such day.

    Raises:
        ValueError: there is no such day.
    """
    *year, month, day = (int(part) for part in value.split("-"))
    if year:
        return date(year[0], month, day)
    for found in _yearly(month, day, today.year):
        if found >= today:
            return found
    raise ValueError(f"not a date: {value!r}")


def _yearly(month: int, day: int, year: int) -> Iterator[date]:
    """A day of the year in the years from one on, where it exists."""
    for each in range(year, year + _LEAP_GAP_YEARS + 1):
        if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(each, month)[1]:
            yield date(each, month, day)


def months_on(today: date, months: int) -> date:
    """The same day some months later, or that month's last day."""
    index = today.year * 12 + today.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    return first.replace(day=min(today.day, month_end(first).day))


def workdays_on(today: date, days: int) -> date:
    """So many days from Monday to Friday later; holidays count as workdays.

    Raises:
        ValueError: not from 1 to 999.
    """
    if not 1 <= days <= 999:
        raise ValueError(f"not a number of workdays: {days}")
    day = today
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < SATURDAY
    return day


def nth_weekday(nth: int, weekday: int, month: date) -> date:
    """The first (1) to fifth such weekday of a day's month, or the last (-1).

    Raises:
        ValueError: the month has no such day.
    """
    if nth == -1:
        last = month_end(month)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    found = coming(weekday, month.replace(day=1)) + timedelta(weeks=nth - 1)
    if not 1 <= nth <= 5 or found.month != month.month:
        raise ValueError(f"no {nth}. weekday {weekday} in {month:%Y-%m}")
    return found


def easter(year: int) -> date:
    """Easter Sunday by the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return date(year, month, day + 1)
