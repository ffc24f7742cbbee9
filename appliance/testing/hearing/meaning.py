"""Whether what matters of an answer survives hearing: slots, yes and no, ZIP codes with a retry.

    said  -> understanding --+
                             +-> the same slot?
    heard -> understanding --+

The project's own rules read both, so that a lost "um" costs nothing and a lost digit all.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.schema import Slot
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.numbers import read_digits
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.stt.evaluation import Judged
from appliance.stt.intervals import Rate, rate
from appliance.types import Language

_KEYS: dict[Slot, str] = {
    "zip": "digits", "date": "date", "amount": "amount", "name": "name", "time": "time",
}  # fmt: skip
_POLARITY = ("affirmation", "negation")
_RULES = RuleUnderstander()


def slot_rate(
    said: Sequence[str], heard: Sequence[str], slot: Slot, language: Language
) -> Rate | None:
    """How often the slot is the same; only answers count in which rules find it at all.

    Args:
        said: the answers.
        heard: what was heard of each.
        slot: what was asked for.
        language: of both.

    Returns:
        The rate, or None where no answer holds the slot.
    """
    wanted = [_value(text, slot, language) for text in said]
    pairs = [
        (value, _value(text, slot, language))
        for value, text in zip(wanted, heard, strict=True)
        if value
    ]
    return rate(sum(value == other for value, other in pairs), len(pairs)) if pairs else None


def _value(text: str, slot: Slot, language: Language) -> str:
    found = _RULES.understand(text, Context(slot, language))
    if slot == "yes_no":
        return next((each.name for each in found.intents if each.name in _POLARITY), "")
    return found.slots.get(_KEYS.get(slot, slot), "")


def zip_rates(
    first: Sequence[Judged], again: Sequence[Judged], language: Language
) -> dict[str, Rate]:
    """ZIP codes right at the first attempt, and after one retry.

    The retry is what the flows do: what was heard is read back; the caller denies a wrong one (that
    "no" is taken as understood) or five digits were not heard at all, and says it once more. It
    counts as right if the last thing heard is right.

    Args:
        first: the first take of each.
        again: the second take of each, in the same order; other recordings.
        language: of both.
    """
    good, mended = 0, 0
    for one, two in zip(first, again, strict=True):
        wanted = _digits(" ".join(one.comparison.said), language)
        if _digits(one.heard, language) == wanted:
            good += 1
        elif _digits(two.heard, language) == wanted:
            mended += 1
    return {"first": rate(good, len(first)), "confirmed": rate(good + mended, len(first))}


def _digits(text: str, language: Language) -> str:
    return read_digits(text, GRAMMARS[language])
