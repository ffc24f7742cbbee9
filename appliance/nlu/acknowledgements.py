"""Sounds with which a listener says "go on": "mhm", "uh-huh", "mm", "ajá"; in every language.

Recognizers spell them in many ways, so what is read is a pattern and no list. After a question the
rules of the languages read the affirmative ones as yes (`affirmed`); while a prompt plays they are
no turn at all (`only_hums`; see `session.interruptions`).
"""

from __future__ import annotations

import re

from appliance.nlu.words import plain

_YES = r"m+[ -]?h+[ -]?m+|uh+[ -]?h+uh+|a[jh]am?(?![a-z])|m+j+u?m*|u[jh]u+m+|m+hu+m*"
_HUM = rf"{_YES}|h*m+|u+h+|u+h*m+|e+h+|a+h+|e+m+"
_NO = re.compile(r"\bn?uh+[ -]uh+\b|\bm+[ -]m+\b")
_AFFIRMED = re.compile(rf"\b(?:{_YES})\b")
_ONLY_HUMS = re.compile(rf"(?:(?:{_HUM})(?:[ ,.;:!?¡¿…-]+|$))+")


def affirmed(text: str, word: str) -> str:
    """The text (lower case) with every hum that means yes written as `word`."""
    return _AFFIRMED.sub(word, text)


def only_hums(text: str) -> bool:
    """Whether an utterance holds nothing but hums and hesitations, in whatever language.

    Not "uh-uh", which says no.
    """
    sounds = plain(text).strip(" ,.;:!?¡¿…-")
    return bool(_ONLY_HUMS.fullmatch(sounds)) and not _NO.search(sounds)
