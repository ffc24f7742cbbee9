"""Cuts a sentence at its commas, for a voice that is too slow to render it at once."""

from __future__ import annotations

import re

from appliance.dialogue.markup import plain
from appliance.tts.sentences import split_at

_GAP = re.compile(r"(?<=[,;:])\s+(?=\S)|(?<=\S)\s+(?=[–—])")
_SHORTEST = 12
"""Letters of a clause that is spoken by itself; a shorter one has no melody of its own."""


def split_clauses(speech: str) -> list[str]:
    """The clauses of a marked sentence, in order; short ones are left with their neighbours.

    Raises:
        ValueError: its marks are faulty; see `markup.parse`.
    """
    clauses: list[str] = []
    for part in split_at(_GAP, speech):
        if clauses and min(len(plain(clauses[-1])), len(plain(part))) < _SHORTEST:
            clauses[-1] = f"{clauses[-1]} {part}"
        else:
            clauses.append(part)
    return clauses
