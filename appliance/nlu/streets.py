"""Reads an address whose kind of street comes first, as in Spanish.

address := kind name [label] number [unit] [district] [town]     "calle Roble número veinte"
         | number [between] kind name [unit] …                   "ciento cinco de la calle Roble"
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.nlu.grammar import Grammar
from appliance.nlu.numbers import read_run
from appliance.nlu.places import Place, read_unit, skip, stretch

_MOST_DIGITS = 5
_MOST_WORDS = 5


def read_leading(words: Sequence[str], index: int, grammar: Grammar) -> tuple[Place | None, int]:
    """The address that begins at `index`, and where it ends; None for none."""
    known = grammar.addresses
    if not known.leading:
        return None, index
    at = skip(words, index, known.numbered)
    number, kind = read_run(words, at, grammar.numbers)
    kind = skip(words, kind, known.between) if number else index
    if kind >= len(words) or words[kind] not in known.leading:
        return None, index
    street, end = _name(words, kind, grammar)
    if not number:
        number, end = _number(words, end, grammar)
    if not street or not 0 < len(number) <= _MOST_DIGITS:
        return None, index
    return _rest(Place(number.lstrip("0") or "0", street, leading=True), words, end, grammar)


def unlabelled(words: Sequence[str], grammar: Grammar) -> Sequence[str]:
    """Without what only introduces a number or a street ("es el número")."""
    known = grammar.addresses
    at = 0
    while at < len(words) and (words[at] in known.numbered or words[at] in known.never):
        at += 1
    return words[at:]


def street_alone(words: Sequence[str], grammar: Grammar) -> tuple[str, ...]:
    """The street of a reply that is nothing else ("la calle Juárez"); () for none."""
    known = grammar.addresses
    kind = skip(words, 0, known.between)
    if kind >= len(words) or words[kind] not in known.leading:
        return ()
    street, end = _name(words, kind, grammar)
    return street if end == len(words) else ()


def _name(words: Sequence[str], kind: int, grammar: Grammar) -> tuple[tuple[str, ...], int]:
    """The kind and the name of a street: "calle roble", "calle 5 de mayo"; () for none."""
    known, at = grammar.addresses, kind + 1
    name: list[str] = []
    number = _one_number(words, at, grammar)
    if number:
        name, at = [number[0]], number[1]
    while at < len(words) and len(name) < _MOST_WORDS:
        word = words[at]
        ends = word in known.never or word in known.numbered or word in known.units
        after = read_run(words, at, grammar.numbers)[0] and not word.startswith("primer")
        if ends or word in known.districts or after or not word[-1].isalpha():
            break
        name.append(word)
        at += 1
    while name and name[-1] in known.particles:
        name.pop()
        at -= 1
    return ((words[kind], *name), at) if name else ((), kind)


def _one_number(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int] | None:
    if index < len(words) and words[index].isdigit():
        return words[index], index + 1
    found = grammar.numbers.cardinal(words, index) if index < len(words) else None
    return (str(found[0]), found[1]) if found else None


def _number(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """A house number after its street, with a letter of its own; "" for none."""
    at = skip(words, index, grammar.addresses.numbered)
    return read_run(words, at, grammar.numbers)


def _rest(place: Place, words: Sequence[str], end: int, grammar: Grammar) -> tuple[Place, int]:
    """What follows a street and its number: a unit, a part of the town, the town."""
    known = grammar.addresses
    unit, end = read_unit(words, end, grammar)
    district: tuple[str, ...] = ()
    begin = skip(words, end, known.between)
    if begin < len(words) and words[begin] in known.districts:
        upto = stretch(words, begin + 1, grammar)
        district, end = tuple(words[begin:upto]), upto
    if not unit:
        unit, end = read_unit(words, end, grammar)
    begin = skip(words, end, known.between)
    upto = stretch(words, begin, grammar)
    town = tuple(words[begin:upto])
    while town and town[-1] in known.particles:
        town = town[:-1]
    return (
        Place(place.number, place.street, unit, leading=True, district=district, town=town),
        upto if town else end,
    )
