"""Reads a street address: "one oh five oak street apartment two" is "105 Oak Street Apartment 2".

    address := number word{1,4} [kind] [unit number] [town]

A number and a street are the least; where an address was not asked for, the kind of street too.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.nlu.grammar import AddressWords, Grammar
from appliance.nlu.numbers import read_run

_MOST_DIGITS = 5
_MOST_WORDS = 4
"""Words of a street's name or a town's."""


def read_address(text: str, grammar: Grammar, *, asked: bool) -> str:
    """The last address in a normalized utterance, written with figures; "" for none."""
    words = text.split() if grammar.addresses.kinds else []
    found, index = "", 0
    while index < len(words):
        number, end = _number(words, index, grammar)
        address, end = _street(words, end, grammar, asked=asked) if number else ("", end)
        if address:
            found = f"{number} {address}"
        index = max(end, index + 1)
    return found


def _number(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """A house number, and where it ends; in "five forty second street" it is five."""
    digits, end = read_run(words, index, grammar.numbers)
    known = grammar.addresses
    if end < len(words) and words[end - 1] in known.tens and words[end] in known.ordinals:
        shorter, before = read_run(words[: end - 1], index, grammar.numbers)
        digits, end = (shorter, before) if shorter else (digits, end)
    return (digits.lstrip("0"), end) if len(digits) <= _MOST_DIGITS else ("", end)


def _street(words: Sequence[str], index: int, grammar: Grammar, *, asked: bool) -> tuple[str, int]:
    """A street with what follows it, and where it ends; "" for none."""
    known = grammar.addresses
    upto = _stretch(words, index, grammar)
    kind = next((at for at in range(index + 1, upto) if words[at] in known.kinds), None)
    if kind is None:
        if not asked or upto == index:
            return "", index
        name, rest = words[index:upto], upto
    else:
        name, rest = words[index : kind + 1], kind + 1
    unit, rest = _unit(words, rest, grammar)
    end = _stretch(words, rest, grammar) if kind is not None else rest
    town = " ".join(words[rest:end]).title()
    street = " ".join(filter(None, (_written(name, known), unit)))
    return (f"{street}, {town}" if town else street), end


def _stretch(words: Sequence[str], index: int, grammar: Grammar) -> int:
    """Where the words end that can be of a street (with its kind) or a town."""
    known, end = grammar.addresses, index
    while end < len(words) and end - index <= _MOST_WORDS:
        word, numbered = words[end], words[end : end + 2]
        street = numbered[0] in known.tens and numbered[-1] in known.ordinals
        if word in known.never or word in known.units or not word[-1].isalpha():
            break
        if not street and read_run(words, end, grammar.numbers)[0]:
            break
        end += 1
    return end


def _unit(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """Read "apartment two b" as "Apartment 2B"; "" for none."""
    if index + 1 >= len(words) or words[index] not in grammar.addresses.units:
        return "", index
    label = grammar.addresses.units[words[index]]
    number, end = read_run(words, index + 1, grammar.numbers)
    end = end if number else index + 1
    if end < len(words) and len(words[end]) == 1 and words[end].isalpha():
        return f"{label} {number}{words[end].upper()}", end + 1
    return (f"{label} {number}", end) if number else ("", index)


def _written(words: Sequence[str], known: AddressWords) -> str:
    """A street's name as it is written: "forty second street" is "42nd Street"."""
    written: list[str] = []
    for word in words:
        ordinal = known.ordinals.get(word)
        if ordinal and written and written[-1].lower() in known.tens:
            written[-1] = f"{known.tens[written[-1].lower()] + int(ordinal[:-2])}{ordinal[-2:]}"
        else:
            written.append(ordinal or known.kinds.get(word) or word.capitalize())
    return " ".join(written)
