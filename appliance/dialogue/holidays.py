"""Holidays that callers name in place of a date, of the United States and of Mexico.

A name that the two countries keep on different days has two rules: the calendar then asks which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from appliance.dialogue.days import easter, nth_weekday

Rule = Callable[[int], date]
"""A year to the day of the holiday in it."""
_MONDAY, _THURSDAY, _SUNDAY, _LAST = 0, 3, 6, -1


def _on(month: int, day: int) -> Rule:
    return lambda year: date(year, month, day)


def _nth(nth: int, weekday: int, month: int, plus: int = 0) -> Rule:
    return lambda year: nth_weekday(nth, weekday, date(year, month, 1)) + timedelta(days=plus)


def _from_easter(days: int) -> Rule:
    return lambda year: easter(year) + timedelta(days=days)


HOLIDAYS: Mapping[str, tuple[Rule, ...]] = {
    "new_year": (_on(1, 1),),
    "kings": (_on(1, 6),),
    "king": (_nth(3, _MONDAY, 1),),
    "candlemas": (_on(2, 2),),
    "constitution": (_on(2, 5),),
    "valentine": (_on(2, 14),),
    "presidents": (_nth(3, _MONDAY, 2),),
    "patrick": (_on(3, 17),),
    "juarez": (_on(3, 21),),
    "maundy_thursday": (_from_easter(-3),),
    "good_friday": (_from_easter(-2),),
    "easter": (_from_easter(0),),
    "earth": (_on(4, 22),),
    "children": (_on(4, 30),),
    "may_day": (_on(5, 1),),
    "mothers": (_nth(2, _SUNDAY, 5),),
    "mothers_either": (_on(5, 10), _nth(2, _SUNDAY, 5)),
    "memorial": (_nth(_LAST, _MONDAY, 5),),
    "juneteenth": (_on(6, 19),),
    "fathers": (_nth(3, _SUNDAY, 6),),
    "independence": (_on(7, 4),),
    "independence_either": (_on(9, 16), _on(7, 4)),
    "labor": (_nth(1, _MONDAY, 9),),
    "labor_either": (_on(5, 1), _nth(1, _MONDAY, 9)),
    "columbus": (_nth(2, _MONDAY, 10),),
    "halloween": (_on(10, 31),),
    "all_saints": (_on(11, 1),),
    "dead": (_on(11, 2),),
    "veterans": (_on(11, 11),),
    "revolution": (_on(11, 20),),
    "thanksgiving": (_nth(4, _THURSDAY, 11),),
    "black_friday": (_nth(4, _THURSDAY, 11, plus=1),),
    "cyber_monday": (_nth(4, _THURSDAY, 11, plus=4),),
    "guadalupe": (_on(12, 12),),
    "christmas_eve": (_on(12, 24),),
    "christmas": (_on(12, 25),),
    "boxing_day": (_on(12, 26),),
    "innocents": (_on(12, 28),),
    "new_years_eve": (_on(12, 31),),
}


def coming_holiday(named: str, today: date) -> list[date]:
    """The next day that a holiday's name can mean under each of its rules, today included.

    Args:
        named: the holiday, or `NAME:YEAR`, which is that year's even if it has passed.
        today: the day from which on it is looked for.

    Raises:
        ValueError: there is no such holiday.
    """
    name, _, year = named.partition(":")
    if name not in HOLIDAYS:
        raise ValueError(f"not a holiday: {name!r}")
    if year:
        return [rule(int(year)) for rule in HOLIDAYS[name]]
    return [
        next(day for each in (today.year, today.year + 1) if (day := rule(each)) >= today)
        for rule in HOLIDAYS[name]
    ]
