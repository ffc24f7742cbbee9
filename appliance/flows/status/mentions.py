"""What the words of a question name: which one of a list, and which job.

"the second one" -> place 2        "the delivery driver one", "my cook application" -> a job
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.knowledge.terms import terms

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDINALS = {word: place for place, word in enumerate(_PLACES, 1)} | {"last one": -1}
_ORDINAL = re.compile(
    rf"\b(?:the|my) ({'|'.join(_ORDINALS)})(?: (?:one|application|payment|job)s?)?\b"
    r"(?! (?:of|time|thing))"
)
"""The last one of a list is its last; "my last payment" is not, for lists begin with the latest."""

_ABOUT = re.compile(r"\b(?:what|how) about (?:the |my )?(.+)$|^and (?:the |my )?(.+)$")
_DETERMINER = r"(?:the|my|a|an|that|this) "
_WORDS = rf"((?:(?!{_DETERMINER})\w+ ){{1,4}}?)"
_JOBS = tuple(
    re.compile(rf"\b{_DETERMINER}{_WORDS}(?:{noun})s?\b")
    for noun in ("job|position|role", "application|one")
)
"""A job that is called one comes before what may be one: "the driver one"."""
_ONLY_A_JOB = re.compile(
    rf"(?:(?:no|yes|and|for|what about|how about|it's|i mean|i meant) )*{_DETERMINER}{_WORDS}"
    r"(?:job|position|role|application)(?: please)?"
)


def place_in(words: str) -> int:
    """Which one of a list plain words name: from 1; -1 is the last, 0 none."""
    found = _ORDINAL.search(words)
    return _ORDINALS[found.group(1)] if found else 0


def thing_in(words: str) -> str:
    """What "what about the driver job" and "and my payments" are about; else empty."""
    about = _ABOUT.search(words)
    return next((each for each in about.groups() if each), "") if about else ""


def job_in(words: str) -> str:
    """A job that plain words may name, as they do; empty if they name none."""
    for pattern in _JOBS:
        found = pattern.search(words)
        if found:
            return found.group(1).strip()
    return thing_in(words)


def is_only_a_job(words: str) -> bool:
    """Whether plain words name a job and nothing else: "no, the driver application"."""
    return _ONLY_A_JOB.fullmatch(words) is not None


def jobs_meant(titles: Sequence[str], question: str, named: str) -> tuple[int, ...]:
    """Which job titles a question means, by their places in the sequence.

    Those whose every word is said; else those that have every word of the job that is named: "the
    driver one" is the Delivery Driver.
    """
    asked, part = set(terms(question)) | set(terms(named)), set(terms(named))
    known = [set(terms(title)) for title in titles]
    full = tuple(place for place, title in enumerate(known) if title and asked >= title)
    return full or tuple(place for place, title in enumerate(known) if part and part <= title)
