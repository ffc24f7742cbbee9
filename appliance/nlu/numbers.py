"""Reads numbers from words: cardinals, and digit strings as people say them.

No library is right for digits (see the tests for what they get wrong), and the grammar is small:

    group := unit | "double" unit | tens [unit] | teen | cardinal with hundred or thousand
    run   := group (filler* group)*
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.words import (
    HOMOPHONES,
    REPEATS,
    TEEN_VALUES,
    TENS_VALUES,
    UNIT_VALUES,
)
from appliance.nlu.words import normalize

ZIP_DIGITS = 5
_FILLERS = {"uh", "um", "er", "erm", "ah", "and", "then", "dash", "hyphen", "space", "like", "so",
            "well", "comma"}  # fmt: skip
_ZEROS = {"zero", "oh", "o"}


def read_digits(text: str) -> str:
    """The digits that an utterance spells, e.g. "nine oh two, one oh" is "90210"; "" for none.

    Of several runs the last with five digits counts (people correct themselves); else all of them
    together where they make five ("nine oh two, wait, one oh"); else the longest.
    """
    runs = _runs(normalize(text).split())
    whole = [run for run in runs if len(run) == ZIP_DIGITS]
    if whole:
        return whole[-1]
    together = "".join(runs)
    return together if len(together) == ZIP_DIGITS else max(runs, key=len, default="")


def _runs(words: Sequence[str]) -> list[str]:
    runs: list[str] = []
    index = 0
    while index < len(words):
        start = index
        digits, index = _run(words, index)
        if not digits:
            index += 1
        elif len(digits) == ZIP_DIGITS + 1 and words[start] in ("oh", "o"):
            runs.append(digits[1:])  # "oh, nine oh two one oh"
        else:
            runs.append(digits)
    return runs


def _run(words: Sequence[str], index: int) -> tuple[str, int]:
    """The digits of the run that begins here, and where it ends."""
    digits, end = "", index
    while index < len(words):
        group = _group(words, index) or (_homophone(words, index) if digits else None)
        if group:
            digits += group[0]
            index = end = group[1]
        elif digits and words[index] in _FILLERS:
            index += 1
        else:
            break
    return digits, end


def _group(words: Sequence[str], index: int) -> tuple[str, int] | None:
    """The digits of one group of number words, and the index after it."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if word.isdigit():
        return word, index + 1
    if word in REPEATS and (following in UNIT_VALUES or following in {"0", "1", "2"}):
        return str(UNIT_VALUES.get(following, following)) * REPEATS[word], index + 2
    if word in _ZEROS:
        return "0", index + 1
    cardinal = read_cardinal(words, index)
    return (str(cardinal[0]), cardinal[1]) if cardinal else None


def _homophone(words: Sequence[str], index: int) -> tuple[str, int] | None:
    """Read "to" or "for" as a digit: only before another digit, or as the last word."""
    if words[index] not in HOMOPHONES:
        return None
    last = index + 1 == len(words)
    if last or words[index + 1] in HOMOPHONES or _group(words, index + 1):
        return str(UNIT_VALUES[HOMOPHONES[words[index]]]), index + 1
    return None


def read_cardinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 999,999 at `index`: its value and the index after it.

    "and" is taken after hundred and thousand; "a hundred" is one hundred.
    """
    head = _below_thousand(words, index)
    if head is None:
        return None
    value, index = head
    if not _is(words, index, "thousand"):
        return head
    value, index = value * 1000, index + 1
    rest = _below_thousand(words, index + _is(words, index, "and"))
    return (value + rest[0], rest[1]) if rest else (value, index)


def _below_thousand(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """Also "twelve hundred"; "a" stands for one before hundred and thousand only."""
    if _is(words, index, "a") and (
        _is(words, index + 1, "hundred") or _is(words, index + 1, "thousand")
    ):
        head: tuple[int, int] | None = (1, index + 1)
    else:
        head = read_below_hundred(words, index)
    if head is None or not _is(words, head[1], "hundred"):
        return head
    value, index = head[0] * 100, head[1] + 1
    rest = read_below_hundred(words, index + _is(words, index, "and"))
    return (value + rest[0], rest[1]) if rest else (value, index)


def read_below_hundred(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 99 at `index`: its value and the index after it."""
    if not 0 <= index < len(words):
        return None
    word = words[index]
    if word in TENS_VALUES:
        unit = UNIT_VALUES.get(words[index + 1], 0) if index + 1 < len(words) else 0
        return TENS_VALUES[word] + unit, index + (2 if unit else 1)
    if word in TEEN_VALUES:
        return TEEN_VALUES[word], index + 1
    value = UNIT_VALUES.get(word, 0)
    return (value, index + 1) if value else None


def _is(words: Sequence[str], index: int, word: str) -> bool:
    return index < len(words) and words[index] == word
