"""What a match of a Spanish date pattern means: the readers of the tables in `spanish.dates`."""

from __future__ import annotations

import re

from appliance.nlu.dates import figured, weekday_as
from appliance.nlu.grammar import DateReader
from appliance.nlu.spanish.date_words import (
    COUNTS,
    DAYS,
    MONTH_NUMBERS,
    NEXT_MONTH,
    NTH,
    NTH_DAYS,
    UNITS,
    WEEKDAY_VALUES,
    YEARS,
)
from appliance.nlu.spanish.holidays import HOLIDAYS


def month_day(match: re.Match[str]) -> str:
    """A day and a month's name, the year with it where it was said."""
    month = MONTH_NUMBERS[match["month"]]
    day = DAYS.get(match["day"]) or NTH_DAYS[match["day"]]
    year = match.groupdict().get("year")
    return f"date:{YEARS.get(year, year)}-{month}-{day}" if year else f"date:{month}-{day}"


def figures(match: re.Match[str]) -> str:
    """Figures: day first in Spanish, month first to many who live in the United States."""
    year = match["year"] or match["short_year"]
    return figured(int(match["first"]), int(match["second"]), year, day_first=None)


def day(match: re.Match[str]) -> str:
    """A day of the month by its number."""
    return f"day:{DAYS[match['day']]}"


def next_month_day(match: re.Match[str]) -> str:
    """A day of next month; of the first its older name."""
    number = DAYS[match["day"]]
    return "next_month" if number == 1 else f"next_month:{number}"


def ahead(match: re.Match[str]) -> str:
    """So many days, weeks or months from now."""
    if match["unit"] == "ano":
        return f"in_months:{12 * COUNTS[match['count']]}"
    return f"in_{UNITS[match['unit']]}:{COUNTS[match['count']]}"


def counted(match: re.Match[str]) -> str:
    """So many days or weeks after or before another day."""
    days = COUNTS[match["count"]] * (7 if match["unit"] == "semana" else 1)
    return f"after:{start(match['start'])}:{-days if match['way'].startswith('antes') else days}"


def idiom(match: re.Match[str]) -> str:
    """A week or two from a day: "de hoy en ocho", "de hoy en quince"."""
    return f"after:{start(match['start'])}:{7 if match['days'] in ('ocho', '8') else 14}"


def eight_days(match: re.Match[str]) -> str:
    """A week to most, eight days to some: "en ocho días"; or two, "en quince días"."""
    eight = match["days"] in ("ocho", "8")
    return "or:in_days:7|in_days:8" if eight else "or:in_days:14|in_days:15"


def beside(match: re.Match[str]) -> str:
    """The weekday after or before a holiday or a day of the month."""
    way = "preceding" if match["way"].startswith("antes") else "following"
    return f"{way}:{WEEKDAY_VALUES[match['weekday']]}:{start(match['start'])}"


def next_to(days: int) -> DateReader:
    """The day right after (1) or before (-1) another."""
    return lambda match: f"after:{start(match['start'])}:{days}"


def start(words: str) -> str:
    """The phrase of a day that others are counted from."""
    for holiday, name in HOLIDAYS.items():
        if re.fullmatch(holiday, words):
            return f"holiday:{name}"
    *prefix, name = words.split()
    if name in WEEKDAY_VALUES:
        kind = "this" if prefix == ["este"] else "next" if "proximo" in prefix else "weekday"
        return f"{kind}:{WEEKDAY_VALUES[name]}"
    if name in ("hoy", "manana", "ayer"):
        return {"hoy": "today", "manana": "tomorrow", "ayer": "yesterday"}[name]
    return f"day:{DAYS[re.sub('^(el |dia )*', '', words)]}"


def nth(match: re.Match[str]) -> str:
    """A weekday of a month ("el último viernes"), by its name, of this or of the next one."""
    found = f"nth:{NTH[match['nth']]}:{WEEKDAY_VALUES[match['weekday']]}"
    month = match["month"] or ""
    if month in MONTH_NUMBERS:
        return f"{found}:{MONTH_NUMBERS[month]}"
    if re.fullmatch(NEXT_MONTH, month):
        return f"{found}:next"
    return f"{found}:this" if month.startswith("este") else found


def part_of_month(part: str) -> DateReader:
    """The start, the middle or the end of a month: of this, of the next or by its name."""

    def read(match: re.Match[str]) -> str:
        month = match["month"]
        if month in MONTH_NUMBERS:
            return f"{part}:{MONTH_NUMBERS[month]}"
        if re.fullmatch(NEXT_MONTH, month):
            return "next_month" if part == "start_of_month" else f"{part}:next"
        return "next_month" if part == "start_of_month" else part

    return read


def week(match: re.Match[str]) -> str:
    """A weekday of next week."""
    return f"week:1:{WEEKDAY_VALUES[match['weekday']]}"


def named(kind: str) -> DateReader:
    """A weekday as `kind` (`next:4`)."""
    return weekday_as(kind, WEEKDAY_VALUES)
