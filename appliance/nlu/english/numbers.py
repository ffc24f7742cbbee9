"""English cardinals: "ninety thousand two hundred and ten" is 90210."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.words import (
    HOMOPHONES,
    REPEATS,
    SCALES,
    TEEN_VALUES,
    TENS_VALUES,
    UNIT_VALUES,
)
from appliance.nlu.grammar import NumberWords


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


NUMBERS = NumberWords(
    cardinal=read_cardinal,
    below_hundred=read_below_hundred,
    units=UNIT_VALUES,
    zeros=frozenset({"zero", "oh", "o"}),
    decades=frozenset({*TENS_VALUES, *TEEN_VALUES}),
    scales=frozenset(SCALES),
    repeats=REPEATS,
    homophones={word: UNIT_VALUES[digit] for word, digit in HOMOPHONES.items()},
    fillers=frozenset(
        {"uh", "um", "er", "erm", "ah", "and", "then", "dash", "hyphen", "space", "like", "so",
         "well", "comma"}
    ),
    exclaimed=frozenset({"oh", "o"}),
)  # fmt: skip
