"""Finds a date in words and names it as a phrase that `appliance.dialogue.calendar` resolves.

Nothing here knows the day: "next friday" is `next:4`, whenever it is said. Patterns are tried from
the most to the least specific, so that "Friday the twenty seventh" is the twenty-seventh.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from appliance.dialogue.words import MONTHS, WEEKDAYS, cardinal, ordinal
from appliance.nlu.negation import is_negated

_DAYS = {ordinal(day): day for day in range(1, 32)}
_DAYS |= {f"{day}{ending}": day for day in range(1, 32) for ending in ("st", "nd", "rd", "th")}
_NUMBERS = {cardinal(number): number for number in range(1, 61)}
_NUMBERS |= {str(number): number for number in range(1, 61)}
_COUNTS = _NUMBERS | {"a": 1, "an": 1}


def _any(names: Sequence[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_DAY, _NUMBER, _COUNT = _any(list(_DAYS)), _any(list(_NUMBERS)), _any(list(_COUNTS))
_MONTH, _WEEKDAY = _any(MONTHS), _any(WEEKDAYS)
_YEAR = r"( (?P<year>20\d\d))?"
_START = rf"now|today|tomorrow|((this|next|on) )?({_WEEKDAY})"
_NOT_A_DAY = r"(?! (payment|time|thing|one|installment|half|week|part|name|place|of all|choice))"
_NOT_MONEY = r"(?! (dollar|buck|hundred|thousand|percent|cent|day|week|month|grand))"


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A phrase, and the words `start`..`end` (exclusive) that it was read from."""

    phrase: str
    start: int
    end: int


Reader = Callable[["re.Match[str]"], str]


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


def _named(kind: str) -> Reader:
    return lambda match: f"{kind}:{WEEKDAYS.index(match['weekday'])}"


def _always(phrase: str) -> Reader:
    return lambda _: phrase


_SPECIFIC: tuple[tuple[str, Reader], ...] = (
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
    (rf"((the )?({_DAY})|first day|beginning|start) (of|in) next month", _always("next_month")),
    (
        rf"(({_WEEKDAY}) )?(on )?the (?P<day>{_DAY})( day)?( of (this|the) month)?{_NOT_A_DAY}",
        _day,
    ),
    (rf"({_WEEKDAY}) (?P<day>{_DAY})", _day),
)
_RELATIVE: tuple[tuple[str, Reader], ...] = (
    (r"(the )?day after tomorrow", _always("overmorrow")),
    (rf"every ({_WEEKDAY}|week|month)", _always("vague")),
    (rf"(?P<weekday>{_WEEKDAY}) after next", _named("next")),
    (rf"next (?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"(?P<weekday>{_WEEKDAY}) (of )?(next|the following) week", _named("next")),
    (rf"next week (on )?(?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"this( coming)? (?P<weekday>{_WEEKDAY})", _named("this")),
    (rf"(?P<weekday>{_WEEKDAY})s?", _named("weekday")),
    (r"tomorrow", _always("tomorrow")),
    (r"today|tonight|this (morning|afternoon|evening)", _always("today")),
    (r"(?<=pay )(it )?(right )?now|(?<=do it )(right )?now", _always("today")),
    (r"yesterday", _always("yesterday")),
    (r"((the )?end of (the|this) month|month end|(the )?last (day )?of the month)",
     _always("end_of_month")),
    (r"(the )?end of (the|this) week", _always("end_of_week")),
)  # fmt: skip
_LOOSE: tuple[tuple[str, Reader], ...] = (
    (r"next month", _always("next_month")),
    (r"next week", _always("next_week")),
    (r"payday|(my|the|next) (paycheck|check|paychecks)|(when )?i (get|am) paid", _always("payday")),
    (r"(this|the) (week|weekend|month)|sometime( soon)?|soon|as soon as i can", _always("vague")),
    (r"(in )?(a )?(couple|few) (of )?(days|weeks|months)", _always("vague")),
)
_PATTERNS = (*_SPECIFIC, *_RELATIVE, *_LOOSE)
_SEARCHES = tuple((re.compile(rf"\b({pattern})\b"), read) for pattern, read in _PATTERNS)
_ASKED = (
    (re.compile(rf"\b(?P<day>{_DAY})\b{_NOT_A_DAY}"), _day),
    (re.compile(rf"\b(the|on|on the|by|by the) (?P<day>{_NUMBER})\b{_NOT_MONEY}"),
     lambda match: f"day:{_COUNTS[match['day']]}"),
    (re.compile(rf"\b(?P<count>{_COUNT}) (?P<unit>day|week|month)s?\b"),
     lambda match: f"in_{match['unit']}s:{_COUNTS[match['count']]}"),
)  # fmt: skip
_CORRECTION = re.compile(r"\b(no|sorry|mean|rather|actually|wait)\b")


def find_date(text: str, *, asked: bool) -> FoundDate | None:
    """The date in a normalized utterance, if there is one that is not negated.

    The first that is named counts, or the last where the caller corrects it ("Friday, no,
    Thursday"). With `asked`, bare forms count too ("fifteenth", "two weeks").
    """
    words = text.split()
    taken: list[tuple[int, int]] = []
    named: list[FoundDate] = []
    for search, read in (*_SEARCHES, *(_ASKED if asked else ())):
        for match in search.finditer(text):
            span = match.start(), match.end()
            if any(span[0] < end and start < span[1] for start, end in taken):
                continue
            taken.append(span)
            begin = text[: match.start()].count(" ") + match.group().startswith(" ")
            named.append(FoundDate(read(match), begin, begin + len(match.group().split())))
    named.sort(key=lambda date: date.start)
    found, before = [], 0
    for date in named:
        if not is_negated(words[before:], date.start - before):
            found.append(date)
        before = date.end  # "not today, Friday": the negation spends itself on the first
    if not found:
        return None
    between = " ".join(words[found[0].end : found[-1].start])
    specific = [date for date in found if date.phrase not in ("payday", "vague", "next_week")]
    if _CORRECTION.search(between):
        return found[-1]
    return (specific or found)[0]
