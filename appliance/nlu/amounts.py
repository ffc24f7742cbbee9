"""Reads an amount of money that the caller offers: "full", "half" or dollars as a decimal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from appliance.nlu.grammar import Grammar, MoneyWords
from appliance.nlu.negation import is_negated

_FIGURE = re.compile(r"(\$?)(\d+(?:\.\d{1,2})?)")
_TOO_LARGE = 1_000_000
"""Not money that a caller offers, and more than amounts are spoken back in."""
_SMALLEST_BARE = 5
"""A number without a currency word and below this is rather a count than an offer."""


def read_amount(words: Sequence[str], grammar: Grammar, *, asked: bool) -> str:
    """The first amount that is not negated, or "" for none.

    Args:
        words: the normalized utterance, with any date taken out.
        grammar: its language.
        asked: whether an amount was asked for, so that a bare number is one.
    """
    money, negation = grammar.money, grammar.negation
    for index in range(len(words)):
        found = _amount_at(words, index, grammar, asked=asked)
        if found is None or is_negated(words, index, negation):
            continue
        if not 0 < found < _TOO_LARGE:
            break
        return str(found.quantize(Decimal("0.01")))
    text = " ".join(words)
    for pattern, value in ((money.half, "half"), (money.full, "full")):
        match = pattern.search(text)
        if match and not is_negated(words, text[: match.start()].count(" "), negation):
            return value
    return "full" if asked and text in money.all_of_it else ""


def _amount_at(
    words: Sequence[str], index: int, grammar: Grammar, *, asked: bool
) -> Decimal | None:
    number = _number_at(words, index, grammar)
    if number is None or (index > 0 and _continues(words, index, grammar)):
        return None
    money = grammar.money
    value, end, sure = number
    following = words[end] if end < len(words) else ""
    if following in money.percent:
        return None
    if following in money.currency or following in money.decimal:
        return value + _cents(words, end + (following in money.currency), grammar)
    scale = _scale(following, money)
    if scale is not None:
        return value * scale
    offered = asked or sure or (index > 0 and words[index - 1] in money.offering)
    return value if offered and (sure or value >= _SMALLEST_BARE) else None


def _scale(following: str, money: MoneyWords) -> Decimal | None:
    if following in money.cents:
        return Decimal("0.01")
    return Decimal(1000) if following in money.thousands else None


def _continues(words: Sequence[str], index: int, grammar: Grammar) -> bool:
    """Whether the word is the tail of a number that began before: read that one whole."""
    return any(
        number is not None and number[1] > index
        for number in (_number_at(words, before, grammar) for before in range(index))
    )


def _number_at(
    words: Sequence[str], index: int, grammar: Grammar
) -> tuple[Decimal, int, bool] | None:
    """A number, the index after it, and whether it is money beyond doubt."""
    figure = _FIGURE.fullmatch(words[index])
    if figure:
        return Decimal(figure.group(2)), index + 1, bool(figure.group(1))
    for phrase, sum_ in grammar.money.sums.items():
        if tuple(words[index : index + len(phrase)]) == phrase:
            return Decimal(sum_), index + len(phrase), True
    said = _hundreds_unsaid(words, index, grammar) or grammar.numbers.cardinal(words, index)
    if said is None:
        return None
    scaled = not grammar.numbers.scales.isdisjoint(words[index : said[1]])
    return Decimal(said[0]), said[1], scaled


def _hundreds_unsaid(words: Sequence[str], index: int, grammar: Grammar) -> tuple[int, int] | None:
    """Read "one fifty" and "two twenty five" for 150 and 225 (the flow reads every amount back)."""
    numbers = grammar.numbers
    head = numbers.below_hundred(words, index)
    if head is None or head[0] > 9 or words[index] in numbers.articles or head[1] >= len(words):
        return None
    if words[head[1]] not in numbers.decades:
        return None
    tail = numbers.below_hundred(words, head[1])
    return (head[0] * 100 + tail[0], tail[1]) if tail else None


def _cents(words: Sequence[str], index: int, grammar: Grammar) -> Decimal:
    """The cents after the dollars: "and fifty cents", or "fifty" at the end."""
    if index < len(words) and words[index] in grammar.money.joining:
        index += 1
    figure = re.fullmatch(r"\d\d", words[index]) if index < len(words) else None
    tail = (int(words[index]), index + 1) if figure else grammar.numbers.below_hundred(words, index)
    if tail is None:
        return Decimal(0)
    named = tail[1] < len(words) and words[tail[1]] in grammar.money.cents
    return Decimal(tail[0]) / 100 if named or tail[1] == len(words) else Decimal(0)
