"""Finds a date in words and names it as a phrase that `appliance.dialogue.calendar` resolves.

Nothing here knows the day: "next friday" is `next:4`, whenever it is said. A language's patterns
are tried from the most to the least specific, so that "Friday the twenty seventh" is the
twenty-seventh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from appliance.nlu.grammar import DateReader, Grammar
from appliance.nlu.negation import end_of_denial, is_negated

_LOOSE = ("payday", "vague", "next_week", "quincena", "week", "weekend", "month")
"""Names of phrases that a named day beside them makes precise."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A phrase, and the words `start`..`end` (exclusive) that it was read from."""

    phrase: str
    start: int
    end: int

    @property
    def loose(self) -> bool:
        """Whether it names no single day."""
        name, _, value = self.phrase.partition(":")
        return name in _LOOSE and ":" not in value


def find_date(text: str, grammar: Grammar, *, asked: bool) -> FoundDate | None:
    """The date in a normalized utterance, if there is one that is not negated.

    The first that is named counts, or the last where the caller corrects it ("Friday, no,
    Thursday"); "Friday or Saturday" is either, "from Monday to Friday" is vague. With `asked`,
    bare forms count too ("fifteenth", "two weeks").
    """
    words = text.split()
    found = _affirmed(words, _named(text, grammar, asked=asked), grammar)
    if not found:
        return None
    between = " ".join(words[found[0].end : found[-1].start])
    if grammar.dates.correction.search(between) or _denied_by_reply(words, found, grammar):
        return _hedged(words, found[-1], grammar)
    two = _joined(words, found, grammar)
    if two:
        return two
    return _hedged(words, next((date for date in found if not date.loose), found[0]), grammar)


def _affirmed(words: list[str], named: list[FoundDate], grammar: Grammar) -> list[FoundDate]:
    """The days that can be meant, without those that are negated or no coming days."""
    found, before = [], 0
    for date in named:
        denied = end_of_denial(words, date.start, date.end, grammar.negation)
        negated = is_negated(words[before:], date.start - before, grammar.negation)
        if date.phrase and not negated and not denied:
            found.append(date)
        before = max(date.end, denied)  # "not today, Friday": the negation is spent on the first
    return found


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


def _denied_by_reply(words: list[str], found: list[FoundDate], grammar: Grammar) -> bool:
    """Whether a "no" that could only answer denies one of two days: "no el lunes, el martes"."""
    next_to_it = len(found) == 2 and found[0].end == found[1].start
    return next_to_it and found[0].start == 1 and words[0] in grammar.negation.replies


def _joined(words: list[str], found: list[FoundDate], grammar: Grammar) -> FoundDate | None:
    """Two days that are named together: one or the other, or all from one to the other."""
    if len(found) < 2:
        return None
    first, second = found[:2]
    if first.loose or second.loose:
        return None
    between = " ".join(words[first.end : second.start])
    lead = words[first.start - 1] if first.start else ""
    if grammar.dates.span.fullmatch(f"{lead}|{between}"):
        return FoundDate("vague", max(first.start - 1, 0), second.end)
    if grammar.dates.either.fullmatch(between):
        return FoundDate(f"or:{first.phrase}|{second.phrase}", first.start, second.end)
    return None


def _hedged(words: list[str], date: FoundDate, grammar: Grammar) -> FoundDate:
    """A day that is only about right: "around the fifteenth"."""
    about = grammar.dates.about.search(" ".join(words[: date.start]))
    if about is None or date.loose:
        return date
    start = date.start - len(about.group().split())
    return FoundDate(f"about:{date.phrase}", start, date.end)


# What the tables of the languages are built with.


def always(phrase: str) -> DateReader:
    """A reader for what means the same in every match."""
    return lambda _: phrase


def weekday_as(kind: str, weekdays: Mapping[str, int]) -> DateReader:
    """A reader that names the group `weekday` as `kind` (`next:4`)."""
    return lambda match: f"{kind}:{weekdays[match['weekday']]}"


def with_weekday(read: DateReader, weekdays: Mapping[str, int]) -> DateReader:
    """A reader that also notes the weekday that is said beside a day, the group `named`."""

    def both(match: re.Match[str]) -> str:
        named = match["named"]
        return f"on:{weekdays[named]}:{read(match)}" if named else read(match)

    return both


def holiday(key: str) -> DateReader:
    """A reader for a holiday, of the group `year` where it is said with it."""
    return lambda match: f"holiday:{key}" + (f":{match['year']}" if match["year"] else "")


def compiled(
    patterns: Iterable[tuple[str, DateReader]],
) -> tuple[tuple[re.Pattern[str], DateReader], ...]:
    """The patterns, matched at word boundaries."""
    return tuple((re.compile(rf"\b({pattern})\b"), read) for pattern, read in patterns)


def figured(first: int, second: int, year: str | None, *, day_first: bool | None) -> str:
    """The phrase of a day that is written in figures, in the order that the language has.

    Args:
        first: what is written first; `second` what follows it.
        second: see `first`.
        year: with two or four figures, if there is one.
        day_first: None where either order is usual.
    """
    month, day = (second, first) if day_first or day_first is None else (first, second)
    if month > 12 >= day:
        month, day = day, month
        day_first = False
    before = f"{full_year(year)}-" if year else ""
    sure = day_first is not None or first == second or max(first, second) > 12
    return f"{'date' if sure else 'either'}:{before}{month}-{day}"


def full_year(year: str) -> int:
    """A year of four figures from two: 69 and more are of the last century (POSIX strptime)."""
    value = int(year)
    if len(year) > 2:
        return value
    return value + (1900 if value >= 69 else 2000)


def numbered(names: Sequence[str], start: int = 0) -> dict[str, int]:
    """Names by their place: weekdays from 0, months from 1."""
    return {name: number for number, name in enumerate(names, start)}
