"""Reads one number in words or figures, in any language's number words.

    numeral  := ["minus"] (mixed | fraction)
    mixed    := whole [point digits] [joint fraction] [multiplier [whole]]
    fraction := whole ordinal | [one] part [[of] [one] multiplier] | whole "over" whole
    whole    := cardinal | figure

It reads from words and a place in them: `amounts` gives it normalized utterances, `quantities` any
text cut into words. Figures are in the form of `figures`: "1200.50", "3/4".
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from fractions import Fraction

from appliance.nlu.grammar import NumberWords

Value = int | Fraction
Found = tuple[Value, int]
"""A value, and the index after its last word."""

_FIGURE = re.compile(r"\d+(\.\d+)?|\.\d+")
_FRACTION = re.compile(r"(\d+)/(\d*[1-9]\d*)")
_LONGEST_NUMERATOR = 24  # words
_LOWER_PART = 1000
"""From this multiplier on a lower number may follow: "two grand five hundred"."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that was said.

    Attributes:
        value: exact.
        end: the index after its last word.
        part: whether it is only a part of one ("a third").
    """

    value: Value
    end: int
    part: bool = False


def read_numeral(
    words: Sequence[str],
    index: int,
    numbers: NumberWords,
    *,
    point: Container[str] | None = None,
    bars: bool = True,
) -> Numeral | None:
    """The number that begins at `index`; None for none.

    Args:
        words: lower case, without accents.
        index: where to look.
        numbers: the language.
        point: the words that are read as a decimal mark; None for all of the language's.
        bars: whether "over" is the bar of a fraction; of money it is not: "fifty over two weeks".
    """
    if not 0 <= index < len(words):
        return None
    if words[index] in numbers.quantities.minus:
        found = read_numeral(words, index + 1, numbers, point=point, bars=bars)
        return Numeral(-found.value, found.end, found.part) if found else None
    fraction = _fraction(words, index, numbers, bars=bars)
    if fraction is not None:
        return Numeral(*fraction, part=fraction[0] < 1)
    mixed = _mixed(words, index, numbers, numbers.quantities.point if point is None else point)
    return Numeral(*mixed) if mixed else None


def read_part(words: Sequence[str], index: int, numbers: NumberWords) -> Found | None:
    """A fraction at `index`, also a half without an article ("dos y medio"); None for none."""
    found = _simple_fraction(words, index, numbers)
    if found is None and _at(words, index) in numbers.quantities.half_alone:
        return Fraction(1, 2), index + 1
    return found


def _mixed(
    words: Sequence[str], index: int, numbers: NumberWords, point: Container[str]
) -> Found | None:
    found = _whole(words, index, numbers) or _one(words, index, numbers)
    if found is None:
        return None
    value, end = found
    whole_end = end
    value, end = _with_fraction(words, value, end, numbers)
    if end == whole_end and _at(words, end) in point:
        value, end = _with_decimals(words, value, end, numbers)
    value, after = _multiplied(words, value, end, numbers)
    return _with_fraction(words, value, after, numbers) if after > end else (value, end)


def _whole(words: Sequence[str], index: int, numbers: NumberWords) -> Found | None:
    """A cardinal, a zero or a figure."""
    word = _at(words, index)
    if _FIGURE.fullmatch(word):
        value = Fraction(word)
        return (int(value) if value.denominator == 1 else value), index + 1
    if _FRACTION.fullmatch(word):
        return Fraction(word), index + 1
    if word in numbers.zeros and numbers.units.get(word) == 0 and len(word) > 2:
        return 0, index + 1
    return numbers.cardinal(words, index)


def _one(words: Sequence[str], index: int, numbers: NumberWords) -> Found | None:
    """An article before what it counts: "a dozen"."""
    quantities = numbers.quantities
    article = _at(words, index) in quantities.ones
    return (1, index + 1) if article and _at(words, index + 1) in quantities.multipliers else None


def _with_decimals(words: Sequence[str], value: Value, end: int, numbers: NumberWords) -> Found:
    """What is said after the mark: digits one by one, or as a number ("point seventy one")."""
    digits, index = "", end + 1
    while index < len(words):
        digit = 0 if words[index] in numbers.zeros else numbers.units.get(words[index])
        if digit is not None:
            digits, index = f"{digits}{digit}", index + 1
            continue
        found = numbers.cardinal(words, index)
        if found is None:
            break
        digits, index = f"{digits}{found[0]}", found[1]
        break
    return (value + Fraction(f"0.{digits}"), index) if digits else (value, end)


def _with_fraction(words: Sequence[str], value: Value, end: int, numbers: NumberWords) -> Found:
    """With "and a half" or "1/4" behind it; "a million and a half" is half a million more."""
    written = _FRACTION.fullmatch(_at(words, end))
    if written and isinstance(value, int):
        return value + Fraction(words[end]), end + 1
    if _at(words, end) not in numbers.quantities.joints:
        return value, end
    part = read_part(words, end + 1, numbers)
    if part is None or part[0] >= 1:
        return value, end
    scale = numbers.quantities.multipliers.get(_at(words, end - 1), 1)
    return value + part[0] * (scale if scale >= _LOWER_PART else 1), part[1]


def _multiplied(words: Sequence[str], value: Value, end: int, numbers: NumberWords) -> Found:
    """Times what follows ("2 million", "2 mil millones"), and the lower number behind that."""
    times = 1
    while _at(words, end) in numbers.quantities.multipliers:
        times, end = times * numbers.quantities.multipliers[words[end]], end + 1
    total = value * times
    if times < _LOWER_PART or not isinstance(value, int):
        return total, end
    rest = _whole(words, end, numbers)
    if rest is None or rest[0] >= times:
        return total, end
    lower = _multiplied(words, *rest, numbers)
    return (total + lower[0], lower[1]) if lower[0] < times else (total, end)


def _fraction(
    words: Sequence[str], index: int, numbers: NumberWords, *, bars: bool
) -> Found | None:
    """A fraction, of a multiplier too: "half a million", "a quarter of a million"."""
    quantities = numbers.quantities
    found = read_part(words, index, numbers)
    if found is None and bars:
        found = _over(words, index, numbers)
    if found is None:
        return None
    value, end = found
    after = end + (_at(words, end) in quantities.of)
    after += _at(words, after) in quantities.ones
    if _at(words, after) in quantities.multipliers:
        return value * quantities.multipliers[words[after]], after + 1
    return found


def _over(words: Sequence[str], index: int, numbers: NumberWords) -> Found | None:
    upper = _whole(words, index, numbers)
    if upper is None or _at(words, upper[1]) not in numbers.quantities.over:
        return None
    lower = _whole(words, upper[1] + 1, numbers)
    return (Fraction(upper[0]) / lower[0], lower[1]) if lower and lower[0] else None


def _simple_fraction(words: Sequence[str], index: int, numbers: NumberWords) -> Found | None:
    """The upper part is the shortest that leaves a lower one: "one hundred thirty fifths"."""
    quantities = numbers.quantities
    if _at(words, index) in quantities.ones:
        lower = _lower_part(words, index + 1, numbers, many=False)
        if lower:
            return Fraction(1, lower[0]), lower[1]
    longest = _whole(words, index, numbers)
    if longest is None or longest[1] - index > _LONGEST_NUMERATOR:
        return None
    for end in range(index + 1, longest[1] + 1):
        upper = _whole(words[:end], index, numbers)
        if upper is None or upper[1] != end or upper[0] == 0:
            continue
        lower = _lower_part(words, end, numbers, many=upper[0] != 1)
        if lower:
            whole = _whole_of(words, index, end, lower[0], numbers)
            return whole + (upper[0] - whole) / Fraction(lower[0]), lower[1]
    return None


def _whole_of(
    words: Sequence[str], index: int, end: int, lower: int, numbers: NumberWords
) -> Value:
    """What of the upper part is no part of the fraction: "a hundred and three quarters"; 0."""
    if end - index < 3 or words[end - 2] not in numbers.quantities.joints:
        return 0
    head = _whole(words[: end - 2], index, numbers)
    tail = numbers.units.get(words[end - 1], lower)
    whole = tail < lower and head is not None and head[1] == end - 2 and head[0] % 100 == 0
    return head[0] if whole and head else 0


def _lower_part(
    words: Sequence[str], index: int, numbers: NumberWords, *, many: bool
) -> tuple[int, int] | None:
    """The lower part of a fraction: "quarters", "twenty fifths"."""
    quantities = numbers.quantities
    part = quantities.parts.get(_at(words, index))
    found = (part, index + 1) if part else quantities.ordinal(words, index)
    if found is None or found[0] < 2:
        return None
    return found if words[found[1] - 1].endswith(quantities.plural) or not many else None


def _at(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""
