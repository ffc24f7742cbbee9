"""How a day is named in English."""

from __future__ import annotations

import re

from appliance.dialogue.words import MONTHS, WEEKDAYS, cardinal, ordinal
from appliance.nlu.dates import always, compiled, weekday_as
from appliance.nlu.grammar import DatePatterns, DateReader
from appliance.nlu.words import any_of

_DAYS = {ordinal(day): day for day in range(1, 32)}
_DAYS |= {f"{day}{ending}": day for day in range(1, 32) for ending in ("st", "nd", "rd", "th")}
_NUMBERS = {cardinal(number): number for number in range(1, 61)}
_NUMBERS |= {str(number): number for number in range(1, 61)}
_COUNTS = _NUMBERS | {"a": 1, "an": 1}

_DAY, _NUMBER, _COUNT = any_of(_DAYS), any_of(_NUMBERS), any_of(_COUNTS)
_MONTH, _WEEKDAY = any_of(MONTHS), any_of(WEEKDAYS)
_YEAR = r"( (?P<year>20\d\d))?"
_START = rf"now|today|tomorrow|((this|next|on) )?({_WEEKDAY})"
_NOT_A_DAY = r"(?! (payment|time|thing|one|installment|half|week|part|name|place|of all|choice))"
_NOT_MONEY = r"(?! (dollar|buck|hundred|thousand|percent|cent|day|week|month|grand))"


def _month_day(match: re.Match[str]) -> str:
    day = _DAYS.get(match["day"]) or _COUNTS[match["day"]]
    month = MONTHS.index(match["month"]) + 1
    year = match.groupdict().get("year")
    return f"date:{year}-{month}-{day}" if year else f"date:{month}-{day}"


def _day(match: re.Match[str]) -> str:
    return f"day:{_DAYS[match['day']]}"


def _from(match: re.Match[str]) -> str:
    start = match["start"]
    if start in ("today", "now"):
        phrase = "today"
    elif start == "tomorrow":
        phrase = "tomorrow"
    else:
        *prefix, weekday = start.split()
        phrase = f"{'next' if prefix == ['next'] else 'weekday'}:{WEEKDAYS.index(weekday)}"
    days = _COUNTS[match["count"]] * (7 if match["unit"] == "week" else 1)
    return f"after:{phrase}:{days}"


def _named(kind: str) -> DateReader:
    return weekday_as(kind, WEEKDAYS)


_SPECIFIC: tuple[tuple[str, DateReader], ...] = (
    (rf"last ({_WEEKDAY}|week|month|year|night)", always("")),
    (
        rf"(?P<count>{_COUNT}) (?P<unit>week|day)s? (from|after) (?P<start>{_START})",
        _from,
    ),
    (
        rf"(in|within) (?P<count>{_COUNT}) (?P<unit>day|week|month)s?( time)?",
        lambda match: f"in_{match['unit']}s:{_COUNTS[match['count']]}",
    ),
    (
        rf"(?P<count>{_COUNT}) months? from (now|today)",
        lambda match: f"in_months:{_COUNTS[match['count']]}",
    ),
    (
        r"(?P<month>\d{1,2}) slash (?P<day>\d{1,2})",
        lambda match: f"date:{int(match['month'])}-{int(match['day'])}",
    ),
    (
        rf"(({_WEEKDAY}) )?(?P<month>{_MONTH}) (the )?(?P<day>{_DAY}|{_NUMBER}){_NOT_MONEY}{_YEAR}",
        _month_day,
    ),
    (rf"(the )?(?P<day>{_DAY})( day)? of (?P<month>{_MONTH}){_YEAR}", _month_day),
    (rf"((the )?({_DAY})|first day|beginning|start) (of|in) next month", always("next_month")),
    (
        rf"(({_WEEKDAY}) )?(on )?the (?P<day>{_DAY})( day)?( of (this|the) month)?{_NOT_A_DAY}",
        _day,
    ),
    (rf"({_WEEKDAY}) (?P<day>{_DAY})", _day),
)
_RELATIVE: tuple[tuple[str, DateReader], ...] = (
    (r"(the )?day after tomorrow", always("overmorrow")),
    (rf"every ({_WEEKDAY}|week|month)", always("vague")),
    (rf"(?P<weekday>{_WEEKDAY}) after next", _named("next")),
    (rf"next (?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"(?P<weekday>{_WEEKDAY}) (of )?(next|the following) week", _named("next")),
    (rf"next week (on )?(?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"this( coming)? (?P<weekday>{_WEEKDAY})", _named("this")),
    (rf"(?P<weekday>{_WEEKDAY})s?", _named("weekday")),
    (r"tomorrow", always("tomorrow")),
    (r"today|tonight|this (morning|afternoon|evening)", always("today")),
    (r"(?<=pay )(it )?(right )?now|(?<=do it )(right )?now", always("today")),
    (r"yesterday", always("yesterday")),
    (r"((the )?end of (the|this) month|month end|(the )?last (day )?of the month)",
     always("end_of_month")),
    (r"(the )?end of (the|this) week", always("end_of_week")),
)  # fmt: skip
_LOOSE: tuple[tuple[str, DateReader], ...] = (
    (r"next month", always("next_month")),
    (r"next week", always("next_week")),
    (r"payday|(my|the|next) (paycheck|check|paychecks)|(when )?i (get|am) paid", always("payday")),
    (r"(this|the) (week|weekend|month)|sometime( soon)?|soon|as soon as i can", always("vague")),
    (r"(in )?(a )?(couple|few) (of )?(days|weeks|months)", always("vague")),
)
_ASKED: tuple[tuple[str, DateReader], ...] = (
    (rf"(?P<day>{_DAY})\b{_NOT_A_DAY}", _day),
    (
        rf"(the|on|on the|by|by the) (?P<day>{_NUMBER})\b{_NOT_MONEY}",
        lambda match: f"day:{_COUNTS[match['day']]}",
    ),
    (
        rf"(?P<count>{_COUNT}) (?P<unit>day|week|month)s?",
        lambda match: f"in_{match['unit']}s:{_COUNTS[match['count']]}",
    ),
)

DATES = DatePatterns(
    anywhere=compiled((*_SPECIFIC, *_RELATIVE, *_LOOSE)),
    asked=compiled(_ASKED),
    correction=re.compile(r"\b(no|sorry|mean|rather|actually|wait)\b"),
)
