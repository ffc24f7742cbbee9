"""Masks numbers that must not reach a log.

A run of digits could be a ZIP, a card or an account number, and a date could be one of birth.
Over-masking is harmless, a leak is not, so three digits are enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.dialogue.words import (
    HOMOPHONES,
    MONTHS,
    ORDINAL_VALUES,
    REPEATS,
    SCALES,
    TEEN_VALUES,
    TENS_VALUES,
    UNIT_VALUES,
)

MASK = "[digits]"
PRIVATE = "[private]"
LIMIT = 3
"""This many digits in a row are masked."""

_TOKEN = re.compile(r"[\w']+")
_NUMERIC_DATE = re.compile(r"\b\d{1,4}(\s*[-/.]\s*\d{1,4}){2,}\b")
_ORDINAL_FIGURE = re.compile(r"\d{1,2}(st|nd|rd|th)")
_GAP = {"uh", "um", "er", "erm", "ah", "and", "then", "dash", "hyphen", "space", "point", "dot",
        "like", "the", "of", "a", "so", "well", "sorry", "no", "it's", "is", "that's"}  # fmt: skip
"""What people say between digits."""


def redact(text: str, private: frozenset[str] = frozenset(), limit: int = LIMIT) -> str:
    """The text fit for a log: numbers that could be secret as "[digits]", names as "[private]".

    Args:
        text: what was heard.
        private: lower-case words of the account (`CallFlow.private_words`).
        limit: this many digits in the whole text are masked.

    Numbers could be as soon as the whole text holds three digits: people say one in pieces
    ("nine oh two, I mean, one oh"), and one or two pieces left standing would give it away.
    """
    text = _NUMERIC_DATE.sub(MASK, text)
    if private:
        text = _TOKEN.sub(lambda word: _hidden(word.group(), private), text)
    tokens = list(_TOKEN.finditer(text))
    runs = list(_runs([token.group().lower() for token in tokens]))
    if sum(weight for _, _, weight in runs) < limit:
        return text
    masked, at = [], 0
    for start, end, _ in runs:
        masked.append(text[at : tokens[start].start()] + MASK)
        at = tokens[end].end()
    return "".join(masked) + text[at:]


def _hidden(word: str, private: frozenset[str]) -> str:
    bare = word.lower().removesuffix("'s")
    return PRIVATE if bare in private else word


def _runs(words: list[str]) -> Iterator[tuple[int, int, int]]:
    """First token, last token and number of digits of each run of number words."""
    index = 0
    while index < len(words):
        end, weight = _run(words, index)
        if weight:
            yield index, end, weight
        index = end + 1


def _run(words: list[str], start: int) -> tuple[int, int]:
    """The last token of the run that begins here, and how many digits it may stand for."""
    weight, end, gap = _weight(words, start), start, 0
    if weight == 0:
        return start, 0
    for index in range(start + 1, len(words)):
        added = 1 if words[index] in HOMOPHONES else _weight(words, index)
        if added:
            weight, end, gap = weight + added, index, 0
        elif words[index] in _GAP and gap < 3:
            gap += 1
        else:
            break
    return end, weight


def _weight(words: list[str], index: int) -> int:
    """How many digits a token may stand for. "Twenty" before "one" or "first" is part of it."""
    word = words[index]
    if any(character.isdigit() for character in word):
        figures = sum(character.isdigit() for character in word)
        return 1 if _ORDINAL_FIGURE.fullmatch(word) else figures
    if word in TENS_VALUES:
        following = words[index + 1] if index + 1 < len(words) else ""
        return 1 if following in UNIT_VALUES or following in ORDINAL_VALUES else 2
    if word in TEEN_VALUES or word in REPEATS:
        return 2
    if word in SCALES:
        return LIMIT
    return int(word in UNIT_VALUES or word in ORDINAL_VALUES or word in MONTHS)
