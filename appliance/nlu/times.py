"""Finds a time of day in words: `HH:MM`, `morning`, `afternoon`, `evening` or `any`.

Where both a time and a part of the day are named, they are put together: "tomorrow evening at
seven" is 19:00. A time without either is by day (see the language's table).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from appliance.nlu.grammar import DateReader, Grammar
from appliance.nlu.negation import is_negated

ANY = "any"
_NOON = 12
_LATE = ("afternoon", "evening")

_Patterns = Iterable[tuple[re.Pattern[str], DateReader]]


def find_time(text: str, grammar: Grammar, *, asked: bool) -> str:
    """The time of day in a normalized utterance; "" for none that is not negated.

    The first that is named counts, or the last where the caller corrects it ("ten, no, eleven").
    With `asked`, bare forms count too ("ten thirty").

    Args:
        text: without its date, whose numbers are none of the time's.
        grammar: the language.
        asked: whether a time was asked for.
    """
    times = grammar.times
    clock = _named(text, (*times.clock, *(times.asked if asked else ())), grammar)
    parts = _named(text, times.parts, grammar)
    if not clock:
        return _first(text, parts, grammar)
    return _joined(_first(text, clock, grammar), [part for _, part in parts])


def _named(text: str, patterns: _Patterns, grammar: Grammar) -> list[tuple[int, str]]:
    """Every time with its place, in the order of the words; no word counts for two."""
    taken: list[tuple[int, int]] = []
    named: list[tuple[int, str]] = []
    for start, end, found in _matches(text, patterns):
        if any(start < upto and since < end for since, upto in taken):
            continue
        taken.append((start, end))
        if found and not is_negated(text.split(), text[:start].count(" "), grammar.negation):
            named.append((start, found))
    return sorted(named)


def _matches(text: str, patterns: _Patterns) -> Iterator[tuple[int, int, str]]:
    for search, read in patterns:
        for match in search.finditer(text):
            yield match.start(), match.end(), read(match)


def _first(text: str, named: list[tuple[int, str]], grammar: Grammar) -> str:
    if not named:
        return ""
    corrected = grammar.dates.correction.search(text, named[0][0])
    return named[-1][1] if corrected else named[0][1]


def _joined(clock: str, parts: list[str]) -> str:
    """A clock time in the half of the day that was named beside it."""
    hour = int(clock[:2])
    if hour < _NOON and any(part in _LATE for part in parts):
        return f"{hour + _NOON:02}{clock[2:]}"
    if hour > _NOON and "morning" in parts:
        return f"{hour - _NOON:02}{clock[2:]}"
    return clock
