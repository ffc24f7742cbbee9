"""A fax tone is told from a voice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.audio import channel
from appliance.audio.resample import resample
from appliance.audio.tonality import is_steady_tone

RATE_HZ = 8000


def fax(on_s: float, off_s: float, hertz: float) -> np.ndarray:
    """A tone, a silence, and the tone again."""
    tone = 0.2 * np.sin(2 * np.pi * hertz * np.arange(int(on_s * RATE_HZ)) / RATE_HZ)
    return np.concatenate([tone, np.zeros(int(off_s * RATE_HZ)), tone]).astype(np.float32)


@pytest.mark.parametrize(("on_s", "off_s", "hertz"), [(0.5, 3.0, 1100), (2.6, 0.0, 2100)])
@pytest.mark.parametrize("snr_db", [None, 20.0])
def test_fax_tones_are_steady(
    on_s: float, off_s: float, hertz: float, snr_db: float | None
) -> None:
    rng = np.random.default_rng(1)
    heard = channel.telephone(fax(on_s, off_s, hertz), rng, snr_db=snr_db)
    assert is_steady_tone(heard, RATE_HZ)


def test_noise_silence_and_a_gliding_tone_are_not() -> None:
    rng = np.random.default_rng(2)
    seconds = np.arange(RATE_HZ) / RATE_HZ
    assert not is_steady_tone(rng.normal(0, 0.1, RATE_HZ).astype(np.float32), RATE_HZ)
    assert not is_steady_tone(np.zeros(RATE_HZ, np.float32), RATE_HZ)
    glide = np.sin(2 * np.pi * (400 + 20 * seconds) * seconds).astype(np.float32)
    assert not is_steady_tone(glide, RATE_HZ)
    assert not is_steady_tone(glide[:100], RATE_HZ)


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
@pytest.mark.parametrize("word", ["no", "two", "who", "you", "oh", "mm", "moon"])
@pytest.mark.parametrize("pitch", ["10", "50", "99"])
def test_words_that_are_nearly_tones_are_voices(word: str, pitch: str, tmp_path: Path) -> None:
    path = tmp_path / "word.wav"
    command = ["espeak-ng", "-v", "en-us+f2", "-p", pitch, "-s", "90", "-w", str(path), word]
    subprocess.run(command, check=True)
    wave, rate_hz = soundfile.read(path, dtype="float32")
    heard = channel.telephone(resample(wave, rate_hz, RATE_HZ), np.random.default_rng(3))
    assert not is_steady_tone(heard, RATE_HZ)
