"""Reads what is spelled letter by letter: "s m i t h", "b as in boy", "ene", "doble ve".

    run    := letter letter+ | letter with its example | code word{3,}
    letter := sign | its name | phrase | repeat letter | sign link word | sign code word

A lone letter may be an initial or an article, and names of letters are words too ("de", "see"):
one of them alone spells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from appliance.nlu.contact_words import Alphabet

_FEWEST_NAMED = 3
"""Names of letters, without a plain letter among them, that must follow each other."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """One letter (or a repeated one), where it ends, and how sure it is one by itself."""

    written: str
    end: int
    plain: bool = True
    shown: bool = False


def read_letters(words: Sequence[str], index: int, alphabet: Alphabet) -> tuple[str, int]:
    """The letters that are spelled from here, and where they end; "" where none are."""
    found: list[_Letter] = []
    at = index
    while at < len(words):
        letter = _letter(words, at, alphabet)
        if letter:
            found.append(letter)
            at = letter.end
        elif found and words[at] in alphabet.skipped:
            at += 1
        else:
            break
    if not _is_run(found):
        return _coded(words, index, alphabet)
    return "".join(letter.written for letter in found), found[-1].end


def read_letter(words: Sequence[str], index: int, alphabet: Alphabet) -> tuple[str, int]:
    """One letter, however it is named, and where it ends; "" for none."""
    while index < len(words) and words[index] in alphabet.skipped:
        index += 1
    letter = _letter(words, index, alphabet)
    return (letter.written, letter.end) if letter else ("", index)


def read_sure_letter(words: Sequence[str], index: int, alphabet: Alphabet) -> tuple[str, int]:
    """A lone letter whose name is no other word, and where it ends; "" for none."""
    named = words[index] in alphabet.sure
    phrase = any(tuple(words[index : index + len(each)]) == each for each in alphabet.phrases)
    return read_letter(words, index, alphabet) if named or phrase else ("", index)


def _is_run(letters: Sequence[_Letter]) -> bool:
    if any(letter.shown for letter in letters):
        return True
    plain = any(letter.plain for letter in letters)
    return len(letters) >= (2 if plain else _FEWEST_NAMED)


def _coded(words: Sequence[str], index: int, alphabet: Alphabet) -> tuple[str, int]:
    """Words of a spelling alphabet alone: "sierra mike india tango hotel"."""
    end = index
    while end < len(words) and words[end] in alphabet.radio:
        end += 1
    said = words[index:end]
    if len(said) < _FEWEST_NAMED or sum(word not in alphabet.people for word in said) < 2:
        return "", index
    return "".join(alphabet.radio[word] for word in said), end


def _letter(words: Sequence[str], index: int, alphabet: Alphabet) -> _Letter | None:
    for phrase, sign in alphabet.phrases.items():
        if tuple(words[index : index + len(phrase)]) == phrase:
            return _shown(words, _Letter(sign, index + len(phrase)), alphabet)
    word = words[index] if index < len(words) else ""
    if word in alphabet.repeats:
        again = _letter(words, index + 1, alphabet)
        times = alphabet.repeats[word]
        return _Letter(again.written * times, again.end, shown=True) if again else None
    sign = word if len(word) == 1 and word.isalpha() else alphabet.names.get(word, "")
    if not sign:
        return None
    plain = len(word) == 1 or word in alphabet.sure
    return _shown(words, _Letter(sign, index + 1, plain=plain), alphabet)


def _shown(words: Sequence[str], letter: _Letter, alphabet: Alphabet) -> _Letter:
    """The letter with the word that shows it: "b as in boy", "b boy" between letters."""
    for link in alphabet.links:
        at = letter.end + len(link)
        if tuple(words[letter.end : at]) == link and _shows(words[at:], letter, link, alphabet):
            return _Letter(_heard(letter.written, words[at], alphabet), at + 1, shown=True)
    word = words[letter.end] if letter.end < len(words) else ""
    after = words[letter.end + 1] if letter.end + 1 < len(words) else ""
    if alphabet.code.get(word) == letter.written and (len(after) == 1 or after in alphabet.names):
        return _Letter(letter.written, letter.end + 1)
    return letter


def _shows(
    words: Sequence[str], letter: _Letter, link: tuple[str, ...], alphabet: Alphabet
) -> bool:
    """Whether a word shows the letter before it; after "for" or "de" it must begin like it."""
    if not words or len(words[0]) == 1:
        return False
    if len(link) > 1:
        return True
    begins = letter.written[0] == words[0][0]
    alike = _heard(letter.written, words[0], alphabet) == words[0][0]
    return (begins or alike) and words[0] not in alphabet.names


def _heard(sign: str, word: str, alphabet: Alphabet) -> str:
    """The word is surer than the letter, if the one can be taken for the other."""
    taken = any(sign in group and word[0] in group for group in alphabet.alike)
    return word[0] if taken else sign
