"""Reads a telephone number that was asked for: "three one oh, five five five, oh one hundred".

    text -> signs as words -> runs of figures ─┬─> joined, as far as they can be a number
                              "extension" ─────┘   corrections put the last figures right

The written form, and which numbers can exist, are those of `appliance.dialogue.contacts`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from appliance.dialogue.contacts import EXTENSION, NATIONAL_DIGITS, parse_phone
from appliance.nlu.grammar import Grammar
from appliance.nlu.numbers import read_digits, read_run

_MARKS = re.compile(r"(?<=\d)[\s]*[-./()–]+[\s]*(?=\d)")
_PLUS_SIGN = re.compile(r"\+\s*(?=\d)")
_CORRECTED, _INTERNATIONAL = "/", "+"


def read_phone(text: str, grammar: Grammar) -> str:
    """The number in an utterance, in its written form; "" for none, or for a part of one."""
    words = _words(text, grammar)
    rounded = grammar.phones.rounded
    flat = " ".join(rounded.get(word, word) for word in words.split())
    for reading in dict.fromkeys((words, flat)):
        runs, extension = _runs(reading, grammar)
        for figures in _ways(runs):
            if found := _number(figures, extension, grammar):
                return found
    return ""


def read_parts_of_phone(text: str, grammar: Grammar, before: str) -> tuple[str, str]:
    """Of an utterance that holds no whole number: the number with what was said before, or "".

    Also the figures that are known of it then. `before` are those of the turns before this one.
    """
    words = grammar.phones.between.sub(" ", _words(text, grammar))
    figures = read_digits(words, grammar, length=NATIONAL_DIGITS, before=before)
    return _number(figures, "", grammar), figures


def _number(figures: str, extension: str, grammar: Grammar) -> str:
    try:
        return parse_phone(figures + extension, grammar.phones.regions)
    except ValueError:
        return ""


def _words(text: str, grammar: Grammar) -> str:
    return grammar.normalize(_PLUS_SIGN.sub(" plus ", _MARKS.sub(" ", text)))


def _runs(words: str, grammar: Grammar) -> tuple[list[str], str]:
    """Runs of figures with marks for corrections and a plus between them, and the extension."""
    phones = grammar.phones
    head, *tail = phones.extension.split(words, maxsplit=1)
    extension = "".join(_figures(tail[-1], grammar)) if tail else ""
    head = phones.correction.sub(f" {_CORRECTED} ", head)
    head = phones.plus.sub(f" {_INTERNATIONAL} ", phones.between.sub(" ", head))
    return _figures(head, grammar), f"{EXTENSION}{extension}" if extension else ""


def _figures(words: str, grammar: Grammar) -> list[str]:
    split, runs, index = words.split(), [], 0
    while index < len(split):
        digits, end = read_run(split, index, grammar.numbers)
        if digits or split[index] in (_CORRECTED, _INTERNATIONAL):
            runs.append(digits or split[index])
        index = max(end, index + 1)
    return runs


def _ways(runs: list[str]) -> list[str]:
    """What the number may be, the likeliest first."""
    together = "".join(run for run in runs if run != _CORRECTED)
    whole = [_corrected(runs), *_wholes(runs)] if _CORRECTED in runs else [together, *_wholes(runs)]
    return [way for way in whole if way]


def _wholes(runs: list[str]) -> list[str]:
    """Runs that are a number by themselves or with their neighbours, the last one first."""
    single = [run for run in runs if len(run) >= NATIONAL_DIGITS]
    pairs = [first + then for first, then in pairwise(runs) if len(first + then) >= 10]
    return [*reversed(single), *reversed(pairs)]


def _corrected(runs: list[str]) -> str:
    """The figures with the last of them put right: "…oh one oh, no, two oh".

    What follows a correction stands for as many figures as make the number complete; in a number
    that is not complete, for as many as it has itself.
    """
    kept, *changes = _split(runs)
    for change in changes:
        spare = len(kept) + len(change) - NATIONAL_DIGITS
        if len(change) >= NATIONAL_DIGITS:
            kept = change
        elif not 0 <= spare <= len(kept):
            kept = kept[: max(0, len(kept) - len(change))] + change
        else:
            kept = kept[: len(kept) - spare] + change
    return kept


def _split(runs: list[str]) -> list[str]:
    parts = [""]
    for run in runs:
        if run == _CORRECTED:
            parts.append("")
        else:
            parts[-1] += run
    return [parts[0], *(part for part in parts[1:] if part)]
