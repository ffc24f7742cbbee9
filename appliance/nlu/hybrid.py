"""Rules and the intent model together: what the appliance understands by.

    words -> rules  -> intents that must not be missed, slots ---+
          -> model  -> intents, each with its confidence, scope -+-> ranked intents, slots, verdict

The rules are sure of what they know and know little; the model guesses at everything. So a rule's
word stands, the model adds what no rule found, and where both speak of different things the model
decides which is first.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.dialogue.checks import CONFIDENT
from appliance.dialogue.intents import COURTESIES
from appliance.nlu.model import CONTENT, IntentModel, Reading, in_order
from appliance.nlu.rules import BESIDE, NO_CONTEXT, RuleUnderstander
from appliance.nlu.understander import LONGEST, Context
from appliance.types import Intent, Understanding

GUARDED = ("stop_request", "human_request", "goodbye", "emergency", "robot_question")
"""What ends or turns a call at once and must never be missed: the rules are made for these."""
_CAREFUL = frozenset({*GUARDED, "affirmation", "negation"})
"""Worth asking again rather than acting on a guess: a false yes is a promise that nobody made."""
_SURE = 0.6
"""What only the model hears of these counts from here."""
_MORE_THAN_PLAIN = 0.9
"""So sure must the model be that a plain "no" is more than that: a refusal for good, say."""
_DOUBTFUL = 0.1
"""Below this, the model denies what a rule says."""
_DENIED = 0.4
"""So sure is a rule that the model denies while it knows what else is said: not enough."""


class RulesAndModel:
    """Understands by rules and a model. One instance serves all calls."""

    def __init__(self, rules: RuleUnderstander, model: IntentModel) -> None:
        self._rules, self._model = rules, model

    @property
    def intents(self) -> frozenset[str]:
        """See `Understander.intents`."""
        return self._rules.intents | {*self._model.classifier.labels} - {CONTENT}

    def understand(self, text: str, context: Context = NO_CONTEXT) -> Understanding:
        """Read an utterance; see `Understander.understand`.

        Raises:
            EngineError: the model failed on it.
        """
        if not text.strip():
            return self._rules.understand(text, context)
        words = text[:LONGEST]
        reading = self._model.read(words, context.slot)
        ranked = merge(self._rules.heard(words, context), reading)
        best = {intent.name: intent.confidence for intent in ranked}
        slots = self._rules.slots(words, context, best)
        nothing = not slots and all(each.confidence < CONFIDENT for each in ranked)
        outside = nothing and (reading.out_of_scope or not _is_content(reading))
        return Understanding(text, ranked, slots, out_of_scope=outside)


def _is_content(reading: Reading) -> bool:
    return any(each.name == CONTENT and each.confidence >= CONFIDENT for each in reading.intents)


def _needed(name: str, *, plain: bool) -> float:
    """How sure the model must be; `plain`: the rules hear a mere "no", "yes" or "hello"."""
    if plain and name not in COURTESIES:
        return _MORE_THAN_PLAIN
    return _SURE if name in _CAREFUL else CONFIDENT


def merge(by_rule: Mapping[str, float], reading: Reading) -> tuple[Intent, ...]:
    """The intents of both, best first.

    Args:
        by_rule: confidence by intent.
        reading: of the model.
    """
    model = {intent.name: intent.confidence for intent in reading.intents if intent.name != CONTENT}
    plain = bool(by_rule) and COURTESIES.issuperset(by_rule) and max(by_rule.values()) > BESIDE
    best = {
        name: confidence
        for name, confidence in model.items()
        if not reading.out_of_scope and confidence >= _needed(name, plain=plain)
    }
    other = set(best)  # what the model says, if it says anything
    for name, confidence in by_rule.items():
        doubted = bool(other) and name not in GUARDED and model.get(name, 0) < _DOUBTFUL
        said = min(confidence, _DENIED) if doubted else confidence
        best[name] = max(said, best.get(name, 0))
    if not COURTESIES.issuperset(best):
        best = {
            name: min(confidence, BESIDE) if name in COURTESIES else confidence
            for name, confidence in best.items()
        }
    return in_order(Intent(name, confidence) for name, confidence in best.items())
