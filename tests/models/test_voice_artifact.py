"""The shipped voice is a Piper voice like any other: stock piper-tts loads and speaks it."""

from pathlib import Path

import numpy as np
import pytest
from piper import PiperVoice, SynthesisConfig

VOICE = Path(__file__).resolve().parents[2] / "models/voice/en/kathleen.onnx"
PLAIN = SynthesisConfig(normalize_audio=False)


@pytest.fixture(scope="module")
def voice() -> PiperVoice:
    return PiperVoice.load(VOICE)


def speak(voice: PiperVoice, text: str, config: SynthesisConfig = PLAIN) -> np.ndarray:
    chunks = voice.synthesize(text, config)
    return np.concatenate([chunk.audio_float_array for chunk in chunks])


def test_speaks_at_16_khz(voice: PiperVoice) -> None:
    assert voice.config.sample_rate == 16000
    assert next(iter(voice.synthesize("Hello."))).sample_rate == 16000


def test_sentence_is_speech_and_not_clipped(voice: PiperVoice) -> None:
    audio = speak(voice, "Thank you, I have found your account in our system.")
    assert 2.0 < len(audio) / 16000 < 6.0
    assert np.abs(audio).max() < 1.0
    assert np.sqrt((audio**2).mean()) > 0.01
    assert abs(audio.mean()) < 0.01  # no DC


def test_same_text_same_sound(voice: PiperVoice) -> None:
    first, second = (speak(voice, "Is this Maria?") for _ in range(2))
    assert np.array_equal(first, second)


def test_length_scale_stretches(voice: PiperVoice) -> None:
    text = "Your balance is two hundred forty dollars and fifty cents."
    slow = speak(voice, text, SynthesisConfig(normalize_audio=False, length_scale=1.3))
    assert len(slow) > 1.15 * len(speak(voice, text))


@pytest.mark.parametrize("text", ["A.", "1, 2, 3!", "Who? Me?", "naïve café – yes…", "U.S.A."])
def test_odd_text_is_spoken(voice: PiperVoice, text: str) -> None:
    assert len(speak(voice, text)) > 1000
