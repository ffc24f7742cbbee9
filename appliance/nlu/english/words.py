"""Brings an English utterance to the form that all rules read: contractions written out.

"I can't -- it's $1,200.50!"  ->  "i cannot it is $1200.50"
"""

from __future__ import annotations

import re

from appliance.dialogue.words import (
    MONTHS,
    ORDINAL_UNITS,
    PLURAL_VALUES,
    TEENS,
    TENS,
    UNITS,
    WEEKDAYS,
)
from appliance.nlu.acknowledgements import affirmed
from appliance.nlu.figures import dollars_first, thousand_letter
from appliance.nlu.words import Mender, plain, unaccented

_CONTRACTIONS = {
    "can't": "cannot", "cant": "cannot", "won't": "will not", "wont": "will not",
    "ain't": "is not", "aint": "is not", "shan't": "shall not", "let's": "let us",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "gimme": "give me",
    "lemme": "let me", "dunno": "do not know", "y'all": "you", "c'mon": "come on",
    "im": "i am", "ive": "i have", "thats": "that is", "whats": "what is", "whos": "who is",
    "theres": "there is", "hes": "he is", "shes": "she is", "youre": "you are",
    "alright": "all right", "ok": "okay", "pay-day": "payday", "e-mail": "email",
}  # fmt: skip
_NEGATED = ("do", "does", "did", "is", "are", "was", "were", "have", "has", "had", "would",
            "could", "should", "need", "must")  # fmt: skip
_CONTRACTIONS |= {f"{verb}nt": f"{verb} not" for verb in _NEGATED}
_ENDINGS = (
    ("n't", " not"), ("'m", " am"), ("'re", " are"), ("'ve", " have"), ("'ll", " will"),
    ("'d", " would"),
)  # fmt: skip
_IS = {"it", "that", "this", "what", "who", "he", "she", "there", "here", "where", "how", "name"}
_TOKEN = re.compile(r"\$?\d+(?:\.\d+)?(?:st|nd|rd|th)?|[a-z']+")
_PLAIN_TOKEN = re.compile(r"\d+(?:st|nd|rd|th)?|[a-z']+(?:-[a-z']+)*")
_SPELLED = (("uh-uh", "uhuh"), ("nuh-uh", "uhuh"), ("uh uh", "uhuh"), ("nuh uh", "uhuh"),
            ("can not", "cannot"), ("pay day", "payday"), ("good bye", "goodbye"),
            ("some one", "someone"), ("no body", "nobody"))  # fmt: skip


def normalize(text: str) -> str:
    """The utterance as the English rules read it (see the module's example)."""
    text = thousand_letter(dollars_first(plain(text).replace("%", " percent ")), "thousand")
    text = affirmed(text, "uhhuh")
    for said, written in _SPELLED:
        text = re.sub(rf"\b{re.escape(said)}\b", written, text)
    tokens = _TOKEN.findall(text)
    return " ".join(_MENDER.mend(word) for token in tokens for word in _expand(token).split())


def verbatim(text: str) -> str:
    """The same form with no word put right ("Steven" is no "seven"), and with hyphens in names."""
    return " ".join(_expand(token) for token in _PLAIN_TOKEN.findall(unaccented(text)))


def _expand(token: str) -> str:
    if token in _CONTRACTIONS:
        return _CONTRACTIONS[token]
    for ending, written in _ENDINGS:
        if token.endswith(ending) and len(token) > len(ending):
            return token[: -len(ending)] + written
    if token.endswith("ish") and token[:-3] in TENS:
        return f"{token[:-3]} ish"  # "fiftyish"
    if token.endswith("'s"):
        return f"{token[:-2]} is" if token[:-2] in _IS else token[:-2]
    return token.strip("'")


_KEYWORDS = frozenset((
     "calling", "number", "wrong", "person", "human", "representative", "operator", "supervisor",
     "manager", "goodbye", "robot", "machine", "recording", "correct", "already", "dispute",
     "afford", "money", "payment", "balance", "tomorrow", "today", "hundred", "thousand",
     "dollars", "repeat", "payday", "lawyer", "attorney", "speaking",
     *WEEKDAYS, *MONTHS, *TENS, *TEENS, *UNITS, *ORDINAL_UNITS,
))  # fmt: skip
_REAL_WORDS = frozenset(
    ("callings", "money", "monkey", "honey", "wrote", "wring", "there", "these", "those", "their",
     "fight", "sight", "night", "might", "event", "even", "seen", "fifths", "march", "match",
     "april", "juan", "july", "juno", "humane", "tenth", "teeth", "sixty", "sixth", "minute",
     "second", "speaks", "threw", "throw", "nice", "niece", "marsh", "mine", "line", "fine",
     "first", "fist", "sever", "severe", "elevens", "forth", "fourth", "forty", "forte", "thirst",
     "perdon", *PLURAL_VALUES, *(f"{ordinal}s" for ordinal in ORDINAL_UNITS))
)  # fmt: skip
_MENDER = Mender(_KEYWORDS, _REAL_WORDS)
