"""Yes or no: the two meanings that most depend on each other, decided together.

"No, that's me" is a yes, "yeah no" is a no, "no problem" is a yes, "not sure" is neither. The
words are data (`polarity.*.yaml`).
"""

from __future__ import annotations

import re
from typing import Literal

from appliance.dialogue.schema import Slot
from appliance.nlu.grammar import Grammar
from appliance.nlu.negation import is_negated
from appliance.nlu.patterns import Table, load_table
from appliance.types import Intent

Words = tuple[str, ...]
PLAIN, MIXED, GUESSED = 0.95, 0.75, 0.6
"""Confidence where the words are plain, where yes and no are both said, and where a lone word is
taken for what it sounds like."""


class _Polarity(Table):
    yes: Words
    no: Words
    agreeable: Words
    quiet_yes: Words
    unsure: Words
    me: Words
    not_me: Words
    named: Words
    qualities: frozenset[str]
    misheard: dict[Literal["yes", "no"], Words]


class PolarityReader:
    """Reads yes and no; made once, with the table of a language."""

    def __init__(self, grammar: Grammar) -> None:
        table = load_table("polarity", grammar.language, _Polarity)
        self._negation, self._plain_yes = grammar.negation, table.yes[0]
        self._yes, self._no = _search(table, table.yes), _search(table, table.no)
        self._agreeable = _search(table, table.agreeable)
        self._quiet_yes = _search(table, table.quiet_yes)
        self._unsure = _search(table, table.unsure)
        self._me, self._not_me = _search(table, table.me), _search(table, table.not_me)
        self._named = re.compile(table.any_of(table.named))
        self._qualities = table.qualities
        self._misheard = {word: said for said, words in table.misheard.items() for word in words}

    def read(self, text: str, slot: Slot | None) -> tuple[Intent, ...]:
        """The affirmation or the negation of a normalized utterance, if it has one."""
        if slot == "yes_no" and text in self._misheard:
            return _intent(self._misheard[text], GUESSED)
        if self._unsure.search(text):
            return ()
        if self._me.search(self._not_me.sub(" ", text)) or self._named.search(text):
            return _intent("yes", PLAIN)
        return self._weigh(text)

    def _weigh(self, text: str) -> tuple[Intent, ...]:
        """The words for yes against those for no."""
        text, agreed = self._agreeable.subn(self._plain_yes, text)
        noes = [match.end() for match in self._no.finditer(text)]
        masked = self._quiet_yes.sub(lambda match: "_" * len(match.group()), text)
        words = masked.split()
        yeses: list[int] = []
        for match in self._yes.finditer(masked):
            place = masked[: match.start()].count(" ")
            negated = is_negated(words, place, self._negation)
            turned = negated and match.group() in self._qualities
            (noes if turned else yeses).append(match.end())
        if yeses and noes and not agreed:  # the last word counts: "yeah, no", "no, yes, I do"
            return _intent("yes" if max(yeses) > max(noes) else "no", MIXED)
        if yeses:
            return _intent("yes", PLAIN)
        return _intent("no", PLAIN) if noes else ()


def _search(table: _Polarity, patterns: Words) -> re.Pattern[str]:
    return re.compile(rf"\b{table.any_of(patterns)}\b")


def _intent(said: Literal["yes", "no"], confidence: float) -> tuple[Intent, ...]:
    return (Intent("affirmation" if said == "yes" else "negation", confidence),)
