"""Whether a "not" governs a word: "I can't pay two hundred" offers nothing."""

from __future__ import annotations

from collections.abc import Sequence

_NEGATIONS = {"not", "cannot", "never", "without"}
_STOPS = {"but", "until", "till", "before", "unless", "except", "however", "though", "so"}
"""A new thought, or one that turns the meaning: "not until Friday" means Friday."""
_REACH = 6
"""How many words back a negation reaches; enough for "cannot pay you the full two hundred"."""


def is_negated(words: Sequence[str], index: int) -> bool:
    """Whether the word at `index` is negated by a word before it in the same thought."""
    for word in reversed(words[max(0, index - _REACH) : index]):
        if word in _STOPS:
            return False
        if word in _NEGATIONS:
            return True
    return False
