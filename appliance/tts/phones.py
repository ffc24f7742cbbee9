"""Puts given phones into what espeak makes of the sentence around them.

    "Say [[nwˈɛn|Nguyen]], please."   given phones stand in double brackets, beside the word
    "Say Sufsuf, please."             espeak reads a word of no language in their place …
    sˈeɪ sˈʌfsʌf, plˈiːz.             … whose phones are the same in every sentence,
    sˈeɪ nwˈɛn, plˈiːz.               so they can be found and exchanged

Read piece by piece instead, as piper does it with brackets of its own, the text around the phones
loses its full stop, its pauses and the sound of its small words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Sequence

import structlog

Phones = list[str]
Phonemize = Callable[[str], list[Phones]]

_GIVEN = re.compile(r"\[\[(.*?)\|(.*?)\]\]")
_log = structlog.get_logger()
_STRESS = frozenset("ˈˌ")
VOWELS = frozenset("aeiouyæøœɐɑɒɔəɘɚɛɜɝɞɤɨɪɯɵɶʉʊʌʏᵻ")
"""Signs of IPA, of all languages."""
_VOICELESS = frozenset("pftkθ")
_STAND_INS = {
    (True, True): "ufsuf", (True, False): "ufsun", (False, True): "sufsuf", (False, False): "sufsun"
}  # fmt: skip
"""By whether it begins with a vowel, on which the words before it depend ("an", "the"), and ends
without voice, on which an "'s" depends. The same in any sentence of English, Spanish, German."""


def phonemize_given(
    text: str, phonemize: Phonemize, clusters: frozenset[tuple[str, ...]] = frozenset()
) -> list[Phones]:
    """The phones of a text, sentence by sentence; those in double brackets as they are given.

    Args:
        text: with `given_phones` in place of words.
        phonemize: the voice's own way from a text to phones.
        clusters: phones of several signs that the voice has as one.
    """
    given = [split_phones(ipa, clusters) for ipa, _ in _GIVEN.findall(text)]
    if not given:
        return phonemize(text)
    replaced = phonemize(_GIVEN.sub(lambda found: _stand_in(found[1]), text))
    waiting = list(given)
    patterns = [_bare(phonemize(f"{word.title()}.")) for word in _STAND_INS.values()]
    found = [_exchange(sentence, waiting, patterns) for sentence in replaced]
    if not waiting:
        return found
    return _piecewise(text, phonemize, clusters)


def given_phones(ipa: str, word: str) -> str:
    """A word with its phones, as it stands in a text for `phonemize_given`."""
    return f"[[{ipa}|{word}]]"


def without_phones(text: str) -> str:
    """The text with the words instead, for a voice that reads letters."""
    return _GIVEN.sub(lambda found: found[2], text)


def sayable(text: str, known: Container[str], clusters: frozenset[tuple[str, ...]]) -> str:
    """The text with the words in place of given phones that the voice does not have."""

    def kept(found: re.Match[str]) -> str:
        missing = {each for each in split_phones(found[1], clusters) if each not in known}
        if not missing:
            return found[0]
        # how many, and not which: they may be of a customer's name
        _log.warning("a word is read as written: the voice lacks phones", count=len(missing))
        return found[2]

    return _GIVEN.sub(kept, text)


def split_phones(ipa: str, clusters: frozenset[tuple[str, ...]] = frozenset()) -> Phones:
    """IPA as the phones that a voice has, of one sign each but for its clusters."""
    signs = list(unicodedata.normalize("NFD", ipa.strip()))
    longest = max((len(each) for each in clusters), default=1)
    found: Phones = []
    while signs:
        lengths = range(min(longest, len(signs)), 1, -1)
        length = next((n for n in lengths if tuple(signs[:n]) in clusters), 1)
        found.append("".join(signs[:length]))
        del signs[:length]
    return found


def _stand_in(ipa: str) -> str:
    signs = [sign for sign in unicodedata.normalize("NFD", ipa) if sign not in _STRESS] or [""]
    return _STAND_INS[signs[0] in VOWELS, signs[-1] in _VOICELESS].title()


def _exchange(sentence: Phones, waiting: list[Phones], patterns: Sequence[str]) -> Phones:
    """A sentence with the given phones for its stand-ins, which sound as one of `patterns`.

    Takes what it used from `waiting`.
    """
    found: Phones = []
    at = 0
    while at < len(sentence):
        length = next((n for n in (_match(sentence[at:], each) for each in patterns) if n), 0)
        if length and waiting:
            found += waiting.pop(0)
            at += length
        else:
            found.append(sentence[at])
            at += 1
    return found


def _bare(phones: Sequence[Phones]) -> str:
    signs = (sign for sentence in phones for phone in sentence for sign in phone)
    return "".join(sign for sign in signs if sign.isalpha() and sign not in _STRESS)


def _match(phones: Phones, pattern: str) -> int:
    """How many phones at the start are the pattern, whatever their stress; 0 if they are not."""
    seen = ""
    for count, phone in enumerate(phones, 1):
        seen += "".join(sign for sign in phone if sign not in _STRESS)
        if seen == pattern:
            return count
        if not pattern.startswith(seen):
            return 0
    return 0


def _piecewise(
    text: str, phonemize: Phonemize, clusters: frozenset[tuple[str, ...]]
) -> list[Phones]:
    """Where a language changes the stand-in: each stretch read by itself, in one sentence."""
    found: Phones = []
    at = 0
    for given in [*_GIVEN.finditer(text), None]:
        part = text[at : given.start() if given else len(text)]
        if any(sign.isalnum() for sign in part):
            found += [phone for sentence in phonemize(part) for phone in sentence]
        else:
            found += [sign for sign in part if sign in ".,;:?!"]
        if given:
            found += [" ", *split_phones(given[1], clusters), " "]
            at = given.end()
    return [found]
