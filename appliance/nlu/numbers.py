"""Reads digit strings as people say them, in any language's number words.

No library is right for digits (see the tests for what they get wrong), and the grammar is small:

    group := unit | "double" unit | unit plural | tens [unit] | teen | cardinal with hundred …
    run   := group (filler* group)*

An utterance is cut into runs and what takes digits back between them; `digit_repairs` puts them
together, also with what was said of the same number before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from appliance.nlu.digit_repairs import Mark, MarkKind, Piece, Run, put_together
from appliance.nlu.grammar import DigitRepairs, Grammar, NumberWords

ZIP_DIGITS = 5
_MARKS: tuple[MarkKind, ...] = ("restart", "place", "denial", "correction", "doubt")
"""In the order in which they are looked for."""


def read_digits(
    text: str, grammar: Grammar, *, length: int | None = ZIP_DIGITS, before: str = ""
) -> str:
    """The digits that an utterance spells, e.g. "nine oh two, one oh" is "90210"; "" for none.

    Of several runs the last that is whole counts (people correct themselves); else all of them
    together where they make a whole; else the longest. What the caller takes back ("no, five not
    nine", "the last one is a four", "scratch that") is taken back.

    Args:
        text: the utterance.
        grammar: its language.
        length: of a whole number; None where it is not known.
        before: what was said of the same number in the turns before this one: a part of it that
            this utterance may go on with, or a whole that it may mend. It counts for nothing where
            the utterance has no digits of its own.
    """
    pieces = list(_pieces(_marked(grammar.normalize(text), grammar), grammar.numbers, length))
    return put_together(pieces, length=length, before=before)


def _marked(text: str, grammar: Grammar) -> list[str | Mark]:
    """The words, with a mark in the place of what takes digits back."""
    found: list[str | Mark] = [text]
    for kind in _MARKS:
        cut: list[str | Mark] = []
        for part in found:
            cut += [part] if isinstance(part, Mark) else _cut(part, kind, grammar.numbers.repairs)
        found = cut
    return [word for part in found for word in ([part] if isinstance(part, Mark) else part.split())]


def _cut(text: str, kind: MarkKind, repairs: DigitRepairs) -> Iterator[str | Mark]:
    start = 0
    pattern: re.Pattern[str] = getattr(repairs, kind)
    for match in pattern.finditer(text):
        yield text[start : match.start()]
        yield Mark(kind, repairs.place_named(match) if kind == "place" else 0)
        start = match.end()
    yield text[start:]


def _pieces(
    words: Sequence[str | Mark], numbers: NumberWords, length: int | None
) -> Iterator[Piece]:
    index = 0
    while index < len(words):
        word = words[index]
        if isinstance(word, Mark):
            yield word
            index += 1
            continue
        end = next((at for at in range(index, len(words)) if isinstance(words[at], Mark)), None)
        yield from _runs([str(each) for each in words[index:end]], numbers, length)
        index = len(words) if end is None else end


def _runs(words: Sequence[str], numbers: NumberWords, length: int | None) -> Iterator[Run]:
    index = 0
    while index < len(words):
        start = index
        digits, index = read_run(words, index, numbers)
        if not digits:
            index += 1
        elif length and len(digits) == length + 1 and words[start] in numbers.exclaimed:
            yield Run(digits[1:])  # "oh, nine oh two one oh"
        else:
            yield Run(digits)


def read_run(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int]:
    """The digits of the run that begins here ("" for none), and where it ends."""
    digits, end = "", index
    while index < len(words):
        group = _group(words, index, numbers)
        if group is None and digits:
            group = _homophone(words, index, numbers)
        if group:
            digits += group[0]
            index = end = group[1]
        elif digits and words[index] in numbers.fillers:
            index += 1
        else:
            break
    return digits, end


def _group(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int] | None:
    """The digits of one group of number words, and the index after it."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if following in numbers.counted:
        return None
    if word.isdigit():
        return word, index + 1
    if following and (repeated := _repeated(word, following, numbers)):
        return repeated, index + 2
    if word in numbers.zeros:
        return "0", index + 1
    if word in numbers.articles and following not in numbers.scales:
        return None
    cardinal = numbers.cardinal(words, index)
    return (str(cardinal[0]), cardinal[1]) if cardinal else None


def _repeated(word: str, following: str, numbers: NumberWords) -> str:
    """The digits of "double nine" and "three zeros"; "" for neither."""
    if word in numbers.repeats:
        digit = following if following.isdigit() else str(numbers.units.get(following, ""))
        digit = digit or str(numbers.plurals.get(following, ""))
        return digit * numbers.repeats[word] if len(digit) == 1 else ""
    times = numbers.units.get(word, 0)
    return (
        str(numbers.plurals[following]) * times
        if times > 1 and following in numbers.plurals
        else ""
    )


def _homophone(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int] | None:
    """Read "to" or "for" as a digit: only before another digit, or as the last word."""
    if words[index] not in numbers.homophones:
        return None
    last = index + 1 == len(words)
    if last or words[index + 1] in numbers.homophones or _group(words, index + 1, numbers):
        return str(numbers.homophones[words[index]]), index + 1
    return None
