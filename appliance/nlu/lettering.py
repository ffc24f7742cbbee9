"""Puts a name right by the letters that a caller gives: "s m y t h", "with a k", "without an h"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from appliance.dialogue.letters import fold
from appliance.nlu.contact_words import Alphabet
from appliance.nlu.grammar import Grammar
from appliance.nlu.spelling import read_letter

_ALIKE = 0.5
"""From this likeness on, letters spell a word that was said before; else they are the next one."""


@dataclass(frozen=True, slots=True)
class Hint:
    """How a word is written: `times` this letter (0: without it)."""

    letter: str
    times: int


def read_hint(words: Sequence[str], index: int, grammar: Grammar) -> tuple[Hint | None, int]:
    """The hint that begins at `index` ("with two t s"), and where it ends; None for none."""
    names = grammar.names
    times, at = names.hints[words[index]], index + 1
    while at < len(words) and words[at] in names.counts:
        count = names.counts[words[at]]
        times = times if count is None or times == 0 else count
        at += 1
    letter, end = read_letter(words, at, grammar.spelling)
    if not letter or (len(letter) == 1 and end < len(words) and words[end] == letter):
        return None, index
    if end < len(words) and words[end] == "s":  # "two t's"
        end += 1
    if len(letter) > 1 and letter == letter[0] * len(letter):  # "double t"
        letter, times = letter[0], len(letter)
    return Hint(letter, times), end


def apply_hint(word: str, hint: Hint, alphabet: Alphabet) -> str:
    """The word as the hint says that it is written; unchanged where it says nothing new."""
    letter, plain = hint.letter, fold(word)
    if hint.times == 0:
        return plain.replace(letter, "")
    if hint.times > 1 or (letter in plain and letter * 2 in plain and hint.times == 1):
        doubled = letter * hint.times
        at = plain.rfind(letter) if letter * 2 not in plain else plain.find(letter * 2)
        width = 2 if letter * 2 in plain else 1
        return word if at < 0 else plain[:at] + doubled + plain[at + width :]
    heard = next((each for each in alphabet.partners.get(letter, ()) if each in plain), "")
    if letter in plain and not (letter == "i" and plain.endswith("y")):  # "Cindy with an i"
        return word
    if not heard:
        return f"h{plain}" if letter == "h" else plain + letter if letter in "aeo" else word
    at = plain.rfind(heard) if plain.endswith(heard) else plain.find(heard)
    return plain[:at] + letter + plain[at + len(heard) :]


def respell(parts: Sequence[str], letters: str, *, replace_last: bool = False) -> list[str]:
    """The parts with the one that the letters spell replaced, or with one more."""
    if not parts:
        return [letters]
    likeness = [_likeness(part, letters) for part in parts]
    best = max(range(len(parts)), key=lambda at: (likeness[at], at))
    if len(parts) > 1 and _likeness("".join(parts[-2:]), letters) > max(likeness[best], _ALIKE):
        return [*parts[:-2], *_divided(parts[-2], parts[-1], letters)]
    if likeness[best] < _ALIKE:
        return [*parts[:-1], letters] if replace_last else [*parts, letters]
    return [*parts[:best], letters, *parts[best + 1 :]]


def _likeness(word: str, letters: str) -> float:
    return SequenceMatcher(None, fold(word), fold(letters)).ratio()


def _divided(first: str, second: str, letters: str) -> tuple[str, str]:
    """Letters of two words, where they are most like them."""
    at = max(
        range(1, len(letters)),
        key=lambda cut: _likeness(first, letters[:cut]) + _likeness(second, letters[cut:]),
    )
    return letters[:at], letters[at:]
