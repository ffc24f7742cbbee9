"""What bringing an utterance to its normal form takes in any language: letters and mending.

Mending undoes small recognizer errors in the words that rules hang on, where that is safe.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from appliance.dialogue.letters import fold

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SLASHED = re.compile(r"\b(\d{1,2})\s*/\s*(\d{1,2})\b")
_DATED = re.compile(
    r"(?<![\d./-])(\d{4}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{1,2}"
    r"|\d{1,2}(?P<sign>[-/.])\d{1,2}(?P=sign)(\d{4}|\d{2}))(?![-/.]?\d)"
)
_TIMED = re.compile(r"(?<![\d:])(\d{1,2}):([0-5]\d)(:[0-5]\d)?(?![\d:])")
_SHORTEST = 5
"""Shorter words have too many neighbours that mean something else ("stop", "step", "shop")."""


def plain(text: str) -> str:
    """Lower case, no accents, one kind of apostrophe; figures without marks.

    The marks of dates are written "slash", that of a time of day "colon".
    """
    text = fold(text.replace("\u2019", "'"))
    text = _DATED.sub(lambda date: re.sub(r"[-/.]", " slash ", date[0]), text)
    text = _TIMED.sub(r"\1 colon \2 ", text)
    return _THOUSANDS.sub("", _SLASHED.sub(r"\1 slash \2", text))


def unaccented(text: str, kept: str = "") -> str:
    """Lower case without accents, but for the letters of `kept` (an "ñ" is no "n" in a name)."""
    composed = unicodedata.normalize("NFC", text.replace("\u2019", "'").lower())
    return "".join(sign if sign in kept else fold(sign) for sign in composed)


def any_of(names: Iterable[str]) -> str:
    """A pattern for any of the names, the longest first."""
    return "|".join(sorted(names, key=len, reverse=True))


class Mender:
    """Puts a language's keywords in the place of words that are one slip away from them."""

    def __init__(self, keywords: Iterable[str], real_words: Iterable[str]) -> None:
        """Learn the words.

        Args:
            keywords: what rules hang on; short ones are ignored.
            real_words: neighbours of keywords that mean something themselves.
        """
        keys = frozenset(keywords)
        self._keys = tuple(sorted(key for key in keys if len(key) >= _SHORTEST))
        self._left_alone = keys | frozenset(real_words)
        self.mend = lru_cache(maxsize=4096)(self._mend)

    def _mend(self, word: str) -> str:
        """The one keyword that is a single edit away and begins alike, else the word itself."""
        if len(word) < _SHORTEST or word in self._left_alone or not word.isalpha():
            return word
        near = [key for key in self._keys if _one_edit(word, key)]
        return near[0] if len(near) == 1 else word


def _one_edit(word: str, key: str) -> bool:
    """Whether one insertion, deletion, substitution or swap after the first letter does it."""
    if word[0] != key[0] or abs(len(word) - len(key)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, key, strict=False)) if a != b), None)
    if at is None:
        return True
    swapped = word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
    return (
        key[at:] in (swapped, word[at + 1 :])
        or word[at + 1 :] == key[at + 1 :]
        or (word[at:] == key[at + 1 :])
    )
