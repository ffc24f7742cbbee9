"""Spanish, as the rule layer needs it: of Latin America and of Spain, with tú, usted and vos."""

from __future__ import annotations

import re

from appliance.nlu.grammar import Grammar, Negation
from appliance.nlu.spanish.addresses import ADDRESSES
from appliance.nlu.spanish.dates import DATES
from appliance.nlu.spanish.money import MONEY
from appliance.nlu.spanish.names import NAMES
from appliance.nlu.spanish.numbers import NUMBERS
from appliance.nlu.spanish.phones import EMAILS, PHONES
from appliance.nlu.spanish.spelling import SPELLING
from appliance.nlu.spanish.times import TIMES
from appliance.nlu.spanish.words import normalize, verbatim

_NEGATION = Negation(
    words=frozenset({"no", "nunca", "jamas", "sin", "ni", "tampoco"}),
    stops=frozenset(
        {";", "pero", "hasta", "antes", "despues", "sino", "aunque", "excepto", "salvo", "mas",
         "solo", "mejor", "digo", "perdon", "quizas", "asi"}
    ),
    replies=frozenset({"no"}),
    not_replies=frozenset({"hoy", "todo", "toda"}),
    after=re.compile(
        r"(yo |ya |es que |la verdad |pues )*(no|tampoco)\b(?! (hay|tengo|es|veo|tendria) "
        r"(ningun )?(problema|inconveniente|mala idea)| esta mal| importa)"
    ),
)  # fmt: skip

SPANISH = Grammar(
    language="es",
    normalize=normalize,
    verbatim=verbatim,
    numbers=NUMBERS,
    money=MONEY,
    dates=DATES,
    negation=_NEGATION,
    filler=re.compile(
        r"^((eh+|este|pues|bueno|mm+|m|em|ah|oh|a ver|o sea|y|pero|entonces|hm+|aver|la|el|es que)"
        r"( |$))+$"
    ),
    trailing=frozenset(
        {"y", "o", "e", "u", "pero", "el", "la", "los", "las", "un", "una", "de", "del",
         "a", "al", "en", "con", "por", "para", "mi", "su", "este", "eh", "em", "porque",
         "entonces", "sin", "son", "unos", "dentro"}
    ),
    times=TIMES,
    names=NAMES,
    addresses=ADDRESSES,
    spelling=SPELLING,
    phones=PHONES,
    emails=EMAILS,
)  # fmt: skip
