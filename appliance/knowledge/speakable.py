"""What of a document's text is not fit to be said on the telephone, for `appliance docs check`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.dialogue.honesty import denies_automation
from appliance.dialogue.templates import count_sentences

MOST_WORDS = 35
"""A longer sentence is hard to follow by ear: about 14 seconds."""

_FAULTS = (
    (re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE), "has a web address"),
    (re.compile(r"\S+@\S+\.\S+"), "has an e-mail address"),
    (re.compile(r"[^ -~\u00a0-\u024f\u2010-\u2026\u20ac]"), "has letters that no voice knows"),
    (re.compile(r"[|\\<>{}\[\]^~_=#]"), "has signs that are not said"),
    (re.compile(r"\d{7,}"), "has a number of more than six digits"),
    (re.compile(r"\b(?:see|click|press) (?:\w+ ){0,3}(?:above|below|here)\b", re.IGNORECASE),
     "points to a place on a page"),
    (re.compile(r"[:;]$"), "ends with a colon: what follows may not be quoted with it"),
)  # fmt: skip


def find_speech_problems(sentence: str) -> Iterator[str]:
    """Why a sentence should be written otherwise; none for most."""
    if denies_automation(sentence):
        yield "denies being automated; it never may"
    words = len(sentence.split())
    if words > MOST_WORDS:
        yield f"has {words} words; more than {MOST_WORDS} are hard to follow"
    if count_sentences(sentence) > 1:
        yield "reads as several sentences; write abbreviations out"
    for pattern, fault in _FAULTS:
        if pattern.search(sentence):
            yield fault
