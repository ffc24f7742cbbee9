"""The shipped voices are Piper voices like any other: stock piper-tts loads and speaks them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from piper import PiperVoice, SynthesisConfig

FOLDER = Path(__file__).resolve().parents[2] / "models/voice"
SHIPPED = sorted(FOLDER.glob("*/*.onnx"))
PLAIN = SynthesisConfig(normalize_audio=False)
RATE_HZ, HOP = 16000, 256
TEXTS = {
    "en": "Thank you, I have found your account in our system.",
    "es": "Gracias, ya he encontrado su cuenta en nuestro sistema.",
}
ODD = {
    "en": ["A.", "1, 2, 3!", "Who? Me?", "naïve café – yes…", "U.S.A."],
    "es": ["A.", "1, 2, 3!", "¿Quién? ¿Yo?", "pingüino – sí…", "EE. UU.", "Kathleen Smith."],
}
QUESTIONS = {
    "en": ["Is this Maria?", "Can you hear me?", "Is that correct?", "Will you be at home?"],
    "es": ["¿Hablo con María?", "¿Me oye bien?", "¿Es correcto?", "¿Estará en casa mañana?"],
}


@pytest.fixture(scope="module", params=SHIPPED, ids=lambda path: path.stem)
def voice(request: pytest.FixtureRequest) -> PiperVoice:
    return PiperVoice.load(request.param)


def language(voice: PiperVoice) -> str:
    return voice.config.espeak_voice[:2]


def speak(voice: PiperVoice, text: str, config: SynthesisConfig = PLAIN) -> np.ndarray:
    chunks = voice.synthesize(text, config)
    return np.concatenate([chunk.audio_float_array for chunk in chunks])


def pitch_hz(audio: np.ndarray) -> np.ndarray:
    """Pitch of the voiced frames (48 ms, every 16 ms): the lag at which one is most like itself."""
    frames = np.lib.stride_tricks.sliding_window_view(audio, 3 * HOP)[::HOP]
    lags = np.arange(RATE_HZ // 400, RATE_HZ // 60)
    found = []
    for frame in frames[(frames**2).mean(1) > 0.02 * (frames**2).mean(1).max()]:
        near = np.correlate(frame, frame, "full")[len(frame) - 1 :]
        alike = near[lags] / (near[0] + 1e-9) / (1 - lags / len(frame))
        # The first lag that is nearly as good as the best: a multiple of a period is as good.
        best = int(np.argmax(alike > 0.9 * alike.max()))
        top = best + int(np.argmax(alike[best : best + 8]))
        if alike[top] > 0.6:
            found.append(RATE_HZ / lags[top])
    return np.array(found)


def test_there_are_voices() -> None:
    assert SHIPPED


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_settings_name_the_language_of_the_folder(path: Path) -> None:
    settings = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    assert settings["language"]["code"][:2] == path.parent.name
    assert settings["espeak"]["voice"][:2] == path.parent.name
    assert settings["dataset"] == path.stem


def test_speaks_at_16_khz(voice: PiperVoice) -> None:
    assert voice.config.sample_rate == RATE_HZ
    assert next(iter(voice.synthesize("Alo."))).sample_rate == RATE_HZ


def test_sentence_is_speech_and_not_clipped(voice: PiperVoice) -> None:
    audio = speak(voice, TEXTS[language(voice)])
    assert 2.0 < len(audio) / RATE_HZ < 6.0
    assert np.abs(audio).max() < 1.0
    assert np.sqrt((audio**2).mean()) > 0.01
    assert abs(audio.mean()) < 0.01  # no DC
    assert len(pitch_hz(audio)) > 50  # of some 200 frames


def test_same_text_same_sound(voice: PiperVoice) -> None:
    first, second = (speak(voice, TEXTS[language(voice)]) for _ in range(2))
    assert np.array_equal(first, second)


def test_length_scale_stretches(voice: PiperVoice) -> None:
    text = TEXTS[language(voice)]
    slow = speak(voice, text, SynthesisConfig(normalize_audio=False, length_scale=1.3))
    assert len(slow) > 1.15 * len(speak(voice, text))


def test_odd_text_is_spoken(voice: PiperVoice) -> None:
    for text in ODD[language(voice)]:
        audio = speak(voice, text)
        assert len(audio) > 1000, text
        assert np.isfinite(audio).all(), text


def test_phones_have_timings_that_cover_the_audio(voice: PiperVoice) -> None:
    for chunk in voice.synthesize(TEXTS[language(voice)], PLAIN, include_alignments=True):
        assert chunk.phoneme_id_samples is not None
        assert len(chunk.phoneme_id_samples) == len(chunk.phoneme_ids)
        assert sum(chunk.phoneme_id_samples) == len(chunk.audio_float_array)


def test_questions_end_higher_than_statements(voice: PiperVoice) -> None:
    higher = []
    for text in QUESTIONS[language(voice)]:
        asked, stated = (
            float(np.median(pitch_hz(speak(voice, text[:-1] + mark))[-12:])) for mark in "?."
        )
        higher.append(12 * np.log2(asked / stated))
    assert np.median(higher) > 1.0, higher  # semitones
