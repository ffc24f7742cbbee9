"""Finds a time of day in words: `HH:MM`, `morning`, `afternoon`, `evening` or `any`.

Where both a time and a part of the day are named, they are put together: "tomorrow evening at
seven" is 19:00. A time without either is by day: nobody is visited at three in the morning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from appliance.nlu.grammar import DateReader, Grammar
from appliance.nlu.negation import end_of_denial, is_negated

NOON_HOUR = 12
_FIRST_AFTER_NOON, _LAST_AFTER_NOON = 1, 6
"""The hours that are after noon where their half of the day is not said."""
_FIRST_OF_EVENING = 5
"""At night, hours below this are after midnight, and those from it on before."""
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
    patterns = (*times.clock, *(times.asked if asked else ()))
    text = _without_denied(text, (*patterns, *times.parts), grammar)
    clock = _named(text, patterns, grammar)
    for start, end, _ in _matches(text, patterns):  # no word counts for both
        text = text[:start] + re.sub(r"\S", "_", text[start:end]) + text[end:]
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
        if found and not _taken_back(text, start, end, grammar):
            named.append((start, found))
    return sorted(named)


def _without_denied(text: str, patterns: _Patterns, grammar: Grammar) -> str:
    """The text from the second time on, where "no" denies the first: "no a las dos, a las seis"."""
    head, _, rest = text.partition(" ")
    if head not in grammar.negation.replies:
        return text
    spans = [(start, end) for start, end, _ in _matches(rest, patterns)]
    after = {end + 1 for start, end in spans if start == 0}
    second = min((start for start, _ in spans if start in after), default=0)
    return rest[second:] if second else text


def _taken_back(text: str, start: int, end: int, grammar: Grammar) -> bool:
    """Whether it is negated before or denied after it ("not at ten", "por la tarde no")."""
    words, place = text.split(), text[:start].count(" ")
    after = place + len(text[start:end].split())
    return is_negated(words, place, grammar.negation) or bool(
        end_of_denial(words, place, after, grammar.negation)
    )


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
    if hour < NOON_HOUR and any(part in _LATE for part in parts):
        return f"{hour + NOON_HOUR:02}{clock[2:]}"
    if hour > NOON_HOUR and "morning" in parts:
        return f"{hour - NOON_HOUR:02}{clock[2:]}"
    return clock


Half = Literal["", "morning", "later", "night"]


def clock_time(hour: int, minute: int, half: Half) -> str:
    """An hour and a minute as `HH:MM`, in the half of the day that was said with it.

    Args:
        hour: 0 to 23; "" for what is no time of day.
        minute: 0 to 59.
        half: `later` is after noon, `night` either side of midnight; without one an hour from one
            to six is after noon.
    """
    if not (0 <= hour < 24 and 0 <= minute < 60):
        return ""
    if half == "morning" or (half == "night" and (hour == NOON_HOUR or hour < _FIRST_OF_EVENING)):
        hour %= NOON_HOUR if hour <= NOON_HOUR else 24
    elif hour < NOON_HOUR and (half or _FIRST_AFTER_NOON <= hour <= _LAST_AFTER_NOON):
        hour += NOON_HOUR
    return f"{hour:02}:{minute:02}"
