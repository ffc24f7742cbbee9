"""Dates and times of the external suites (`Specs/DateTime`), judged as a telephone call needs them.

A case is right if the day or the time that we find is the one that the file expects, first or
second (they give the coming and the past one, the morning's and the evening's). Left out are:

- days gone by that are named without their year ("last Sunday", "two days ago"): a caller is asked
  for a day to come, and what he says of the past is no answer;
- days that the file itself calls invalid (`0001-01-01`), and files' cases of several days or times,
  of durations, periods and repetitions, and times from now ("in five minutes").

Where a file of the whole model has no result, it is right to find no day.

Seconds are dropped: nobody keeps an appointment by them. A time without its half of the day is by
day here ("at three" is 15:00), so that it is also right twelve hours off, if the words name none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from appliance.dialogue.calendar import resolve
from appliance.nlu.dates import find_date
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.times import find_time
from appliance.testing.specs.suites import Case, Judge, Verdict
from appliance.types import Language

_INVALID = "0001-01-01"
_YEAR = re.compile(r"\d{4}|[/.-]\d{1,2}[/.,-]\d{2}\b")
_HALF_NAMED = re.compile(
    r"[ap]\.? ?m\b|\d[ap]m|morning|noon|night|evening|afternoon|lunch|manana|mañana|tarde|noche"
    r"|madrugada|mediod",
    re.IGNORECASE,
)
_FROM_THE_CLOCK = re.compile(r"\b(now|minutes?|hours?|ahora|minutos?|horas?)\b", re.IGNORECASE)
"""Times that hang on the hour of the call ("in five minutes"): no appointment is made so."""
_PARTS = {"morning": ("08:00", "10:00"), "afternoon": ("14:00",), "evening": ("20:00",)}
"""What the files make of a part of the day that is named alone ("mid-morning")."""
_FAR = date(9999, 12, 31)
_HALF_DAY_HOURS = 12


def suites() -> Mapping[str, Judge]:
    """The judges by the model that they are for."""
    return {
        "DateTime/DateParser": judge_date,
        "DateTime/TimeParser": judge_time,
        "DateTime/HolidayParser": judge_date,
        "DateTime/DateTimeModel": judge_model,
        "DateTime/DateTimeModelExperimentalMode": judge_model,
    }


def judge_date(case: Case, language: Language) -> Verdict | None:
    """A case of one day."""
    if len(case["Results"]) != 1:
        return None
    value = case["Results"][0].get("Value") or {}
    named = {
        value.get(way, {}).get("date", _INVALID) for way in ("FutureResolution", "PastResolution")
    }
    return _day(case, language, named - {_INVALID, ""})


def judge_time(case: Case, language: Language) -> Verdict | None:
    """A case of one time of day."""
    if len(case["Results"]) != 1:
        return None
    value = case["Results"][0].get("Value") or {}
    named = {
        value.get(way, {}).get("time", "")[:5] for way in ("FutureResolution", "PastResolution")
    }
    return _time(case, language, named - {""})


def judge_model(case: Case, language: Language) -> Verdict | None:
    """A case of the whole model: one day, one time, both together, or nothing at all."""
    if not case["Results"]:
        return _nothing(case, language)
    if len(case["Results"]) != 1:
        return None
    result = case["Results"][0]
    values: list[dict[str, Any]] = (result.get("Resolution") or {}).get("values", [])
    kind = str(result.get("TypeName", "")).rpartition(".")[2]
    named = {str(value.get("value", "")) for value in values} - {"", "not resolved"}
    if kind == "date":
        return _day(case, language, named)
    if kind == "time":
        return _time(case, language, {at[:5] for at in named})
    return _both(case, language, named) if kind == "datetime" else None


def _both(case: Case, language: Language, named: set[str]) -> Verdict | None:
    """A day and a time of day."""
    day = _day(case, language, {both[:10] for both in named})
    time = _time(case, language, {both[11:16] for both in named})
    if day is None or time is None or _FROM_THE_CLOCK.search(case["Input"]):
        return None
    return Verdict(day.right and time.right, f"{day.found}, {time.found}")


def _nothing(case: Case, language: Language) -> Verdict:
    """Whether no day is found where the file has none, in words that answer no question."""
    grammar = GRAMMARS[language]
    found = find_date(grammar.normalize(case["Input"]), grammar, asked=False)
    return Verdict(found is None, found.phrase if found else "")


def _day(case: Case, language: Language, named: set[str]) -> Verdict | None:
    today = datetime.fromisoformat(case["Context"]["ReferenceDateTime"]).date()
    gone_by = all(date.fromisoformat(day) < today for day in named)
    if not named or (gone_by and not _YEAR.search(case["Input"])):
        return None
    grammar = GRAMMARS[language]
    found = find_date(grammar.normalize(case["Input"]), grammar, asked=True)
    day = resolve(found.phrase, today, last=_FAR).day if found else None
    return Verdict(
        day is not None and day.isoformat() in named,
        f"{found.phrase if found else None}: {day}",
    )


def _time(case: Case, language: Language, named: set[str]) -> Verdict | None:
    if not named:
        return None
    grammar = GRAMMARS[language]
    found = find_time(grammar.normalize(case["Input"]), grammar, asked=True)
    right = found in named or bool(set(_PARTS.get(found, ())) & named)
    if not right and found[2:3] == ":" and not _HALF_NAMED.search(case["Input"]):
        other = (int(found[:2]) + _HALF_DAY_HOURS) % 24
        right = f"{other:02}{found[2:]}" in named
    return Verdict(right, found)
