"""The date phrases, and the days that each can mean on a given day.

Recorded calls hold phrases: none is ever taken away, and none changes its meaning.

    today | tomorrow | overmorrow | yesterday
    weekday:W  this:W  next:W         W = 0 (Monday) .. 6
    day:D  next_month:D  date:M-D  date:Y-M-D
    either:M-D  either:Y-M-D          figures that can also be the D-th month's M-th day
    on:W:PHRASE                       a day with its weekday beside it; the two may disagree
    in_days:N  in_weeks:N  in_months:N  in_workdays:N
    after:PHRASE:DAYS                 after:tomorrow:7 is a week from tomorrow; DAYS may be negative
    following:W:PHRASE  preceding:W:PHRASE      the first such weekday after or before a day
    nth:N:W  nth:N:W:MONTH            N = 1 .. 5, or -1 for the last
    start_of_month:MONTH  mid_month  mid_month:MONTH  end_of_month  end_of_month:MONTH
                                      MONTH = 1 .. 12, `this` or `next`
    week:N:W                          a weekday of the N-th week from this one, from Monday
    holiday:NAME  holiday:NAME:Y      see dialogue.holidays
    end_of_week  mid_week  end_of_year  next_month  quincena
    about:PHRASE  or:PHRASE|PHRASE    not sure of the day; one of two
    week:N  weekend:N  month:M        several days, none likelier than another
    next_week  payday  vague          no day at all
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from appliance.dialogue.days import (
    SATURDAY,
    calendar_date,
    coming,
    day_of_month,
    month_end,
    months_on,
    next_month,
    nth_weekday,
    workdays_on,
)
from appliance.dialogue.holidays import coming_holiday

_FRIDAY, _SUNDAY = 4, 6
_PAYDAY_OF_MONTH = 15
"""La quincena: wages are paid on the fifteenth and on the last of the month (Ley Federal del
Trabajo, art. 88, lets pay come every fifteen days at most)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The days that a phrase can mean, likeliest first; in a span none is likelier."""

    days: list[date]
    certain: bool = True
    span: bool = False


def read_phrase(phrase: str, today: date) -> Reading:
    """What a phrase can mean on a day.

    Raises:
        ValueError, OverflowError: it is not a phrase, or there is no such day.
    """
    name, _, value = phrase.partition(":")
    if name in _OFFSETS and not value:
        return Reading([today + timedelta(days=_OFFSETS[name])])
    if name in _WITHOUT_DAY and not value:
        return Reading([], certain=False)
    if name in _UNSURE and not value:
        return Reading(_UNSURE[name](today), certain=False)
    if name in _EXACT:
        return Reading([_EXACT[name](value, today)])
    if name in _READERS:
        return _READERS[name](value, today)
    raise ValueError(f"not a date phrase: {phrase!r}")


def _weekday(value: str, today: date) -> Reading:
    """A plain weekday is the coming one; said on that very day it is ambiguous."""
    first = coming(int(value), today)
    if first == today:
        return Reading([today + timedelta(days=7), today], certain=False)
    return Reading([first])


def _next(value: str, today: date) -> Reading:
    """That of next week to many, the coming one to others."""
    following = coming(int(value), _monday(today, 1))
    return Reading([following, coming(int(value), today + timedelta(days=1))], certain=False)


def _week(value: str, today: date) -> Reading:
    """Weeks begin on Monday here, on Sunday to others: then a Sunday is of another week."""
    weeks, _, weekday = value.partition(":")
    monday = _monday(today, int(weeks))
    if not weekday:
        return Reading([monday + timedelta(days=day) for day in range(7)], span=True)
    day = coming(int(weekday), monday)
    if today.weekday() == _SUNDAY and int(weekday) != _SUNDAY:
        return Reading([day, day + timedelta(days=7)], certain=False)
    if int(weekday) == _SUNDAY and today.weekday() != _SUNDAY:
        return Reading([day, day - timedelta(days=7)], certain=False)
    return Reading([day])


def _weekend(value: str, today: date) -> Reading:
    saturday = _monday(today, 0) + timedelta(days=SATURDAY, weeks=int(value))
    return Reading([saturday, saturday + timedelta(days=1)], span=True)


def _month(value: str, today: date) -> Reading:
    """All days of the month that are still to come; of another month than this all of it."""
    first = _first_of(value, today)
    days = [first + timedelta(days=day) for day in range(month_end(first).day)]
    return Reading([day for day in days if day >= today], span=True)


def _nth(value: str, today: date) -> Reading:
    nth, weekday, *month = value.split(":")
    wanted = int(nth), int(weekday)
    if month and not month[0].isdigit():
        return Reading([nth_weekday(*wanted, _first_of(month[0], today))])
    first = _first_of(month[0], today) if month else today.replace(day=1)
    found = nth_weekday(*wanted, first)
    if found < today:
        found = nth_weekday(*wanted, months_on(first, 12 if month else 1))
    return Reading([found])


def _part_of_month(day_of: Callable[[date], date]) -> Callable[[str, date], Reading]:
    """Roughly a day of a month; where that has passed, of the next one that is so named."""

    def read(value: str, today: date) -> Reading:
        day = day_of(_first_of(value or "this", today))
        if day < today:
            day = day_of(months_on(day.replace(day=1), 12 if value.isdigit() else 1))
        return Reading([day], certain=False)

    return read


def _first_of(month: str, today: date) -> date:
    """The first of this month, of the next or of the coming month with a number."""
    first = today.replace(day=1)
    if month == "this":
        return first
    if month == "next":
        return next_month(today)
    return first if int(month) == first.month else calendar_date(f"{int(month)}-1", today)


def _on(value: str, today: date) -> Reading:
    """A day and its weekday; where they disagree, also the nearest such weekday."""
    weekday, _, phrase = value.partition(":")
    named = read_phrase(phrase, today)
    if not named.days:
        raise ValueError(f"no day beside a weekday: {phrase!r}")
    first = named.days[0]
    nearest = coming(int(weekday), first - timedelta(days=3))
    if nearest == first:
        return Reading([first])
    return Reading([first, nearest], certain=False)


def _beside(step: int) -> Callable[[str, date], Reading]:
    """The first such weekday after (1) or before (-1) a day."""

    def read(value: str, today: date) -> Reading:
        weekday, _, phrase = value.partition(":")
        named = read_phrase(phrase, today)
        shift = timedelta(days=1 if step > 0 else -7)
        return Reading([coming(int(weekday), day + shift) for day in named.days], named.certain)

    return read


def _after(value: str, today: date) -> Reading:
    """So many days from another; of days of the calendar that which makes it a coming one.

    On 26 December the day after Christmas is today.
    """
    start, _, days = value.rpartition(":")
    shift = timedelta(days=int(days))
    origin = today - shift if start.partition(":")[0] in _CALENDAR_DAYS else today
    found = read_phrase(start, origin)
    return Reading([day + shift for day in found.days], found.certain, found.span)


def _either(value: str, today: date) -> Reading:
    *year, month, day = value.split("-")
    orders = ("-".join((*year, month, day)), "-".join((*year, day, month)))
    return Reading([calendar_date(order, today) for order in orders], certain=False)


def _about(value: str, today: date) -> Reading:
    found = read_phrase(value, today)
    return Reading(found.days, certain=False, span=found.span)


def _or(value: str, today: date) -> Reading:
    return Reading([day for one in value.split("|") for day in read_phrase(one, today).days], False)


def _holiday(value: str, today: date) -> Reading:
    days = coming_holiday(value, today)
    return Reading(days, certain=len(days) == 1)


def _monday(today: date, weeks: int) -> date:
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)


def _quincena(today: date) -> list[date]:
    """The next day of pay and the one after it."""
    end = month_end(today)
    middle, other = (day.replace(day=_PAYDAY_OF_MONTH) for day in (today, next_month(today)))
    return [middle, end] if today <= middle else [end, other]


_CALENDAR_DAYS = {"holiday", "date", "day"}
_OFFSETS = {"today": 0, "tomorrow": 1, "overmorrow": 2, "yesterday": -1}
_WITHOUT_DAY = {"next_week", "payday", "vague"}
_UNSURE: dict[str, Callable[[date], list[date]]] = {
    "end_of_week": lambda today: [coming(_FRIDAY, today)],
    "mid_week": lambda today: [coming(2, today)],
    "end_of_year": lambda today: [date(today.year, 12, 31)],
    "next_month": lambda today: [next_month(today)],
    "quincena": _quincena,
}
_EXACT: dict[str, Callable[[str, date], date]] = {
    "day": lambda value, today: day_of_month(int(value), today),
    "this": lambda value, today: coming(int(value), today),
    "next_month": lambda value, today: next_month(today).replace(day=int(value)),
    "date": calendar_date,
    "in_days": lambda value, today: today + timedelta(days=int(value)),
    "in_weeks": lambda value, today: today + timedelta(weeks=int(value)),
    "in_months": lambda value, today: months_on(today, int(value)),
}
_READERS: dict[str, Callable[[str, date], Reading]] = {
    "weekday": _weekday,
    "next": _next,
    "week": _week,
    "weekend": _weekend,
    "month": _month,
    "nth": _nth,
    "start_of_month": _part_of_month(lambda first: first),
    "mid_month": _part_of_month(lambda first: first.replace(day=_PAYDAY_OF_MONTH)),
    "end_of_month": _part_of_month(month_end),
    "on": _on,
    "following": _beside(1),
    "preceding": _beside(-1),
    "after": _after,
    "either": _either,
    "about": _about,
    "or": _or,
    "in_workdays": lambda value, today: Reading([workdays_on(today, int(value))], certain=False),
    "holiday": _holiday,
}
