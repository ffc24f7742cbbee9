"""The shipped voices: a head that was played to its end is followed by the value, whole and once.

The small word before a slot is the hard one: it is said otherwise before other words.
"""

from pathlib import Path

import pytest

from appliance.config import SpeakingConfig
from appliance.tts.casting import Cast
from appliance.tts.joins import Continuation, cut_head
from appliance.tts.piper import PiperSpeaker
from appliance.types import Language

MODELS = Path(__file__).parents[2] / "models/voice"
ENGLISH = [
    ("Please call our office at {}.", ("three zero", "nine one"), "eight hundred", "ˈeɪt"),
    ("Is this the right number for {}?", ("Maria", "Robert"), "the kitchen", "ðə"),
    ("Is this the right number for {}?", ("Maria", "Robert"), "a new roof", "ə nˈuː"),
    ("This is the automated assistant of {}.", ("Maria", "Robert"), "an old house", "ən"),
    ("And how many pets are in {}?", ("Maria", "Robert"), "the kitchen", "ðə"),
]
SPANISH = [
    ("Su saldo pendiente es de {}.", ("diez dólares", "ochenta"), "once dólares", "ˈonse"),
    ("Gracias por llamar a {}.", ("María", "Roberto"), "Ana Ruiz", "ˈana"),
]
CASES = [
    *(("en/kathleen", "en", *case) for case in ENGLISH),
    *(("en/bob", "en", *case) for case in ENGLISH),
    *(("es/dita", "es", *case) for case in SPANISH),
]


@pytest.fixture(scope="module")
def voices() -> dict[str, PiperSpeaker]:
    names: tuple[tuple[str, Language], ...] = (
        ("en/kathleen", "en"), ("en/bob", "en"), ("es/dita", "es"),
    )  # fmt: skip
    config = SpeakingConfig()
    return {
        name: PiperSpeaker(config, Cast(name, MODELS / f"{name}.onnx", language))
        for name, language in names
    }


@pytest.mark.parametrize(("name", "language", "sentence", "samples", "value", "begins"), CASES)
def test_the_rest_begins_with_the_value(
    voices: dict[str, PiperSpeaker], name: str, language: str, sentence: str,
    samples: tuple[str, str], value: str, begins: str,
) -> None:  # fmt: skip
    voice = voices[name]
    head = cut_head(*(voice.timed(sentence.format(each)) for each in samples))
    assert head is not None
    spoken = voice.timed(sentence.format(value))
    rest = Continuation(head, spoken).after(len(head.pcm) // 2)
    at, phones = len(spoken.pcm) - len(rest), []
    for phone in reversed(spoken.phones):
        if at >= len(spoken.pcm):
            break
        phones.insert(0, phone.symbol)
        at += 2 * phone.samples
    assert "".join(phones).lstrip().startswith(begins)
