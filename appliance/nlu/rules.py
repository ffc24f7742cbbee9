"""The rule-based understander: version 0 of understanding, and later the guard before a model.

words -> normalize -> rules + polarity -> ranked intents
                   -> digits (a ZIP was asked for) | date, then amount and time in what is left
                   -> name, address, the caller's own words, where they were asked for

Each language is read by its own `_Reader`. Callers mix languages, so what must never be missed is
heard in all of them, whatever the language of the call.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.dialogue.checks import CONFIDENT
from appliance.dialogue.intents import COURTESIES, INTENTS
from appliance.nlu.addresses import read_address
from appliance.nlu.amounts import read_amount
from appliance.nlu.dates import FoundDate, find_date
from appliance.nlu.emails import read_email
from appliance.nlu.grammar import Grammar
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.names import read_name
from appliance.nlu.numbers import ZIP_DIGITS, read_digits
from appliance.nlu.patterns import Rule, load_rules
from appliance.nlu.phones import read_parts_of_phone, read_phone
from appliance.nlu.polarity import PolarityReader
from appliance.nlu.times import find_time
from appliance.nlu.understander import LONGEST, Context
from appliance.types import Intent, Language, Understanding

NO_CONTEXT = Context()
HEARD_IN_EVERY_LANGUAGE = frozenset(
    {"emergency", "stop_request", "human_request", "goodbye", "spanish_request", "english_request"}
)
BESIDE = 0.8
"""At most so sure is a courtesy beside something else: "no, she isn't here" is that she is out."""
_NO_ANSWER = frozenset(
    {
        "stop_request",
        "human_request",
        "goodbye",
        "wait_request",
        "callback_request",
        "hard_refusal",
        "repeat_request",
        "robot_question",
        "identity_question",
        "why_question",
        "refuse_information",
        "does_not_know",
        "spanish_request",
        "english_request",
        "vendor_call",
        "billing_question",
        "job_application",
        "booking_change",
        "follow_up",
        "spam_call",
        "angry",
        "busy",
    }
)
"""Who says this does not answer a question for a name or for words of one's own."""
_COURTEOUS_WORDS = 4
"""A courtesy with fewer words than this says nothing else: "yes please"."""


class RuleUnderstander:
    """Understands by rules alone. Stateless once made: one instance serves all calls."""

    def __init__(self) -> None:
        self._readers = {language: _Reader(grammar) for language, grammar in GRAMMARS.items()}

    @property
    def intents(self) -> frozenset[str]:
        """See `Understander.intents`."""
        return frozenset(INTENTS)

    def understand(self, text: str, context: Context = NO_CONTEXT) -> Understanding:
        """Read an utterance; see `Understander.understand`. Unknown words give no intent."""
        words = text[:LONGEST]
        best = self.heard(words, context)
        ranked = sorted(best.items(), key=lambda item: -item[1])
        slots = self.slots(words, context, best)
        return Understanding(text, tuple(Intent(*intent) for intent in ranked), slots)

    def heard(self, text: str, context: Context) -> dict[str, float]:
        """Every intent that is said, with its confidence; ties keep the order of the table."""
        best = self._readers[context.language].intents(text, context)
        for reader in self._others(context):
            for name, confidence in reader.never_missed(text).items():
                best[name] = max(confidence, best.get(name, 0))
        return best

    def slots(self, text: str, context: Context, best: Mapping[str, float]) -> dict[str, str]:
        """What the utterance gives; `best` is what it means, with confidence."""
        own, others = self._readers[context.language], self._others(context)
        slots = own.slots(text, context)
        if context.slot in ("name", "text") and self._answers(text, best, context):
            slots |= own.answers(text, context)
        if context.slot == "zip" and len(slots.get("digits", "")) != ZIP_DIGITS:
            found = (reader.slots(text, context) for reader in others)
            slots = next((s for s in found if len(s.get("digits", "")) == ZIP_DIGITS), slots)
        if context.slot in ("phone", "email", "address") and context.slot not in slots:
            found = (reader.slots(text, context) for reader in others)
            other = next((s for s in found if context.slot in s), {})
            slots |= {name: said for name, said in other.items() if name == context.slot}
        return slots

    def _others(self, context: Context) -> list[_Reader]:
        return [reader for name, reader in self._readers.items() if name != context.language]

    def _answers(self, text: str, best: Mapping[str, float], context: Context) -> bool:
        """Whether an utterance can be words that were asked for, and not something else."""
        meant = {name for name, confidence in best.items() if confidence >= CONFIDENT}
        courtesy = bool(meant) and meant <= COURTESIES
        alone = courtesy and len(text.split()) < _COURTEOUS_WORDS
        if alone and context.slot == "name":  # "yes, John" says a name beside it
            alone = not self._readers[context.language].names_beside(text, context)
        return not meant & _NO_ANSWER and not alone


class _Reader:
    """Reads one language."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._rules = load_rules(grammar.language)
        self._polarity = PolarityReader(grammar)
        self._protected = tuple(
            rule for rule in self._rules if rule.intent in HEARD_IN_EVERY_LANGUAGE
        )

    def intents(self, text: str, context: Context) -> dict[str, float]:
        """Every intent that is said, with its confidence; ties keep the order of the table."""
        words = self._grammar.normalize(text)
        best = _best(self._rules, words)
        for intent in self._polarity.read(words, context.slot):
            best[intent.name] = min(intent.confidence, BESIDE if best else 1.0)
        if not best and self._grammar.filler.search(words):
            best["filler"] = 0.9
        return best

    def never_missed(self, text: str) -> dict[str, float]:
        """What a call in another language must hear of this one."""
        return _best(self._protected, self._grammar.normalize(text))

    def slots(self, text: str, context: Context) -> dict[str, str]:
        """What the utterance gives; digits only where they were asked for."""
        if context.slot == "zip":
            digits = read_digits(text, self._grammar, before=context.said_digits)
            return {"digits": digits} if digits else {}
        if context.slot in ("phone", "email"):
            return self._contact(text, context)
        slots = {}
        words = self._grammar.normalize(text)
        date = find_date(words, self._grammar, asked=context.slot == "date")
        if date:
            slots["date"] = date.phrase
        rest = _without(words, date)
        amount = read_amount(rest, self._grammar, asked=context.slot == "amount")
        if amount:
            slots["amount"] = amount
        asked = context.slot in ("time", "text")
        time = asked or context.slot == "date"
        if time and (found := find_time(" ".join(rest), self._grammar, asked=asked)):
            slots["time"] = found
        elif time and (found := find_time(words, self._grammar, asked=False)):
            slots["time"] = found  # it was in the date's own words: "tonight", "this morning"
        if context.slot in ("address", "text"):
            address = read_address(text, self._grammar, asked=context.slot == "address")
            slots |= {"address": address} if address else {}
        if context.slot in ("name", "address", "text"):  # these are often said together
            name = read_name(text, self._grammar, asked=False)
            slots |= {"name": name} if name else {}
        return slots

    def _contact(self, text: str, context: Context) -> dict[str, str]:
        """A telephone number or an e-mail address; of a part of a number its `digits`."""
        if context.slot == "email":
            email = read_email(text, self._grammar)
            return {"email": email} if email else {}
        phone, digits = read_phone(text, self._grammar), ""
        if not phone:
            phone, digits = read_parts_of_phone(text, self._grammar, context.said_digits)
        if phone:
            return {"phone": phone}
        return {"digits": digits} if digits else {}

    def names_beside(self, text: str, context: Context) -> bool:
        """Whether a courtesy stands before a name, which means nothing by itself.

        Not behind a "no", which makes set phrases: "no doubt", "no deal".
        """
        words = self._grammar.normalize(text).split()
        name = self.answers(text, context).get("name", "")
        beside = bool(name) and len(name.split()) < len(words) and "no" not in words
        return beside and not self.intents(name, context)

    def answers(self, text: str, context: Context) -> dict[str, str]:
        """What a reply gives that holds nothing else: a bare name, or the caller's own words."""
        if context.slot == "text":
            return {"text": " ".join(text.split())} if text.strip() else {}
        name = read_name(text, self._grammar, asked=True)
        return {"name": name} if name else {}


def _best(rules: tuple[Rule, ...], words: str) -> dict[str, float]:
    best: dict[str, float] = {}
    for rule in rules:
        if rule.confidence > best.get(rule.intent, 0) and rule.matches(words):
            best[rule.intent] = rule.confidence
    return best


def _without(words: str, date: FoundDate | None) -> list[str]:
    """The words with the date's own taken out (a mark keeps its neighbours apart)."""
    split = words.split()
    return split if date is None else [*split[: date.start], ";", *split[date.end :]]


def trails_off(text: str, language: Language = "en") -> bool:
    """Whether an utterance ends on a word that more must follow ("on the", "yes and")."""
    grammar = GRAMMARS[language]
    words = grammar.normalize(text).split()
    return bool(words) and words[-1] in grammar.trailing
