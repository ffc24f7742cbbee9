"""Phrases as people write them in data files, as patterns over plain words.

"my application*"  any ending        "status .. application"  up to four words between
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_APART = re.compile(r"[^\w']+")
_BETWEEN = r"(?:\w+ ){0,4}"


def plain(text: str) -> str:
    """A text as lower-case words with one space between, ready for `finds`."""
    return " ".join(_APART.sub(" ", text.replace("’", "'").lower()).split())


def finds(phrases: Iterable[str], words: str) -> str | None:
    """The first phrase that is in plain words; None where none is."""
    return next((each for each in phrases if _pattern(each).search(words)), None)


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    words = [_BETWEEN if word == ".." else _word(word) for word in phrase.lower().split()]
    return re.compile(rf"\b{''.join(words)[:-1]}\b" if words[-1] != _BETWEEN else "".join(words))


def _word(word: str) -> str:
    return re.escape(word.removesuffix("*")) + (r"\w* " if word.endswith("*") else " ")
