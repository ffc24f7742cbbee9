"""Writes a name: capitals, small particles, accents where the utterance has them.

Recognizers and people write names in their ways. A capital inside a word is kept ("DeShawn"), and
so is an accent; all capitals, or none, are put right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from appliance.nlu.contact_words import NamePatterns
from appliance.nlu.words import unaccented

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")


def write_name(parts: Sequence[str], text: str, names: NamePatterns) -> str:
    """The parts of a name, which were read in `text`, as they are written; "" for initials only."""
    joined = _with_prefixes(parts, names)
    if not any(len(part) > 1 for part in joined):
        return ""
    said = {unaccented(word): word for word in _words_of(text)}
    said |= {unaccented(word, kept="ñ"): word for word in _words_of(text)}
    return " ".join(
        capitalized(_as_said(part, said), small=at > 0 and part in names.particles)
        for at, part in enumerate(joined)
    )


def _words_of(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).replace("\u2019", "'"))


def _with_prefixes(parts: Sequence[str], names: NamePatterns) -> list[str]:
    """Prefixes joined with what they belong to: "o brien" is "o'brien", "mc donald" is one."""
    joined: list[str] = []
    for part in parts:
        before = joined[-1] if joined else ""
        if before == "o" and part in names.after_o:
            joined[-1] = f"o'{part}"
        elif before == "mc":
            joined[-1] = f"mc{part}"
        else:
            joined.append(part)
    return joined


def _as_said(part: str, said: Mapping[str, str]) -> str:
    whole = said.get(part)
    return whole or "-".join(said.get(piece, piece) for piece in part.split("-"))


def capitalized(said: str, *, small: bool) -> str:
    """A word of a name: "o'brien" is "O'Brien"; small ones are so unless they were said big."""
    if said[1:] != said[1:].lower() and not said.isupper():
        return said  # "DeShawn"
    if small and not (said[:1].isupper() and not said.isupper()):
        return said.lower()
    pieces = re.split(r"(['-])", said.lower())
    return "".join(_firstcapitalized(piece) for piece in pieces)


def _firstcapitalized(piece: str) -> str:
    if piece.startswith("mc") and len(piece) > 3:
        return f"Mc{piece[2:].capitalize()}"
    return piece.capitalize()
