import numpy as np
import pytest

from appliance.audio.level import active_level_dbm0, apply_gain, to_float, to_pcm
from appliance.audio.resample import resample
from appliance.audio.vad import VoiceDetector, level_db


def tone(dbov: float, seconds: float = 1.0, hz: float = 400.0, rate: int = 8000) -> np.ndarray:
    time = np.arange(int(seconds * rate)) / rate
    return (np.sqrt(2) * 10 ** (dbov / 20) * np.sin(2 * np.pi * hz * time)).astype(np.float32)


def test_level_of_a_tone() -> None:
    assert active_level_dbm0(tone(-26.18)) == pytest.approx(-20.0, abs=0.05)


def test_level_ignores_pauses() -> None:
    speech = np.concatenate([tone(-26.18), np.zeros(16000, np.float32)])
    assert active_level_dbm0(speech) == pytest.approx(-20.0, abs=0.05)


def test_level_of_silence() -> None:
    assert active_level_dbm0(np.zeros(800, np.float32)) == float("-inf")
    assert active_level_dbm0(np.zeros(0, np.float32)) == float("-inf")


def test_gain_never_clips() -> None:
    loud = apply_gain(tone(-20.0), 40.0)
    assert np.abs(loud).max() <= 0.9


def test_pcm_round_trip() -> None:
    pcm = np.array([-32768, -1, 0, 1, 32767], "<i2").tobytes()
    assert to_pcm(to_float(pcm)) == pcm


def test_pcm_limits() -> None:
    assert to_pcm(np.array([2.0, -2.0], np.float32)) == np.array([32767, -32768], "<i2").tobytes()


def test_resample_keeps_level_and_length() -> None:
    out = resample(tone(-26.18, rate=22050), 22050, 8000)
    assert len(out) == pytest.approx(8000, abs=2)
    assert active_level_dbm0(out) == pytest.approx(-20.0, abs=0.3)


def test_detector_follows_steady_noise() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, 8000 * 10).astype(np.float32)
    detector = VoiceDetector(mode=2)
    flags = [detector.is_speech(to_pcm(noise[at : at + 160])) for at in range(0, len(noise), 160)]
    assert sum(flags[250:]) == 0
    assert detector.floor_db == pytest.approx(-40, abs=3)


def test_level_of_an_empty_frame() -> None:
    assert level_db(b"") == -96.0
    assert level_db(b"\0" * 320) == -96.0
