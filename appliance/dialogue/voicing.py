"""Puts the marks into what is said, so that the voice never guesses.

    a flow's text  ── Voicing.text ──┐
                                     ├──> marked form (`markup`): Segment.speech
    a value        ── Voicing.value ─┘

What is written stays as it is; see `readout` for what is found in a text, `lexicon` for words of
a flow's own, `codes` and `addresses` for values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appliance.dialogue.addresses import speak_address
from appliance.dialogue.codes import parse_code, voice_code, voice_digits
from appliance.dialogue.contacts import speak_phone, voice_email
from appliance.dialogue.declarations import VariableType
from appliance.dialogue.lexicon import lexicon_rules, marked
from appliance.dialogue.markup import OPAQUE, escape, mark, marks, unescape
from appliance.dialogue.readout import Rule, read_out, rule
from appliance.dialogue.readout_en import IN_VALUES as ENGLISH_VALUES
from appliance.dialogue.readout_en import RULES as ENGLISH
from appliance.dialogue.readout_es import IN_VALUES as SPANISH_VALUES
from appliance.dialogue.readout_es import RULES as SPANISH
from appliance.dialogue.speech import parse_digits, speak
from appliance.types import Language

READINGS = ("digits", "characters", "as-in", "nato", "telephone", "address")
"""What `say-as` can ask for."""
_RULES: Mapping[Language, tuple[Rule, ...]] = {"en": ENGLISH, "es": SPANISH}
_IN_VALUES: Mapping[Language, tuple[Rule, ...]] = {"en": ENGLISH_VALUES, "es": SPANISH_VALUES}
_INITIAL = re.compile(r"(?<!\w)([A-Z])\.(?=\s)")
_LETTER_A = Rule(re.compile(r"(?<!\w)A\.(?=\s)"), lambda _: "ˈeɪ", "phoneme")
_JUNIOR = rule(r"(?<= )(Jr|Sr)\b\.?", lambda found: {"J": "Junior", "S": "Senior"}[found[1][0]])
_INITIALS = rule(_INITIAL.pattern, lambda found: found[1])
_INNER_STOPS = rule(r"(\w+)[.!?]+(?=\s+\S)", lambda found: found[1])
"""A value is one thing: what would end a sentence inside it does not."""
_LONGEST_NAME = 120
_MOST_SIGNS = 500
"""Of a value in which the rules look for something; what is longer is said as it is written."""


class Voicing:
    """How one flow says things in one language."""

    def __init__(self, language: Language, lexicon: Mapping[str, str] | None = None) -> None:
        """`lexicon`: words of the flow, each with how it is said; see `lexicon`."""
        self._language: Language = language
        self._spoken_so = lexicon_rules(lexicon or {})
        self._rules = (*self._spoken_so, *_RULES[language])
        initials = (_LETTER_A, _JUNIOR, _INITIALS) if language == "en" else (_INITIALS,)
        self._name_rules = (*self._spoken_so, *initials, *_RULES[language])

    def text(self, text: str) -> str:
        """A text of a flow, with its own marks, or a part of one.

        Raises:
            ValueError: a mark is faulty, or what is in `say-as` cannot be said so.
        """
        said: list[str] = []
        opened = asked = ""
        for each in marks(text):
            if each.name == "say-as":
                asked = "" if each.closes else each.value
                if asked and asked not in READINGS:
                    raise ValueError(f"{each.source}: interpret-as is {', '.join(READINGS)}")
            elif each.name in OPAQUE:
                opened = "" if each.closes else each.name
                said.append(each.source)
            elif each.name or opened:
                said.append(each.source)
            elif asked:
                said.append(self.read(unescape(each.source), asked))
            else:
                said.append(read_out(unescape(each.source), self._rules))
        return "".join(said)

    def value(self, value: object, kind: VariableType, way: str | None = None) -> str:
        """A variable's value as words with marks.

        Args:
            value: as an account or a fact has it.
            kind: its type.
            way: how an account wants it said; see `lexicon.assert_sayable`.

        Raises:
            ValueError: the value is not of its kind; the message does not tell it.
        """
        words = speak(value, kind, self._language)
        if kind in ("text", "name") and way is not None:
            said = marked(words, way)
        elif kind == "digits":
            said = voice_digits(re.sub(r"[+()]", " ", str(value)), self._language)
        elif kind == "code":
            said = voice_code(words, self._language)
        elif kind == "email":
            said = voice_email(value, self._language)
        elif kind == "address":
            said = self._address(words)
        elif kind in ("name", "text", "time"):
            said = self._text_value(words, kind)
        else:
            said = escape(words)
        return said

    def read_value(self, value: object, kind: VariableType, reading: str) -> str:
        """A variable's value as one of `READINGS` has it; one that cannot is said by its type.

        Raises:
            ValueError: the value is not of its kind.
        """
        written = str(value) if kind in ("digits", "phone") else speak(value, kind, self._language)
        try:
            return self.read(written, reading)
        except ValueError:  # it comes from a caller: a name with a sign that has no name
            return self.value(value, kind)

    def read(self, text: str, reading: str) -> str:
        """A plain text as one of `READINGS` has it.

        Raises:
            ValueError: it cannot be read so; the message does not tell it.
        """
        if reading == "digits":
            parse_digits(text)
            return voice_digits(text, self._language)
        if reading == "telephone":
            return escape(speak_phone(text, self._language))
        if reading == "address":
            return self._address(text)
        code = parse_code(re.sub(r"[^\w ./-]|_", " ", text))
        if reading == "as-in":
            return voice_code(code, self._language, "as-in")
        return voice_code(code, self._language, "nato" if reading == "nato" else "characters")

    def _text_value(self, words: str, kind: VariableType) -> str:
        if len(words) > _MOST_SIGNS:
            return escape(words)
        rules = self._name_rules if kind == "name" else self._rules
        if len(words) <= _LONGEST_NAME:
            rules = (*self._spoken_so, *_IN_VALUES[self._language], *rules, _INNER_STOPS)
        return read_out(words, rules)

    def _address(self, written: str) -> str:
        """An address in full; one with neither letters nor figures stays as it is written."""
        if len(written) > _MOST_SIGNS:
            return escape(written)
        said = speak_address(written, self._language)
        return mark("sub", said, written) if said else escape(written)
