"""Finds what is left of a person in a text: any of his values, in any way to write or say it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from num2words import num2words

from appliance.dialogue.speech import SAMPLES

from .people import DIGITS, MONTHS, SPANISH, Person

_SPOKEN = {word: str(number) for number, word in enumerate(DIGITS)}
_SPOKEN |= {"oh": "0", "o": "0", "nought": "0"}
_SPOKEN |= {word: str(number) for number, word in enumerate(SPANISH)}
_SPOKEN |= {num2words(number): str(number) for number in range(10, 20)}
_TENS = {num2words(number): str(number // 10) for number in range(20, 100, 10)}
_THIS_YEAR = re.compile(r"\b2026-\d\d-\d\d\b")
"""A day that was agreed; nobody is born in the year of the tests."""
_PLACE = re.compile(r'File "[^"]*", line \d+')
_WORD = re.compile(r"[a-z0-9@.']+")
WINDOW = 3
"""So many digits in a row of one of his numbers are a trace of it."""

NAMES_OF_THINGS = frozenset(
    {"at", "started", "timestamp", "flow_hash", "key", "call", "sip_call_id", "path", "log"}
)
"""Fields that hold a moment or a name that was made up; they are not searched for single digits."""


CALL_FILES = NAMES_OF_THINGS | {"number"}
"""In the files of a call stands who called."""


def strings(
    value: Any, field: str = "", left_out: frozenset[str] = NAMES_OF_THINGS
) -> Iterator[str]:
    """Every text in a JSON value that could hold what a caller said.

    Not the invented values that stand for private ones in a log.
    """
    match value:
        case dict():
            for name, each in value.items():
                yield name
                yield from strings(each, name, left_out)
        case list():
            for each in value:
                yield from strings(each, field, left_out)
        case str() if field not in left_out and value not in SAMPLES.values():
            yield _THIS_YEAR.sub("", _PLACE.sub("", value) if field == "exception" else value)


def texts_of(text: str, left_out: frozenset[str] = NAMES_OF_THINGS) -> str:
    """The texts in JSON lines, or in one JSON document; what is neither as it is."""
    try:
        return "\n".join(strings(json.loads(text), "", left_out))
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        try:
            found.append("\n".join(strings(json.loads(line), "", left_out)))
        except ValueError:
            found.append(line)
    return "\n".join(found)


def traces(who: Person, text: str) -> list[str]:
    """What is left of him: kind and what was seen. Nothing is, where it is empty."""
    plain = _folded(text)
    found = [f"{kind}: {word}" for kind, word in who.words.items() if _has_word(plain, word)]
    if any(_folded(part) in plain for part in (who.email.partition("@")[2], who.email)):
        found.append("email")
    found += [f"balance: {each}" for each in _amounts(who.balance) if _has_word(plain, each)]
    runs = list(_digit_runs(plain))
    for kind, number in who.numbers.items():
        window = {"year": 4, "birth": 6}.get(kind, WINDOW)
        parts = {number[at : at + window] for at in range(len(number) - window + 1)}
        if kind == "phone":
            parts = {each for each in parts if each not in "310555"}  # everybody's
        seen = sorted(part for part in parts if any(part in run for run in runs))
        found += [f"{kind}: {part}" for part in seen]
    _, month, day = who.birth
    nth = num2words(day, to="ordinal").replace("-", " ")
    for each in (f"{MONTHS[month - 1]} {nth}", f"{nth} of {MONTHS[month - 1]}"):
        found += [f"birth: {each}"] if _has_word(plain, each) else []
    return found


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"(?<=[a-z])-(?=[a-z])", " ", plain)


def _has_word(plain: str, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(_folded(word))}(?![a-z0-9])", plain) is not None


def _amounts(amount: str) -> Iterator[str]:
    dollars, _, _ = amount.partition(".")
    words = num2words(int(dollars)).replace("-", " ")
    yield from (amount, dollars, words, words.replace(" and ", " "))


def _digit_runs(plain: str) -> Iterator[str]:
    """Numbers as digits, however they are written; separated or told in words they are one run."""
    for line in plain.splitlines():
        run, tens = "", ""
        for word in _WORD.findall(line.replace("/", " ").replace("-", " ")):
            bare = word.strip(".'")
            digits = bare if bare.isdigit() else _SPOKEN.get(bare, "")
            if tens and not (digits and len(digits) == 1 and digits != "0"):
                run, tens = run + tens + "0", ""
            if bare in _TENS:
                tens = _TENS[bare]
            elif digits:
                run, tens = run + tens + digits, ""
            else:
                yield run + (tens + "0" if tens else "")
                run, tens = "", ""
        yield run + (tens + "0" if tens else "")
