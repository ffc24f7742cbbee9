"""The parts of an address as they are read, and how they are written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from appliance.nlu.capitals import capitalized
from appliance.nlu.contact_words import AddressWords
from appliance.nlu.grammar import Grammar
from appliance.nlu.numbers import read_run
from appliance.nlu.spelling import read_letters

_MOST_WORDS = 4
"""Words of a street's name or a town's."""


@dataclass(frozen=True, slots=True)
class Place:
    """An address in words; `number` is in figures, "0" for a house that has none.

    `leading`: the number stands after the street, as in "Calle Roble 105".
    """

    number: str
    street: tuple[str, ...]
    unit: str = ""
    leading: bool = False
    district: tuple[str, ...] = ()
    town: tuple[str, ...] = ()

    def written(self, said: Mapping[str, str], known: AddressWords) -> str:
        """In one line; `said` are the words of the utterance as it wrote them, by plain ones."""
        number = known.unnumbered[1] if self.number == "0" else self.number
        street = in_capitals(self.street, said, known)
        line = f"{street} {number}" if self.leading else f"{number} {street}"
        parts = [f"{line} {self.unit}".strip()]
        parts += [in_capitals(part, said, known) for part in (self.district, self.town) if part]
        return ", ".join(parts)


def in_capitals(words: Sequence[str], said: Mapping[str, str], known: AddressWords) -> str:
    """Words of a name as they are written: "forty second street" is "42nd Street"."""
    written: list[str] = []
    whole = {**known.kinds, **known.leading, **known.districts}
    for at, word in enumerate(words):
        ordinal = known.ordinals.get(word)
        small = at > 0 and word in known.particles
        if ordinal:
            written = _numbered(written, ordinal, known)
        elif word in whole:
            written.append(whole[word])
        else:
            short = len(word) <= 2 and word in known.directions  # "NW"
            written.append(
                word.upper() if short else capitalized(said.get(word, word), small=small)
            )
    return " ".join(written)


def _numbered(written: list[str], ordinal: str, known: AddressWords) -> list[str]:
    """An ordinal with the tens and hundreds before it: "one hundred and fifth" is "105th"."""
    value, suffix = int(ordinal[:-2]), ordinal[-2:]
    if written and written[-1].lower() in known.tens:
        value += known.tens[written.pop().lower()]
    if len(written) > 1 and written[-1].lower() == known.joint:
        written.pop()
    hundreds = known.hundreds.get(" ".join(written[-2:]).lower())
    if hundreds:
        value, written = value + hundreds, written[:-2]
    return [*written, f"{value}{suffix}"]


def skip(words: Sequence[str], index: int, skipped: frozenset[str]) -> int:
    """The next place from `index` on where no word of `skipped` stands."""
    while index < len(words) and words[index] in skipped:
        index += 1
    return index


def stretch(words: Sequence[str], index: int, grammar: Grammar) -> int:
    """Where the words end that can be of a street (with its kind) or a town."""
    known, end = grammar.addresses, index
    while end < len(words) and end - index <= _MOST_WORDS:
        word = words[end]
        stops = word in known.never or word in known.units or word in known.districts
        ordinal = _ordinal(words, end, grammar)
        if ordinal:
            end = ordinal
            continue
        if stops or word in known.leading or not word[-1].isalpha():
            break
        if read_run(words, end, grammar.numbers)[0]:
            break
        end += 1
    return end


def _ordinal(words: Sequence[str], index: int, grammar: Grammar) -> int:
    """Where an ordinal ends that begins with number words; 0 for none ("forty second")."""
    known, at = grammar.addresses, index
    if " ".join(words[at : at + 2]) in known.hundreds:
        at += 2
        at += at < len(words) and words[at] == known.joint
    at += at < len(words) and words[at] in known.tens
    return at + 1 if index < at < len(words) and words[at] in known.ordinals else 0


def read_unit(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """Read "apartment two b" as "Apartment 2B", "third floor" as "3rd Floor"; "" for none."""
    known = grammar.addresses
    following = words[index + 1] if index + 1 < len(words) else ""
    if following in known.floors:
        ordinal = known.ordinals.get(words[index], words[index])
        if ordinal in known.ordinals.values():
            return f"{ordinal} {known.units[following]}", index + 2
    if not following or words[index] not in known.units:
        return "", index
    at = index + 1 + (following in known.numbered and following not in known.ordinals)
    number, end = read_run(words, at, grammar.numbers)
    end = end if number else at
    letter, end = _letter(words, end, grammar)
    if letter and not number:
        number, after = read_run(words, end, grammar.numbers)
        letter, number, end = f"{letter}{number}", "", after if number else end
    if not number and not letter:
        return "", index
    return f"{known.units[words[index]]} {number}{letter}", end


def _letter(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """A lone letter, with what shows it: "b", "b as in boy"."""
    letters, end = read_letters(words, index, grammar.spelling)
    if len(letters) == 1:
        return letters.upper(), end
    if index < len(words) and len(words[index]) == 1 and words[index].isalpha():
        return words[index].upper(), index + 1
    named = grammar.spelling.names.get(words[index], "") if index + 1 == len(words) else ""
    return (named.upper(), index + 1) if named else ("", index)
