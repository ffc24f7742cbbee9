"""The steps from a voice to the line, on the shipped voice and on what a voice should not give."""

from functools import cache

import numpy as np
import pytest

from appliance.audio.clicks import find_clicks
from appliance.audio.level import Samples, active_level_dbm0, amplify, to_float
from appliance.config import SpeakingConfig
from appliance.testing.served import ROOT
from appliance.tts.casting import Cast
from appliance.tts.piper import PiperSpeaker
from appliance.tts.sound import TelephoneSound

WANTED_DBM0 = -20.0
SENTENCES = (
    "This is a call about your account.",
    "How much would you like to pay today, and on which day could you pay it?",
    "Thank you. I have noted your answer, and somebody will call you back tomorrow morning.",
)


@cache
def spoken(voice: str, pitch: float = 1.0, level_dbm0: float = WANTED_DBM0) -> PiperSpeaker:
    file = ROOT / f"models/voice/en/{voice}.onnx"
    cast = Cast("speaking.models.en", file, "en", pitch=pitch)
    return PiperSpeaker(SpeakingConfig(voices={}, level_dbm0=level_dbm0), cast)


def voice_like(seconds: float, level: float) -> Samples:
    """Syllables of a buzz of 130 Hz with pauses between them."""
    time = np.arange(int(seconds * 8000)) / 8000
    buzz = sum(np.sin(2 * np.pi * 130 * n * time) / n for n in range(1, 25))
    return (level * buzz * np.clip(np.sin(2 * np.pi * 2 * time), 0, None)).astype(np.float32)


@pytest.mark.parametrize("voice", ["kathleen", "bob"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_of_all_voices_have_one_level(voice: str, sentence: str) -> None:
    said = to_float(spoken(voice).synthesize(sentence))
    assert active_level_dbm0(said) == pytest.approx(WANTED_DBM0, abs=0.5)


def test_one_word_keeps_about_the_level_of_its_voice() -> None:
    said = [to_float(spoken("kathleen").synthesize(word)) for word in ("Yes.", "Thanks.", "Okay.")]
    assert np.mean([active_level_dbm0(each) for each in said]) == pytest.approx(-20, abs=2.5)


@pytest.mark.parametrize("pitch", [0.84, 1.0])
def test_a_sentence_lies_in_the_telephone_band_and_begins_and_ends_softly(pitch: float) -> None:
    said = to_float(spoken("kathleen", pitch).synthesize(SENTENCES[1]))
    power = np.abs(np.fft.rfft(said * np.hanning(len(said)))) ** 2
    hertz = np.fft.rfftfreq(len(said), 1 / 8000)
    outside = power[(hertz < 110) | (hertz > 3600)].sum() / power.sum()
    assert 10 * np.log10(outside) < -55
    assert find_clicks(said) == ()
    assert max(abs(said[0]), abs(said[-1])) < 1e-3


def test_the_loudest_setting_does_not_clip() -> None:
    said = to_float(spoken("kathleen", level_dbm0=-9.0).synthesize(SENTENCES[1]))
    assert np.abs(said).max() <= 0.9
    assert active_level_dbm0(said) == pytest.approx(-9, abs=1.0)
    assert find_clicks(said) == ()


def test_the_level_is_part_of_the_identity() -> None:
    assert spoken("kathleen").identity != spoken("kathleen", level_dbm0=-15.0).identity


def test_a_piece_that_its_voice_says_softly_comes_to_the_level() -> None:
    sound = TelephoneSound(WANTED_DBM0, voice_like(4, 0.1))
    for change_db in (-3.0, 0.0, 3.0):
        level = active_level_dbm0(to_float(sound.finish(amplify(voice_like(4, 0.1), change_db))))
        assert level == pytest.approx(WANTED_DBM0, abs=0.2)


def test_a_piece_far_off_is_not_forced() -> None:
    sound = TelephoneSound(WANTED_DBM0, voice_like(4, 0.1))
    whisper = to_float(sound.finish(amplify(voice_like(4, 0.1), -20)))
    assert active_level_dbm0(whisper) == pytest.approx(WANTED_DBM0 - 16, abs=0.3)


def test_a_syllable_gets_the_gain_of_its_voice() -> None:
    sound = TelephoneSound(WANTED_DBM0, voice_like(4, 0.1))
    short = amplify(voice_like(0.25, 0.1), -3)
    long = amplify(voice_like(4, 0.1), -3)
    assert active_level_dbm0(to_float(sound.finish(short))) == pytest.approx(-23, abs=0.5)
    assert active_level_dbm0(to_float(sound.finish(long))) == pytest.approx(-20, abs=0.2)


@pytest.mark.parametrize("length", [0, 1, 159, 400])
def test_silence_stays_silence_and_nothing_changes_length(length: int) -> None:
    sound = TelephoneSound(WANTED_DBM0, voice_like(4, 0.1))
    assert sound.finish(np.zeros(length, np.float32)) == bytes(2 * length)


def test_a_silent_voice_is_refused() -> None:
    with pytest.raises(ValueError, match="speaks only silence"):
        TelephoneSound(WANTED_DBM0, np.zeros(8000, np.float32))
