"""How a word that no vocabulary has is said: espeak-ng's phones, as the head knows them.

piper, which speaks for the appliance, carries espeak-ng in the process; its binding gives a word's
phones letter by letter, and the longest phones of the head that they make up are taken.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from appliance.stt.espeak import split_phones

_VOICES = {"en": "en-us", "es": "es-419"}


def pronounce(word: str, language: str, places: Mapping[str, int]) -> tuple[str, ...]:
    """The phones of a word; none where the head lacks one of them.

    Args:
        word: lower-case letters.
        language: "en" or "es".
        places: the phones of the head.
    """
    sentences = _phonemizer(_VOICES[language]).phonemize(word)
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
def _phonemizer(voice: str) -> Any:
    """A voice that names phones and never speaks: it has no network.

    espeak-ng keeps one voice for the whole process. piper holds a lock of its own from the choice
    of the voice to the phones; through piper, names and prompts wait for the same lock.
    """
    from piper import PiperConfig, PiperVoice  # noqa: PLC0415 (loads espeak-ng)
    from piper.config import PhonemeType  # noqa: PLC0415

    config = PiperConfig(
        num_symbols=0,
        num_speakers=1,
        sample_rate=0,
        espeak_voice=voice,
        phoneme_id_map={},
        phoneme_type=PhonemeType.ESPEAK,
    )
    return PiperVoice(session=None, config=config)
