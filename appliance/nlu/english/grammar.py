"""English, as the rule layer needs it."""

from __future__ import annotations

import re

from appliance.nlu.english.addresses import ADDRESSES
from appliance.nlu.english.dates import DATES
from appliance.nlu.english.names import NAMES
from appliance.nlu.english.numbers import NUMBERS
from appliance.nlu.english.times import TIMES
from appliance.nlu.english.words import normalize
from appliance.nlu.grammar import Grammar, MoneyWords, Negation

_MONEY = MoneyWords(
    currency=frozenset({"dollar", "dollars", "bucks", "buck", "usd"}),
    cents=frozenset({"cent", "cents"}),
    percent=frozenset({"percent"}),
    thousands=frozenset({"grand"}),
    joining=frozenset({"and"}),
    decimal=frozenset(),
    offering=frozenset(
        {"pay", "do", "afford", "send", "manage", "give", "offer", "about", "maybe", "around",
         "only", "put", "like", "just", "be", "make", "with"}
    ),
    sums={("couple", "hundred"): 200},
    half=re.compile(r"\bhalf\b(?! an? hour)(?! past)"),
    full=re.compile(
        r"\b(in full|the full|full (amount|balance|payment|thing)|the (whole|total)|entire"
        r"|everything|(whole|total) (amount|balance|thing)|all of (it|that)"
        r"|pay (it (all|off|all off)|that off))\b"
    ),
    all_of_it=frozenset({"all", "full", "yes all", "yes full"}),
)  # fmt: skip
_NEGATION = Negation(
    words=frozenset({"not", "cannot", "never", "without"}),
    stops=frozenset(
        {"but", "until", "till", "before", "unless", "except", "however", "though", "so"}
    ),
)

ENGLISH = Grammar(
    language="en",
    normalize=normalize,
    numbers=NUMBERS,
    money=_MONEY,
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
)  # fmt: skip
