"""The words that English dates are made of, as the patterns of `english.dates` use them."""

from __future__ import annotations

from appliance.dialogue.words import MONTHS, WEEKDAYS, cardinal, ordinal
from appliance.nlu.dates import numbered
from appliance.nlu.english.holidays import HOLIDAYS
from appliance.nlu.words import any_of

DAYS = {ordinal(day): day for day in range(1, 32)}
DAYS |= {f"{day}{ending}": day for day in range(1, 32) for ending in ("st", "nd", "rd", "th")}
NUMBERS = {cardinal(number): number for number in range(1, 61)}
NUMBERS |= {str(number): number for number in range(1, 61)}
NUMBERS |= {f"0{number}": number for number in range(1, 10)}
COUNTS = NUMBERS | {"a": 1, "an": 1, "one": 1}
BARE_DAYS = {name: number for name, number in NUMBERS.items() if number <= 31}
"""Days as cardinals: "december five"."""
UNITS = {"day": 1, "night": 1, "week": 7, "wk": 7, "fortnight": 14}
NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
NTH |= {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

WEEKDAY_VALUES = numbered(WEEKDAYS)
_SHORT = ("mon", "tue tues", "wed weds", "thu thur thurs", "fri", "sat", "sun")
SHORT_WEEKDAYS = {name: day for day, names in enumerate(_SHORT) for name in names.split()}
WEEKDAY_VALUES |= SHORT_WEEKDAYS
MONTH_VALUES = numbered(MONTHS, 1)
_SHORT_MONTHS = (
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
)
MONTH_VALUES |= {name: MONTHS.index(full) + 1 for name in _SHORT_MONTHS
                 for full in MONTHS if full.startswith(name)}  # fmt: skip
YEARS = {
    f"{century} {cardinal(year)}": 2000 + year
    for year in range(16, 50)
    for century in ("twenty", "two thousand", "two thousand and")
}
"""The years that are near enough for a promise or an appointment, as they are said."""

DAY, BARE_DAY, NUMBER, COUNT = (any_of(words) for words in (DAYS, BARE_DAYS, NUMBERS, COUNTS))
WEEKDAY, SHORT_WEEKDAY = any_of(WEEKDAYS), any_of(SHORT_WEEKDAYS)
MONTH, FULL_MONTH = any_of(MONTH_VALUES), any_of(MONTHS)
SURE_MONTH = any_of(name for name in MONTH_VALUES if name not in ("may", "mar"))
"""What is a month and no common word, right behind a number."""
HOLIDAY = "|".join(f"({name})" for name in HOLIDAYS)
UNIT = any_of(UNITS)
NOT_A_DAY = (
    r"(?! (payment|time|thing|one|installment|half|week|part|name|place|of all|choice|bill|visit"
    rf"|call|floor|person|street|avenue|appointment|attempt|question|option|quarter|{WEEKDAY}|thought"
    r"|job|room|bathroom|bedroom|marriage|mortgage|child|kid|son|daughter|car|unit|shift|opinion"
    r"|look|try|notice|letter)s?\b)"
)
NO_ORDINAL = r"(?<!\ba )(?<!\bmy )(?<!\bone )(?<!\bat )(?<!\bevery )"
"""What stands before an ordinal that is no day: "a second", "at first"."""
NOT_MONEY = (
    r"(?! (dollar|buck|hundred|thousand|percent|cent|day|week|month|grand|hour|minute|year|people"
    r"|o'?clock|a ?m\b|p ?m\b|colon|point)s?)"
)
YEAR = rf"( (?P<year>20[1-4]\d|19\d\d|{any_of(YEARS)})\b(?! (dollar|buck|cent)))?"
FIGURES = r"0?[1-9]|[12]\d|3[01]"
"""A month or a day of it, in figures."""
FIGURED_YEAR = r"( (slash )?(?P<year>(19|20)\d\d)\b| slash (?P<short_year>\d\d)\b)?"


def on_weekday(pattern: str) -> str:
    """A pattern with the weekday that may be said before it, the group `named`."""
    return rf"((on )?(?P<named>{WEEKDAY}|{SHORT_WEEKDAY}) )?{pattern}"
