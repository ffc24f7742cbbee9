"""What callers say x 400 days, against days that are found by looking through the calendar.

The oracle knows no arithmetic of ours: it steps from day to day until one fits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, takewhile

import pytest

from appliance.dialogue.calendar import DateOutcome, resolve
from appliance.nlu.dates import find_date
from appliance.nlu.languages import GRAMMARS
from appliance.types import Language

FIRST = date(2026, 1, 1)
DAYS = [FIRST + timedelta(days=count) for count in range(400)]
MONDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = 0, 2, 3, 4, 5, 6
EASTERS = {date(2026, 4, 5), date(2027, 3, 28), date(2028, 4, 16)}  # from printed calendars
Fits = Callable[[date], bool]


@dataclass(frozen=True)
class Meant:
    """The days that can be meant, likeliest first."""

    days: list[date]
    certain: bool = True
    span: bool = False


def ahead(today: date, start: int = 0) -> Iterator[date]:
    return (today + timedelta(days=count) for count in range(start, 3000))


def first(today: date, fits: Fits, start: int = 0) -> date:
    return next(day for day in ahead(today, start) if fits(day))


def falls_on(weekday: int) -> Fits:
    return lambda day: day.weekday() == weekday


def dated(month: int, day: int) -> Fits:
    return lambda each: (each.month, each.day) == (month, day)


def last_of_month(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


def of_month(today: date, months: int = 0) -> list[date]:
    """The days of today's month, or of one that comes later."""
    month = today.replace(day=1)
    for _ in range(months):
        month = first(month, lambda day: day.day == 1, start=1)
    return list(takewhile(lambda day: day.month == month.month, ahead(month)))


def of_week(today: date, weeks: int) -> list[date]:
    wanted = (today + timedelta(days=7 * weeks)).isocalendar()[:2]
    near = islice(ahead(today - timedelta(days=10)), 40)
    return [day for day in near if day.isocalendar()[:2] == wanted]


def one(fits: Fits) -> Callable[[date], Meant]:
    return lambda today: Meant([first(today, fits)])


def unsure(fits: Fits) -> Callable[[date], Meant]:
    return lambda today: Meant([first(today, fits)], certain=False)


def plus(days: int) -> Callable[[date], Meant]:
    return lambda today: Meant([today + timedelta(days=days)])


def a_weekday(weekday: int, later: int = 0) -> Callable[[date], Meant]:
    def meant(today: date) -> Meant:
        days = [first(today, falls_on(weekday), start=1)]
        if today.weekday() == weekday:
            days.append(today)
        return Meant([day + timedelta(days=later) for day in days], certain=len(days) == 1)

    return meant


def next_weekday(weekday: int) -> Callable[[date], Meant]:
    def meant(today: date) -> Meant:
        following = next(day for day in of_week(today, 1) if day.weekday() == weekday)
        return Meant([following, first(today, falls_on(weekday), start=1)], certain=False)

    return meant


def week_friday(today: date) -> Meant:
    friday = next(day for day in of_week(today, 1) if day.weekday() == FRIDAY)
    sunday = today.weekday() == SUNDAY
    return Meant([friday, friday + timedelta(days=7)] if sunday else [friday], certain=not sunday)


def nth(number: int, weekday: int, month: int = 0) -> Callable[[date], Meant]:
    """The so-manieth weekday of a month; without one, of this or the next."""

    def meant(today: date) -> Meant:
        for months in range(30):
            days = [day for day in of_month(today, months) if day.weekday() == weekday]
            found = days[number]
            if found >= today and month in (0, found.month):
                return Meant([found])
        raise AssertionError

    return meant


def month_later(today: date) -> Meant:
    return Meant([max(day for day in of_month(today, 1) if day.day <= today.day)])


def quincena(today: date) -> Meant:
    near = islice(ahead(today), 50)
    days = [day for day in near if day.day == 15 or last_of_month(day)][:2]
    return Meant(days, certain=False)


def workdays(today: date) -> Meant:
    days = [day for day in islice(ahead(today, 1), 10) if day.weekday() < SATURDAY]
    return Meant([days[2]], certain=False)


def weekday_and_day(weekday: int, number: int) -> Callable[[date], Meant]:
    def meant(today: date) -> Meant:
        day = first(today, lambda each: each.day == number)
        near = min(
            (day + timedelta(days=shift) for shift in range(-3, 4)),
            key=lambda each: each.weekday() != weekday,
        )
        return Meant([day] if near == day else [day, near], certain=near == day)

    return meant


def after(days: int, fits: Fits) -> Callable[[date], Meant]:
    """So many days after (or before) a day that fits."""
    return one(lambda day: fits(day - timedelta(days=days)))


def thanksgiving(day: date) -> bool:
    return day.month == 11 and day.weekday() == THURSDAY and 22 <= day.day <= 28


def mothers_day(day: date) -> bool:
    return day.month == 5 and day.weekday() == SUNDAY and 8 <= day.day <= 14


def memorial_day(day: date) -> bool:
    return day.month == 5 and day.weekday() == MONDAY and day.day >= 25


def either(*readings: Callable[[date], Meant]) -> Callable[[date], Meant]:
    return lambda today: Meant([day for read in readings for day in read(today).days], False)


TABLE: list[tuple[Callable[[date], Meant], dict[Language, list[str]]]] = [
    (plus(0), {"en": ["today", "tonight"], "es": ["hoy", "esta tarde"]}),
    (plus(1), {"en": ["tomorrow"], "es": ["mañana", "mañana por la mañana"]}),
    (plus(2), {"en": ["the day after tomorrow"], "es": ["pasado mañana"]}),
    (plus(3), {"en": ["in three days"], "es": ["en tres días"]}),
    (plus(14), {"en": ["in two weeks", "in a fortnight"], "es": ["en dos semanas"]}),
    (plus(8), {"en": ["a week from tomorrow"], "es": ["de mañana en ocho"]}),
    (a_weekday(FRIDAY), {"en": ["friday", "by Friday"], "es": ["el viernes", "para el viernes"]}),
    (a_weekday(SUNDAY), {"en": ["on sunday"], "es": ["el domingo"]}),
    (a_weekday(FRIDAY, 7), {"en": ["friday week"], "es": ["del viernes en ocho"]}),
    (one(falls_on(FRIDAY)), {"en": ["this friday"], "es": ["este viernes"]}),
    (next_weekday(FRIDAY), {"en": ["next friday"], "es": ["el próximo viernes"]}),
    (next_weekday(SUNDAY), {"en": ["next sunday"], "es": ["el domingo que viene"]}),
    (next_weekday(MONDAY), {"en": ["next monday"], "es": ["el otro lunes"]}),
    (week_friday, {"en": ["friday next week"], "es": ["el viernes de la próxima semana"]}),
    (one(lambda day: day.day == 15), {"en": ["the fifteenth"], "es": ["el día quince"]}),
    (one(lambda day: day.day == 31), {"en": ["the thirty first"], "es": ["el treinta y uno"]}),
    (one(dated(12, 24)), {"en": ["Dec 24th", "12/24"], "es": ["24 de diciembre", "24/12"]}),
    (one(dated(2, 29)), {"en": ["february twenty ninth"], "es": ["el 29 de febrero"]}),
    (month_later, {"en": ["in a month"], "es": ["en un mes"]}),
    (nth(-1, FRIDAY), {"en": ["the last friday of the month"],
                       "es": ["el último viernes del mes"]}),
    (nth(0, MONDAY, 12), {"en": ["the first Monday in December"],
                          "es": ["el primer lunes de diciembre"]}),
    (lambda today: Meant([of_month(today, 1)[14]]),
     {"en": ["the fifteenth of next month"], "es": ["el quince del mes que viene"]}),
    (lambda today: Meant([of_month(today, 1)[0]], False),
     {"en": ["next month"], "es": ["el próximo mes"]}),
    (unsure(last_of_month), {"en": ["the end of the month"], "es": ["a fin de mes"]}),
    (unsure(lambda day: day.day == 15), {"en": ["the middle of the month"],
                                         "es": ["a mediados de mes"]}),
    (unsure(dated(12, 15)), {"en": ["mid December"], "es": ["a mediados de diciembre"]}),
    (unsure(dated(12, 31)), {"en": ["the end of the year"], "es": ["a fin de año"]}),
    (unsure(falls_on(FRIDAY)), {"en": ["the end of the week"], "es": ["a fines de la semana"]}),
    (unsure(lambda day: day.day == 20), {"en": ["around the twentieth"], "es": ["como el veinte"]}),
    (quincena, {"es": ["la quincena"]}),
    (workdays, {"en": ["in three business days"], "es": ["en tres días hábiles"]}),
    (weekday_and_day(FRIDAY, 13), {"en": ["friday the thirteenth"], "es": ["el viernes trece"]}),
    (either(plus(7), plus(8)), {"es": ["en ocho días"]}),
    (either(plus(14), plus(15)), {"es": ["en quince días"]}),
    (either(a_weekday(FRIDAY), a_weekday(SATURDAY)),
     {"en": ["friday or saturday"], "es": ["el viernes o el sábado"]}),
    (one(dated(12, 25)), {"en": ["Christmas"], "es": ["navidad"]}),
    (after(1, dated(12, 25)), {"en": ["the day after Christmas"],
                               "es": ["el día después de navidad"]}),
    (after(-2, dated(12, 25)), {"en": ["two days before christmas"],
                                "es": ["dos días antes de navidad"]}),
    (one(thanksgiving), {"en": ["thanksgiving"], "es": ["el día de acción de gracias"]}),
    (after(1, thanksgiving), {"en": ["black friday"], "es": ["el viernes negro"]}),
    (one(lambda day: day in EASTERS), {"en": ["easter"], "es": ["el domingo de pascua"]}),
    (one(lambda day: day + timedelta(days=2) in EASTERS),
     {"en": ["on good friday"], "es": ["el viernes santo"]}),
    (one(memorial_day), {"en": ["memorial day"]}),
    (one(mothers_day), {"en": ["mother's day"]}),
    (either(one(dated(5, 10)), one(mothers_day)), {"es": ["el día de las madres"]}),
    (one(dated(1, 1)), {"en": ["new year's day"], "es": ["año nuevo"]}),
    (lambda today: Meant(of_week(today, 1), span=True),
     {"en": ["next week"], "es": ["la semana que viene"]}),
    (lambda today: Meant(of_week(today, 2), span=True), {"en": ["the week after next"]}),
    (lambda today: Meant(of_week(today, 0)[SATURDAY:], span=True),
     {"en": ["this weekend"], "es": ["este fin de semana"]}),
    (lambda today: Meant(
        [day for day in islice(ahead(today), 366) if day.month == 12][:31], span=True),
     {"en": ["in december"], "es": ["en diciembre"]}),
]  # fmt: skip
SAID = [
    (language, each, meant)
    for meant, said in TABLE
    for language, all_said in said.items()
    for each in all_said
]


def expected(meant: Meant, today: date, last: date) -> tuple[str, date | None]:
    inside = [day for day in meant.days if today <= day <= last]
    if not inside:
        return "outside", None if meant.span else meant.days[0]
    if meant.span:
        return "ambiguous", None
    return "exact" if meant.certain else "ambiguous", inside[0]


def agree(language: Language, said: str, meant: Callable[[date], Meant], days: list[date]) -> None:
    grammar = GRAMMARS[language]
    found = find_date(grammar.normalize(said), grammar, asked=True)
    assert found is not None
    for today in days:
        window = of_month(today)[-1]
        resolved = resolve(found.phrase, today)
        wanted = expected(meant(today), today, window)
        assert (resolved.outcome, resolved.day) == wanted, (found.phrase, today)
        if resolved.outcome is DateOutcome.AMBIGUOUS:
            assert resolved.candidates
            assert all(today <= day <= window for day in resolved.candidates)


@pytest.mark.parametrize(("language", "said", "meant"), SAID)
def test_every_phrase_on_some_days(
    language: Language, said: str, meant: Callable[[date], Meant]
) -> None:
    agree(language, said, meant, DAYS[::11])


@pytest.mark.slow
@pytest.mark.parametrize(("language", "said", "meant"), SAID)
def test_every_phrase_on_every_day(
    language: Language, said: str, meant: Callable[[date], Meant]
) -> None:
    agree(language, said, meant, DAYS)
