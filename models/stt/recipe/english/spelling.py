"""One way to write an English sentence: lower case, no signs but apostrophes inside words."""

from __future__ import annotations

import re

_NOT_WORDS = re.compile(r"[^a-z' ]+")
_SPELLED = {"ok": "okay", "alright": "all right"}  # one sound, one spelling


def normalize(text: str) -> str:
    """Words in lower case ("That's E-mail." is "that's e mail")."""
    plain = text.lower().replace("’", "'").replace("-", " ")
    words = (word.strip("'") for word in _NOT_WORDS.sub(" ", plain).split())
    return " ".join(_SPELLED.get(word, word) for word in words if word)
