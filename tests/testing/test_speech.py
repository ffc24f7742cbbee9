import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.audio.level import active_level_dbm0
from appliance.errors import ConfigError
from appliance.testing.speech import (
    VOICES,
    CallerVoice,
    DigitRhythm,
    join_recordings,
    limit_band,
    trim,
)


def tone(seconds: float, hz: float = 500.0) -> np.ndarray:
    return (0.3 * np.sin(2 * np.pi * hz * np.arange(int(8000 * seconds)) / 8000)).astype(np.float32)


def test_voice_speaks_at_telephone_level(tmp_path: Path) -> None:
    speech = CallerVoice(tmp_path).speak("yes, this is she")
    assert speech.text == "yes, this is she"
    assert 0.5 < len(speech.samples) / 8000 < 3
    assert active_level_dbm0(speech.samples.astype(np.float32) / 32768) == pytest.approx(-20, abs=1)


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_a_caller_who_speaks_spanish(tmp_path: Path) -> None:
    spanish = CallerVoice(tmp_path, VOICES["es"]).speak("nueve")
    assert 0.2 < len(spanish.samples) / 8000 < 2
    english = CallerVoice(tmp_path, "espeak").speak("nueve")
    assert not np.array_equal(spanish.samples, english.samples)


def test_rendering_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = CallerVoice(tmp_path).speak("hello")
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert np.array_equal(CallerVoice(tmp_path).speak("hello").samples, first.samples)


def test_callers_at_once_may_say_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(lambda _: CallerVoice(tmp_path).speak("goodbye"), range(4)))
    assert all(np.array_equal(each.samples, said[0].samples) for each in said)
    assert [path.suffix for path in tmp_path.iterdir()] == [".wav"]


def test_missing_synthesizer_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(ConfigError, match="apt-get install flite"):
        CallerVoice(tmp_path).speak("hello")


def test_digits_are_read_one_by_one(tmp_path: Path) -> None:
    voice = CallerVoice(tmp_path)
    speech = voice.spell("902")
    assert speech.text == "nine zero two"
    words = sum(len(voice.speak(word).samples) for word in ("nine", "zero", "two"))
    assert len(speech.samples) > words
    with pytest.raises(ValueError, match="only the digits"):
        voice.spell("9a")


def test_recordings_are_joined(tmp_path: Path) -> None:
    paths = []
    for index in range(3):
        path = tmp_path / f"{index}.flac"
        soundfile.write(path, np.concatenate([np.zeros(4000), tone(0.3)]), 8000)
        paths.append(path)
    speech = join_recordings(paths, "one two three", DigitRhythm(gap_ms=100, vary_ms=0))
    assert 0.9 + 0.2 < len(speech.samples) / 8000 < 0.9 + 0.2 + 0.2


@pytest.mark.parametrize("content", [b"no sound", None])
def test_bad_recording_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.wav"
    if content is None:
        soundfile.write(path, np.zeros(800), 8000)
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"bad\.wav"):
        join_recordings([path], "x")


def test_trim_of_silence_is_empty() -> None:
    assert trim(np.zeros(800, np.float32)).size == 0
    assert len(trim(np.concatenate([np.zeros(8000, np.float32), tone(0.2)]))) < 8000


def test_band_is_that_of_the_telephone() -> None:
    for hz, passes in ((100, False), (1000, True), (3800, False)):
        level = np.abs(limit_band(tone(1.0, hz))).mean() / np.abs(tone(1.0, hz)).mean()
        assert (level > 0.9) == passes
