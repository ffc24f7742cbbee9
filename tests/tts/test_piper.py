"""The shipped voice, and the same one as another persona's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.testing.served import ROOT
from appliance.tts.casting import Cast
from appliance.tts.piper import PiperSpeaker
from appliance.types import LINE_RATE_HZ
from tests.tts.piper_voices import write_voice

TEXT = "We are going to remodel your kitchen, and I would like to know your budget."
CONFIG = SpeakingConfig(voices={})
PLAIN = Cast("speaking.models.en", ROOT / "models/voice/en/kathleen.onnx", "en")


def fundamental_hz(pcm: bytes) -> float:
    """Median over voiced frames of 40 ms: the lag of the highest peak of the autocorrelation."""
    samples = np.frombuffer(pcm, "<i2").astype(float)
    width = LINE_RATE_HZ * 40 // 1000
    shortest, longest = LINE_RATE_HZ // 350, LINE_RATE_HZ // 90
    found = []
    for start in range(0, len(samples) - width, width // 2):
        frame = samples[start : start + width] - samples[start : start + width].mean()
        whole = np.correlate(frame, frame, "full")[width - 1 :]
        if whole[0] < 1e8:
            continue
        lags = whole[shortest:longest] / whole[0]
        if lags.max() > 0.5:
            found.append(LINE_RATE_HZ / (shortest + int(lags.argmax())))
    return float(np.median(found))


@pytest.mark.parametrize("pitch", [0.84, 1.2])
def test_another_pitch_is_another_voice_at_the_same_speed(pitch: float) -> None:
    plain, other = PiperSpeaker(CONFIG, PLAIN), PiperSpeaker(CONFIG, replace(PLAIN, pitch=pitch))
    said, varied = plain.synthesize(TEXT), other.synthesize(TEXT)
    assert fundamental_hz(varied) / fundamental_hz(said) == pytest.approx(pitch, rel=0.08)
    assert len(varied) / len(said) == pytest.approx(1, rel=0.12)
    assert plain.identity != other.identity


def test_a_slower_voice_is_the_same_voice_with_more_time() -> None:
    plain, slow = PiperSpeaker(CONFIG, PLAIN), PiperSpeaker(CONFIG, replace(PLAIN, speed=0.75))
    said, varied = plain.synthesize(TEXT), slow.synthesize(TEXT)
    assert fundamental_hz(varied) / fundamental_hz(said) == pytest.approx(1, rel=0.08)
    assert len(varied) / len(said) == pytest.approx(1 / 0.75, rel=0.12)
    assert plain.identity != slow.identity


def test_a_named_voice_that_is_missing_is_named(tmp_path: Path) -> None:
    cast = Cast("speaking.voices.bob.en", tmp_path / "nobody.onnx", "en")
    with pytest.raises(ConfigError, match=r"speaking\.voices\.bob\.en: .*nobody\.onnx is missing"):
        PiperSpeaker(CONFIG, cast)


@pytest.mark.parametrize("speaker", ["carol", "1", "-1"])
def test_a_speaker_that_a_voice_has_not_is_named(speaker: str) -> None:
    with pytest.raises(ConfigError, match=f"has no speaker {speaker}; it has 0 to 0"):
        PiperSpeaker(CONFIG, replace(PLAIN, speaker=speaker))


def test_speakers_of_one_file_are_voices_of_one_network(tmp_path: Path) -> None:
    cast = Cast("", write_voice(tmp_path / "several.onnx", speakers=3), "en")
    first, second = (PiperSpeaker(CONFIG, replace(cast, speaker=name)) for name in ("p0", "p2"))
    assert first.identity != second.identity
    assert first._voice is second._voice
    assert fundamental_hz(first.synthesize(TEXT)) == pytest.approx(150, rel=0.02)
    assert fundamental_hz(second.synthesize(TEXT)) == pytest.approx(270, rel=0.02)


def test_a_voice_for_calls_in_another_language_is_named() -> None:
    with pytest.raises(ConfigError, match=r"speaking\.models\.es: .*kathleen\.onnx speaks en_US"):
        PiperSpeaker(CONFIG, replace(PLAIN, key="speaking.models.es", language="es"))


def test_a_break_lasts_as_long_as_it_says_and_no_dead_line_is_in_it() -> None:
    voice = PiperSpeaker(CONFIG, PLAIN)
    said = {
        length: np.frombuffer(
            voice.synthesize(f'Nine zero two <break time="{length}ms"/> one zero.'), "<i2"
        )
        for length in (200, 700)
    }
    assert len(said[700]) - len(said[200]) == 500 * LINE_RATE_HZ // 1000
    frames = said[700][: len(said[700]) // 80 * 80].reshape(-1, 80).astype(float)
    quiet = np.sqrt((frames**2).mean(axis=1)) < 60
    lengths = [len(each) for each in "".join("q" if q else " " for q in quiet).split()]
    assert 700 <= 10 * max(lengths) <= 950
    assert (np.abs(frames[20:-20]).max(axis=1) > 0).all()


def test_phones_of_a_marked_sentence_cover_its_audio() -> None:
    speech = (
        'Is <phoneme ph="nwˈɛn">Nguyen</phoneme> in,<break time="400ms"/> at'
        ' <prosody rate="slow">eight <sub alias="ay em">a m</sub></prosody>?'
    )
    spoken = PiperSpeaker(CONFIG, PLAIN).timed(speech)
    assert sum(phone.samples for phone in spoken.phones) == len(spoken.pcm) // 2
    symbols = "".join(phone.symbol for phone in spoken.phones)
    assert "nwˈɛn" in symbols
    assert all(phone.samples >= 0 for phone in spoken.phones)


@pytest.mark.parametrize("text", ["Yes.", "Is that right?", "Can you pay in full?", "Bye."])
def test_a_sentence_begins_at_once(text: str) -> None:
    samples = np.frombuffer(PiperSpeaker(CONFIG, PLAIN).synthesize(text), "<i2").astype(float)
    width = LINE_RATE_HZ * 5 // 1000
    blocks = samples[: len(samples) // width * width].reshape(-1, width)
    power = (blocks**2).mean(axis=1)
    first_ms = 5 * int(np.flatnonzero(power > power.max() / 10**3.6)[0])
    assert first_ms <= 30  # the kept quiet, and low sounds that a telephone does not carry


def test_a_slow_stretch_takes_longer_and_the_rest_does_not() -> None:
    voice = PiperSpeaker(CONFIG, PLAIN)
    plain = len(voice.synthesize("We meet on Friday. Really."))
    all_slow = len(voice.synthesize('<prosody rate="50%">We meet on Friday. Really.</prosody>'))
    half = len(voice.synthesize('We meet on Friday. <prosody rate="50%">Really.</prosody>'))
    assert 1.8 < all_slow / plain < 2.2
    assert plain < half < (plain + all_slow) / 2


def test_faulty_marks_are_the_engines_failure() -> None:
    """The message goes to a log, so it has nothing of the text."""
    with pytest.raises(EngineError, match="their marks") as told:
        PiperSpeaker(CONFIG, PLAIN).synthesize('<sub alias="Maria">Mary</sub><sub alias="">x</sub>')
    assert "alias" not in str(told.value)
