"""Reads an amount of money that the caller offers: "full", "half" or dollars as a decimal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from appliance.dialogue.words import TEEN_VALUES, TENS_VALUES
from appliance.nlu.negation import is_negated
from appliance.nlu.numbers import read_below_hundred, read_cardinal

_CURRENCY = {"dollar", "dollars", "bucks", "buck", "usd"}
_OFFERING = {"pay", "do", "afford", "send", "manage", "give", "offer", "about", "maybe", "around",
             "only", "put", "like", "just", "be", "make", "with"}  # fmt: skip
_FIGURE = re.compile(r"(\$?)(\d+(?:\.\d{1,2})?)")
_FULL = re.compile(
    r"\b(in full|the full|full (amount|balance|payment|thing)|the (whole|total)|entire|everything"
    r"|(whole|total) (amount|balance|thing)|all of (it|that)|pay (it (all|off|all off)|that off))"
    r"\b"
)
_HALF = re.compile(r"\bhalf\b(?! an? hour)(?! past)")
_TOO_LARGE = 1_000_000
"""Not money that a caller offers, and more than amounts are spoken back in."""
_SMALLEST_BARE = 5
"""A number without a currency word and below this is rather a count than an offer."""


def read_amount(words: Sequence[str], *, asked: bool) -> str:
    """The first amount that is not negated, or "" for none.

    Args:
        words: the normalized utterance, with any date taken out.
        asked: whether an amount was asked for, so that a bare number is one.
    """
    for index in range(len(words)):
        found = _amount_at(words, index, asked=asked)
        if found is None or is_negated(words, index):
            continue
        if not 0 < found < _TOO_LARGE:
            break
        return str(found.quantize(Decimal("0.01")))
    text = " ".join(words)
    for pattern, value in ((_HALF, "half"), (_FULL, "full")):
        match = pattern.search(text)
        if match and not is_negated(words, text[: match.start()].count(" ")):
            return value
    return "full" if asked and text in ("all", "full", "yes all", "yes full") else ""


def _amount_at(words: Sequence[str], index: int, *, asked: bool) -> Decimal | None:
    number = _number_at(words, index)
    if number is None or (index > 0 and _continues(words, index)):
        return None
    value, end, sure = number
    following = words[end] if end < len(words) else ""
    if following in ("cent", "cents"):
        return value / 100
    if following == "grand":
        return value * 1000
    if following in _CURRENCY:
        return value + _cents(words, end + 1)
    if following == "percent":
        return None
    offered = asked or sure or (index > 0 and words[index - 1] in _OFFERING)
    return value if offered and (sure or value >= _SMALLEST_BARE) else None


def _continues(words: Sequence[str], index: int) -> bool:
    """Whether the word is the tail of a number that began before: read that one whole."""
    previous = _number_at(words, index - 1)
    return previous is not None and previous[1] > index


def _number_at(words: Sequence[str], index: int) -> tuple[Decimal, int, bool] | None:
    """A number, the index after it, and whether it is money beyond doubt."""
    figure = _FIGURE.fullmatch(words[index])
    if figure:
        return Decimal(figure.group(2)), index + 1, bool(figure.group(1))
    if words[index] == "couple" and words[index + 1 : index + 2] == ["hundred"]:
        return Decimal(200), index + 2, True
    said = _hundreds_unsaid(words, index) or read_cardinal(words, index)
    if said is None:
        return None
    scaled = "hundred" in words[index : said[1]] or "thousand" in words[index : said[1]]
    return Decimal(said[0]), said[1], scaled


def _hundreds_unsaid(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """Read "one fifty" and "two twenty five" for 150 and 225 (the flow reads every amount back)."""
    head = read_below_hundred(words, index)
    if head is None or head[0] > 9 or head[1] >= len(words):
        return None
    if words[head[1]] not in TENS_VALUES and words[head[1]] not in TEEN_VALUES:
        return None
    tail = read_below_hundred(words, head[1])
    return (head[0] * 100 + tail[0], tail[1]) if tail else None


def _cents(words: Sequence[str], index: int) -> Decimal:
    """The cents after the dollars: "and fifty cents", or "fifty" at the end."""
    if words[index : index + 1] == ["and"]:
        index += 1
    tail = read_below_hundred(words, index)
    if tail is None:
        return Decimal(0)
    named = tail[1] < len(words) and words[tail[1]] in ("cent", "cents")
    return Decimal(tail[0]) / 100 if named or tail[1] == len(words) else Decimal(0)
