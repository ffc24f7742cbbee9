"""Whether a "not" governs a word: "I can't pay two hundred" offers nothing."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.nlu.grammar import Negation

_REACH = 6
"""How many words back a negation reaches; enough for "cannot pay you the full two hundred"."""


def is_negated(words: Sequence[str], index: int, negation: Negation) -> bool:
    """Whether the word at `index` is negated by a word before it in the same thought."""
    if _is_answered(words, index, negation):
        return False
    for word in reversed(words[max(0, index - _REACH) : index]):
        if word in negation.stops:
            return False
        if word in negation.words:
            return True
    return False


def end_of_denial(words: Sequence[str], start: int, end: int, negation: Negation) -> int:
    """Where the denial ends that follows `words[start:end]`; 0 for none ("hoy no", "hoy").

    Not after a stop: "hasta el viernes no puedo" means Friday.
    """
    turned = start > 0 and words[start - 1] in negation.stops
    denial = negation.after.match(" ".join(words[end:]))
    return end + len(denial.group().split()) if denial and not turned else 0


def _is_answered(words: Sequence[str], index: int, negation: Negation) -> bool:
    if not 0 < index < len(words) or words[index] in negation.not_replies:
        return False
    return all(word in negation.replies for word in words[:index])
