"""What a match of an English date pattern means: the readers of the tables in `english.dates`."""

from __future__ import annotations

import re

from appliance.nlu.dates import figured, weekday_as
from appliance.nlu.english.date_words import (
    BARE_DAYS,
    COUNTS,
    DAYS,
    MONTH_VALUES,
    NTH,
    NUMBERS,
    UNITS,
    WEEKDAY_VALUES,
    YEARS,
)
from appliance.nlu.english.holidays import HOLIDAYS
from appliance.nlu.grammar import DateReader


def month_day(match: re.Match[str]) -> str:
    """A month's name and a day, the year with it where it was said."""
    said = match.groupdict()
    day = DAYS.get(match["day"]) or BARE_DAYS[match["day"]]
    month, year = MONTH_VALUES[match["month"]], said.get("year")
    return f"date:{YEARS.get(year, year)}-{month}-{day}" if year else f"date:{month}-{day}"


def figures(match: re.Match[str]) -> str:
    """Figures, month first."""
    first, second = NUMBERS[match["first"]], NUMBERS[match["second"]]
    year = match["year"] or match["short_year"]
    return figured(first, second, year, day_first=False)


def day(match: re.Match[str]) -> str:
    """A day of the month by its number."""
    return f"day:{DAYS.get(match['day']) or BARE_DAYS[match['day']]}"


def start(words: str) -> str:
    """The phrase of a day that others are counted from."""
    for holiday, name in HOLIDAYS.items():
        if re.fullmatch(holiday, words):
            return f"holiday:{name}"
    *prefix, last = words.removeprefix("the ").split()
    if last in ("now", "today"):
        return "today"
    if last in ("tomorrow", "yesterday"):
        return last
    if last in WEEKDAY_VALUES:
        kind = {"next": "next", "this": "this", "coming": "this"}.get(" ".join(prefix[-1:]))
        return f"{kind or 'weekday'}:{WEEKDAY_VALUES[last]}"
    month = next((MONTH_VALUES[word] for word in words.split() if word in MONTH_VALUES), None)
    day = next(DAYS[name] for name in sorted(DAYS, key=len, reverse=True) if name in words)
    return f"date:{month}-{day}" if month else f"day:{day}"


def counted_from(match: re.Match[str]) -> str:
    """So many days or weeks after or before another day."""
    days = COUNTS[match["count"]] * UNITS[match["unit"]]
    return f"after:{start(match['start'])}:{-days if match['way'] == 'before' else days}"


def beside(match: re.Match[str]) -> str:
    """The weekday after or before a holiday or another day."""
    way = "preceding" if match["way"] == "before" else "following"
    return f"{way}:{WEEKDAY_VALUES[match['weekday']]}:{start(match['start'])}"


def next_to(days: int) -> DateReader:
    """So many days from another day, which is named."""
    return lambda match: f"after:{start(match['start'])}:{days}"


def ahead(match: re.Match[str]) -> str:
    """So many days, weeks, months or years from now, or about so many."""
    about = "about:" if match.groupdict().get("about") else ""
    return about + _ahead(COUNTS[match["count"]], match["unit"])


def _ahead(count: int, unit: str) -> str:
    if unit in ("month", "year"):
        return f"in_months:{count * (12 if unit == 'year' else 1)}"
    return (
        f"in_days:{count}" if unit in ("day", "night") else f"in_weeks:{count * UNITS[unit] // 7}"
    )


def weekdays_ahead(match: re.Match[str]) -> str:
    """In so many weeks on a weekday: "two Sundays from now"."""
    return f"after:weekday:{WEEKDAY_VALUES[match['weekday']]}:{7 * COUNTS[match['count']] - 7}"


def nth(match: re.Match[str]) -> str:
    """A weekday of a month ("the last Friday"), by its name, of this or of the next one."""
    month = match["month"].split()
    which = MONTH_VALUES.get(month[-1]) or ("next" if month[-2:-1] in (["next"], ["following"])
                                            else "this" if "this" in month else "")  # fmt: skip
    found = f"nth:{NTH[match['nth']]}:{WEEKDAY_VALUES[match['weekday']]}"
    return f"{found}:{which}" if which else found


def part_of_month(part: str) -> DateReader:
    """The start, the middle or the end of a month: of this, of the next or by its name."""

    def read(match: re.Match[str]) -> str:
        month = match["month"]
        if month in MONTH_VALUES:
            return f"{part}:{MONTH_VALUES[month]}"
        if not re.search("next|following|coming month", month) or month.startswith("this"):
            return f"{part}:this" if part == "start_of_month" else part
        return "next_month" if part == "start_of_month" else f"{part}:next"

    return read


def week(match: re.Match[str]) -> str:
    """A weekday of next week."""
    return f"week:1:{WEEKDAY_VALUES[match['weekday']]}"


def named(kind: str) -> DateReader:
    """A weekday as `kind` (`next:4`)."""
    return weekday_as(kind, WEEKDAY_VALUES)
