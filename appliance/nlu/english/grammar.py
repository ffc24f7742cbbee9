"""English, as the rule layer needs it."""

from __future__ import annotations

import re

from appliance.nlu.english.addresses import ADDRESSES
from appliance.nlu.english.dates import DATES
from appliance.nlu.english.money import MONEY
from appliance.nlu.english.names import NAMES
from appliance.nlu.english.numbers import NUMBERS
from appliance.nlu.english.phones import EMAILS, PHONES
from appliance.nlu.english.spelling import SPELLING
from appliance.nlu.english.times import TIMES
from appliance.nlu.english.words import normalize, verbatim
from appliance.nlu.grammar import Grammar, Negation

_NEGATION = Negation(
    words=frozenset({"not", "cannot", "never", "without"}),
    stops=frozenset(
        {"but", "until", "till", "before", "unless", "except", "however", "though", "so"}
    ),
    after=re.compile(
        r"(really |just )?((does|will|would|might|may|is) not (really |going to )?"
        r"(work|good|possible|do|an option|great|happen|convenient)"
        r"|is (no good|bad|out|impossible|too (soon|early|late)))\b"
    ),
)

ENGLISH = Grammar(
    language="en",
    normalize=normalize,
    verbatim=verbatim,
    numbers=NUMBERS,
    money=MONEY,
    dates=DATES,
    negation=_NEGATION,
    filler=re.compile(
        r"^((um|uh|er|erm|ah|oh|hmm|hm|mm|well|so|like|you know|let us see|and|but|the)( |$))+$"
    ),
    trailing=frozenset(
        {"and", "um", "uh", "er", "the", "but", "or", "so", "on", "like", "is", "my", "a",
         "because", "about", "to", "of", "for", "with", "at", "by", "in", "then"}
    ),
    times=TIMES,
    names=NAMES,
    addresses=ADDRESSES,
    spelling=SPELLING,
    phones=PHONES,
    emails=EMAILS,
)  # fmt: skip
