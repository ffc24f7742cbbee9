"""Finds a date in words and names it as a phrase that `appliance.dialogue.calendar` resolves.

Nothing here knows the day: "next friday" is `next:4`, whenever it is said. A language's patterns
are tried from the most to the least specific, so that "Friday the twenty seventh" is the
twenty-seventh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from appliance.nlu.grammar import DateReader, Grammar
from appliance.nlu.negation import end_of_denial, is_negated

_LOOSE = ("payday", "vague", "next_week")
"""Phrases that a named day beside them makes precise."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A phrase, and the words `start`..`end` (exclusive) that it was read from."""

    phrase: str
    start: int
    end: int


def find_date(text: str, grammar: Grammar, *, asked: bool) -> FoundDate | None:
    """The date in a normalized utterance, if there is one that is not negated.

    The first that is named counts, or the last where the caller corrects it ("Friday, no,
    Thursday"). With `asked`, bare forms count too ("fifteenth", "two weeks").
    """
    words = text.split()
    found, before = [], 0
    for date in _named(text, grammar, asked=asked):
        denied = end_of_denial(words, date.start, date.end, grammar.negation)
        negated = is_negated(words[before:], date.start - before, grammar.negation)
        if date.phrase and not negated and not denied:
            found.append(date)
        before = max(date.end, denied)  # "not today, Friday": the negation is spent on the first
    if not found:
        return None
    between = " ".join(words[found[0].end : found[-1].start])
    if grammar.dates.correction.search(between):
        return found[-1]
    return next((date for date in found if date.phrase not in _LOOSE), found[0])


def _named(text: str, grammar: Grammar, *, asked: bool) -> list[FoundDate]:
    """Every date that is named, in the order of the words; no word counts for two."""
    taken: list[tuple[int, int]] = []
    named: list[FoundDate] = []
    for search, read in (*grammar.dates.anywhere, *(grammar.dates.asked if asked else ())):
        for match in search.finditer(text):
            span = match.start(), match.end()
            if any(span[0] < end and start < span[1] for start, end in taken):
                continue
            taken.append(span)
            begin = text[: match.start()].count(" ") + match.group().startswith(" ")
            named.append(FoundDate(read(match), begin, begin + len(match.group().split())))
    return sorted(named, key=lambda date: date.start)


# What the tables of the languages are built with.


def always(phrase: str) -> DateReader:
    """A reader for what means the same in every match."""
    return lambda _: phrase


def weekday_as(kind: str, weekdays: Sequence[str]) -> DateReader:
    """A reader that names the group `weekday` as `kind` (`next:4`)."""
    return lambda match: f"{kind}:{weekdays.index(match['weekday'])}"


def compiled(
    patterns: Iterable[tuple[str, DateReader]],
) -> tuple[tuple[re.Pattern[str], DateReader], ...]:
    """The patterns, matched at word boundaries."""
    return tuple((re.compile(rf"\b({pattern})\b"), read) for pattern, read in patterns)
