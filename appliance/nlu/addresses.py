"""Reads a street address: "one oh five oak street apartment two" is "105 Oak Street Apartment 2".

    address := number street [unit] [town]           street := word{1,4} kind [direction]
             | kind word{1,4} number [unit] [district] [town]             -> nlu/streets.py
             | box number

A number and a street are the least; where an address was not asked for, the kind of street too.
A ZIP after it is none of it. Of several addresses the last counts; a correction may be of the
number alone, or of the street ("no, Elm Street").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from appliance.nlu.grammar import Grammar
from appliance.nlu.numbers import read_run
from appliance.nlu.places import Place, read_unit, skip, stretch
from appliance.nlu.streets import read_leading, street_alone, unlabelled
from appliance.nlu.words import unaccented

_MOST_DIGITS = 5
_CORRECTED = "/no"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def read_address(text: str, grammar: Grammar, *, asked: bool) -> str:
    """The last address in an utterance, written with figures; "" for none."""
    known = grammar.addresses
    if not known.kinds:
        return ""
    text = known.signs.sub(" numero ", text.replace("\u2019", "'"))
    said = {unaccented(word, kept="ñ"): word for word in _WORD.findall(text)}
    for words in dict.fromkeys((_split(grammar.verbatim(text)), grammar.normalize(text))):
        place = _read(words, grammar, asked=asked)
        if place:
            return place.written(said, known)
    return ""


def _split(words: str) -> str:
    return words.replace("-", " ")  # "twenty-one", "Winston-Salem"


def _read(words: str, grammar: Grammar, *, asked: bool) -> Place | None:
    known = grammar.addresses
    words = known.unnumbered[0].sub(" 0 ", known.boxes[0].sub(" /box ", words))
    found: Place | None = None
    for part in grammar.phones.correction.sub(f" {_CORRECTED} ", words).split(_CORRECTED):
        split = part.split()
        place = _last(split, grammar, asked=asked)
        found = place or (_corrected(found, split, grammar) if found and asked else found)
    return found


def _corrected(found: Place, words: Sequence[str], grammar: Grammar) -> Place:
    """An address with its number or its street replaced by what is said alone."""
    words = unlabelled(words, grammar)
    street = street_alone(words, grammar) if found.leading else ()
    if street:
        return replace(found, street=street)
    digits, end = read_run(words, 0, grammar.numbers)
    if digits and end == len(words) and len(digits) <= _MOST_DIGITS:
        return replace(found, number=digits)
    for index in range(min(3, len(words))):
        place, end = _street("0", words, index, grammar, asked=False)
        if place and end == len(words):
            return replace(found, street=place.street)
    return found


def _last(words: Sequence[str], grammar: Grammar, *, asked: bool) -> Place | None:
    """The last whole address among words without a correction."""
    found, index = None, 0
    while index < len(words):
        place, end = _box(words, index, grammar)
        if not place:
            place, end = read_leading(words, index, grammar)
        number, start = ("", index) if place else _number(words, index, grammar)
        if number:
            place, end = _street(number, words, start, grammar, asked=asked)
        found = place or found
        index = max(end, index + 1)
    return found


def _box(words: Sequence[str], index: int, grammar: Grammar) -> tuple[Place | None, int]:
    if words[index] != "/box":
        return None, index
    known = grammar.addresses
    at = index + 1 + (words[index + 1 : index + 2] != [] and words[index + 1] in known.numbered)
    digits, end = read_run(words, at, grammar.numbers)
    if not digits:
        return None, index
    upto = stretch(words, end, grammar)
    town = tuple(words[end:upto])
    return Place(digits, (known.boxes[1],), leading=True, town=town), upto


def _number(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """A house number, and where it ends; in "five forty second street" it is five."""
    digits, end = read_run(words, index, grammar.numbers)
    for begin in _ordinal_begins(words, end, grammar):
        shorter, before = read_run(words[:begin], index, grammar.numbers)
        if shorter and before == begin:
            digits, end = shorter, begin
            break
    return (digits.lstrip("0"), end) if len(digits) <= _MOST_DIGITS else ("", end)


def _ordinal_begins(words: Sequence[str], end: int, grammar: Grammar) -> list[int]:
    """Where an ordinal may begin that follows on number words up to `end`, the longest first.

    "one hundred and forty second" may begin at "one" and at "forty".
    """
    known = grammar.addresses
    ordinal = end + (end < len(words) and words[end] == known.joint)
    if ordinal >= len(words) or words[ordinal] not in known.ordinals:
        return []
    begin = end - (ordinal == end > 0 and words[end - 1] in known.tens)
    begins = [begin] if begin < end else []
    at = begin - (begin > 1 and words[begin - 1] == known.joint)
    if at > 1 and " ".join(words[at - 2 : at]) in known.hundreds:
        begins.insert(0, at - 2)
    return begins


def _street(
    number: str, words: Sequence[str], index: int, grammar: Grammar, *, asked: bool
) -> tuple[Place | None, int]:
    """A street with what follows it, and where it ends; None for none."""
    known = grammar.addresses
    index = skip(words, index, known.between)
    upto = stretch(words, index, grammar)
    kind = next((at for at in range(index + 1, upto) if words[at] in known.kinds), None)
    if kind is None:
        if not asked or upto == index or known.leading or words[upto - 1] in known.particles:
            return None, index
        street, rest = words[index:upto], upto
    else:
        rest = kind + 1
        toward = rest < len(words) and words[rest] in known.directions
        ends = toward and stretch(words, rest, grammar) == rest + 1
        rest += ends
        street = words[index:rest]
    unit, rest = read_unit(words, rest, grammar)
    end = stretch(words, rest, grammar) if kind is not None else rest
    return Place(number, tuple(street), unit, town=tuple(words[rest:end])), end
