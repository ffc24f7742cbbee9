"""One suite for every recognizer and every voice: the fakes keep what the real ones promise."""

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.level import active_level_dbm0, to_float, to_pcm
from appliance.config import HearingConfig, ModelsConfig, SpeakingConfig, SpokenModelsConfig
from appliance.errors import ConfigError
from appliance.stt.loading import open_recognizer
from appliance.stt.recognizer import Hint, Recognizer
from appliance.stt.whisper import WhisperRecognizer
from appliance.testing.engines import ScriptedRecognizer, ToneVoice
from appliance.tts.loading import open_voice
from appliance.tts.voice import Voice

MODELS = Path(__file__).resolve().parents[2] / "models"
SHIPPED_EARS = MODELS / "stt/en"
SHIPPED_VOICE = SpeakingConfig(
    models=SpokenModelsConfig(en=MODELS / "voice/en/kathleen.onnx"), voices={}
)


@pytest.fixture(scope="module", params=["whisper", "scripted"])
def recognizer(request: pytest.FixtureRequest) -> Recognizer:
    if request.param == "whisper":
        return WhisperRecognizer(SHIPPED_EARS)
    return ScriptedRecognizer(lambda _pcm, _slot: "yes")


@pytest.fixture(scope="module", params=["piper", "tone"])
def voice(request: pytest.FixtureRequest) -> Voice:
    return open_voice(SHIPPED_VOICE, "en") if request.param == "piper" else ToneVoice()


def noise(seconds: float, level: float) -> bytes:
    samples = np.random.default_rng(1).normal(0, level, int(8000 * seconds))
    return to_pcm(samples.astype(np.float32))


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.02, 1.0, 10.0])
def test_silence_is_no_words(recognizer: Recognizer, seconds: float) -> None:
    assert recognizer.recognize(bytes(2 * int(8000 * seconds))).text == ""


@pytest.mark.parametrize("seconds", [0.02, 0.1, 1.0, 29.9])
@pytest.mark.parametrize("slot", [None, "zip", "yes_no", "date", "amount"])
def test_any_length_gives_a_transcript(
    recognizer: Recognizer, seconds: float, slot: str | None
) -> None:
    heard = recognizer.recognize(noise(seconds, 0.1), Hint(slot=slot))
    assert 0.0 <= heard.confidence <= 1.0
    assert heard.text == heard.text.lower().strip()


def test_recognizer_hears_the_same_twice(recognizer: Recognizer) -> None:
    pcm = noise(2.0, 0.1)
    assert recognizer.recognize(pcm).text == recognizer.recognize(pcm).text


def test_voice_speaks_at_telephone_level(voice: Voice) -> None:
    samples = to_float(voice.synthesize("Please tell me your five digit zip code."))
    assert -23 < active_level_dbm0(samples) < -17
    assert np.abs(samples).max() < 0.95
    assert 1.0 < len(samples) / 8000 < 6.0


def test_voice_says_the_same_twice(voice: Voice) -> None:
    assert voice.synthesize("Thank you.") == voice.synthesize("Thank you.")


def test_voices_have_an_identity(voice: Voice) -> None:
    assert voice.identity == voice.identity
    assert voice.identity


def test_timed_audio_is_the_same_audio(voice: Voice) -> None:
    assert voice.timed("Thank you.").pcm == voice.synthesize("Thank you.")


def test_phones_cover_the_audio(voice: Voice) -> None:
    spoken = voice.timed("Your balance is fifty dollars.")
    assert sum(phone.samples for phone in spoken.phones) == len(spoken.pcm) // 2
    assert all(phone.samples >= 0 for phone in spoken.phones)
    assert " " in [phone.symbol for phone in spoken.phones]


def test_texts_that_begin_alike_sound_alike(voice: Voice) -> None:
    texts = ("Your remaining balance is fifty dollars.", "Your remaining balance is ten dollars.")
    one, other = (to_float(voice.timed(text).pcm)[: 8000 // 2] for text in texts)
    louder = np.sqrt(np.mean(one**2) / np.mean(other**2))  # whole sentences have one level
    assert 20 * abs(np.log10(louder)) < 1.0
    assert np.abs(one - louder * other).max() < 0.01


def test_voice_of_nothing_is_not_clipped_or_endless(voice: Voice) -> None:
    for text in ("A.", "Goodbye.", "1", "It's 5:30 p.m., isn't it?"):
        assert len(voice.synthesize(text)) < 8000 * 2 * 10


def test_missing_model_names_the_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hearing\.models\.en: "):
        open_recognizer(HearingConfig(models=ModelsConfig(en=tmp_path)), "en")
    with pytest.raises(ConfigError, match=r"speaking\.models\.en: "):
        open_voice(SpeakingConfig(models=SpokenModelsConfig(en=tmp_path / "none.onnx")), "en")


def test_garbage_for_a_model_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"garbage")
    with pytest.raises(ConfigError, match=r"hearing\.models\.es: "):
        open_recognizer(HearingConfig(models=ModelsConfig(es=tmp_path)), "es")
    (tmp_path / "v.onnx").write_bytes(b"garbage")
    (tmp_path / "v.onnx.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"speaking\.models\.en: "):
        open_voice(SpeakingConfig(models=SpokenModelsConfig(en=tmp_path / "v.onnx")), "en")


def test_a_model_of_another_language_names_the_key() -> None:
    models = ModelsConfig(es=SHIPPED_EARS)
    with pytest.raises(ConfigError, match=r"hearing\.models\.es: .* hears en"):
        open_recognizer(HearingConfig(models=models), "es")


@pytest.mark.parametrize("hint", [Hint(words=("siobhan",)), Hint("zip", (), 5), Hint("name")])
def test_a_hint_puts_no_words_into_silence(recognizer: Recognizer, hint: Hint) -> None:
    assert recognizer.recognize(bytes(16000), hint).text == ""
    assert recognizer.recognize(bytes(16000), hint, partial=True).text == ""


def test_a_partial_is_a_transcript_too(recognizer: Recognizer) -> None:
    heard = recognizer.recognize(noise(1.0, 0.1), Hint("zip", ("maria",), 5), partial=True)
    assert 0.0 <= heard.confidence <= 1.0
    assert heard.text == heard.text.lower().strip()
