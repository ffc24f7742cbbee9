"""The rule-based understander: version 0 of understanding, and later the guard before a model.

words -> normalize -> rules + polarity -> ranked intents
                   -> digits (a ZIP was asked for) | date, then amount in what is left
"""

from __future__ import annotations

import re

from appliance.nlu.amounts import read_amount
from appliance.nlu.dates import FoundDate, find_date
from appliance.nlu.numbers import read_digits
from appliance.nlu.patterns import load_rules
from appliance.nlu.polarity import PolarityReader
from appliance.nlu.understander import Context
from appliance.nlu.words import normalize
from appliance.types import Intent, Understanding

NO_CONTEXT = Context()
_POLARITY_BESIDE = 0.8
"""Yes and no rank below what else is said: "no, she isn't here" is above all that she is out."""
_FILLER = re.compile(
    r"^((um|uh|er|erm|ah|oh|hmm|hm|mm|well|so|like|you know|let us see|and|but|the)( |$))+$"
)


class RuleUnderstander:
    """Understands by rules alone. Stateless once made: one instance serves all calls."""

    def __init__(self) -> None:
        self._rules = load_rules()
        self._polarity = PolarityReader()

    def understand(self, text: str, context: Context = NO_CONTEXT) -> Understanding:
        """Read an utterance; see `Understander.understand`. Unknown words give no intent."""
        words = normalize(text)
        return Understanding(text, self._intents(words, context), _slots(text, words, context))

    def _intents(self, words: str, context: Context) -> tuple[Intent, ...]:
        """Every intent that is said, best first; ties keep the order of the table."""
        best: dict[str, float] = {}
        for rule in self._rules:
            if rule.confidence > best.get(rule.intent, 0) and rule.matches(words):
                best[rule.intent] = rule.confidence
        for intent in self._polarity.read(words, context.slot):
            best[intent.name] = min(intent.confidence, _POLARITY_BESIDE if best else 1.0)
        if not best and _FILLER.search(words):
            best["filler"] = 0.9
        ranked = sorted(best.items(), key=lambda item: -item[1])
        return tuple(Intent(name, confidence) for name, confidence in ranked)


def _slots(text: str, words: str, context: Context) -> dict[str, str]:
    """What the utterance gives; digits only where they were asked for."""
    if context.slot == "zip":
        digits = read_digits(text)
        return {"digits": digits} if digits else {}
    slots = {}
    date = find_date(words, asked=context.slot == "date")
    if date:
        slots["date"] = date.phrase
    amount = read_amount(_without(words, date), asked=context.slot == "amount")
    if amount:
        slots["amount"] = amount
    return slots


def _without(words: str, date: FoundDate | None) -> list[str]:
    """The words with the date's own taken out (a mark keeps its neighbours apart)."""
    split = words.split()
    return split if date is None else [*split[: date.start], ";", *split[date.end :]]


_TRAILING = {
    "and", "um", "uh", "er", "the", "but", "or", "so", "on", "like", "is", "my", "a", "because",
    "about", "to", "of", "for", "with", "at", "by", "in", "then",
}  # fmt: skip


def trails_off(text: str) -> bool:
    """Whether an utterance ends on a word that more must follow ("on the", "yes and")."""
    words = normalize(text).split()
    return bool(words) and words[-1] in _TRAILING
