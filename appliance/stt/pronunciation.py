"""How a word that no vocabulary has is said: espeak-ng's phones, as the head knows them.

piper, which speaks for the appliance, carries espeak-ng in the process; its binding gives a word's
phones letter by letter, and the longest phones of the head that they make up are taken.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import Any

from appliance.stt.espeak import split_phones

_VOICES = {"en": "en-us", "es": "es-419"}
_ESPEAK = threading.Lock()  # espeak-ng keeps one voice for the whole process


def pronounce(word: str, language: str, places: Mapping[str, int]) -> tuple[str, ...]:
    """The phones of a word; none where the head lacks one of them.

    Args:
        word: lower-case letters.
        language: "en" or "es".
        places: the phones of the head.
    """
    with _ESPEAK:
        sentences = _phonemizer().phonemize(_VOICES[language], word)
    letters = "".join(letter for sentence in sentences for letter in sentence)
    spelled = "_".join(_longest(letters, language, places))
    phones = split_phones(spelled, language)
    return tuple(phones) if phones and all(phone in places for phone in phones) else ()


def _longest(letters: str, language: str, places: Mapping[str, int]) -> list[str]:
    """Letters of IPA cut into phones, the longest first."""
    found, at = [], 0
    bare = "".join(letter for letter in letters if letter not in "ˈˌ‿ʲ̩ ")
    while at < len(bare):
        length = next((n for n in (3, 2) if _known(bare[at : at + n], language, places)), 1)
        found.append(bare[at : at + length])
        at += length
    return found


def _known(phone: str, language: str, places: Mapping[str, int]) -> bool:
    return phone in places or split_phones(phone, language) != [phone]


@functools.cache
def _phonemizer() -> Any:
    from piper.phonemize_espeak import EspeakPhonemizer  # noqa: PLC0415 (loads espeak-ng)

    return EspeakPhonemizer()
