"""Spanish cardinals: "noventa mil doscientos diez" is 90210."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.words_es import (
    ARTICLES,
    HUNDRED_VALUES,
    REPEATS,
    TEEN_VALUES,
    TENS_VALUES,
    THOUSAND,
    UNIT_VALUES,
)
from appliance.nlu.grammar import NumberWords

_WITH_UNITS = TENS_VALUES | {"diez": 10}
_ROUND = "cien"
"""One hundred where nothing follows: "cien diez" are two numbers."""


def read_cardinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 999,999 at `index`: its value and the index after it."""
    head = _below_thousand(words, index)
    if head is None:
        head = (1, index) if _word(words, index) == THOUSAND else None
    if head is None or _word(words, head[1]) != THOUSAND:
        return head
    value, index = head[0] * 1000, head[1] + 1
    rest = _below_thousand(words, index)
    return (value + rest[0], rest[1]) if rest else (value, index)


def _below_thousand(words: Sequence[str], index: int) -> tuple[int, int] | None:
    word = _word(words, index)
    if word not in HUNDRED_VALUES:
        return read_below_hundred(words, index)
    value, index = HUNDRED_VALUES[word], index + 1
    rest = None if word == _ROUND else read_below_hundred(words, index)
    return (value + rest[0], rest[1]) if rest else (value, index)


def read_below_hundred(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 99 at `index`: its value and the index after it.

    Tens and unit need the "y": "noventa dos" are two numbers, as in "noventa, dos diez".
    """
    word = _word(words, index)
    if word in _WITH_UNITS:
        unit = UNIT_VALUES.get(_word(words, index + 2), 0) if _joined(words, index) else 0
        return _WITH_UNITS[word] + unit, index + (3 if unit else 1)
    if word in TEEN_VALUES:
        return TEEN_VALUES[word], index + 1
    value = UNIT_VALUES.get(word, 0)
    return (value, index + 1) if value else None


def _joined(words: Sequence[str], index: int) -> bool:
    return _word(words, index + 1) == "y"


def _word(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""


def spoken_numbers(limit: int) -> dict[str, int]:
    """The ways to say each number from 1 to `limit` (at most 99), with its value."""
    names = {word: value for word, value in UNIT_VALUES.items() if value} | TEEN_VALUES
    for tens, value in _WITH_UNITS.items():
        names[tens] = value
        names |= {f"{tens} y {unit}": value + one for unit, one in UNIT_VALUES.items() if one}
    return {name: value for name, value in names.items() if value <= limit}


NUMBERS = NumberWords(
    cardinal=read_cardinal,
    below_hundred=read_below_hundred,
    units=UNIT_VALUES,
    zeros=frozenset({"cero", "ceros"}),
    decades=frozenset({*TENS_VALUES, *TEEN_VALUES}),
    scales=frozenset({*HUNDRED_VALUES, THOUSAND}),
    repeats=REPEATS,
    homophones={"o": 0},
    fillers=frozenset(
        {"eh", "este", "em", "mm", "mmm", "ah", "y", "luego", "despues", "guion", "coma",
         "espacio", "pues", "bueno", "entonces", "o", "sea"}
    ),
    articles=frozenset(ARTICLES),
)  # fmt: skip
