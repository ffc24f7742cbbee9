"""What a voice costs: measured as a call would speak, kept by the contents of the files."""

from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.testing.engines import ToneVoice
from appliance.tts.figures import Figures, find_figures, keep_figures, measure
from tests.tts.piper_voices import write_voice

FIGURES = Figures(0.01, 0.009, 40.5, 3.2, -20.0, 1)


def test_sentences_are_measured_one_by_one() -> None:
    voice = ToneVoice()
    figures, pcm = measure(voice, "Hello there. How are you?", threads=2)
    assert voice.spoken == ["Hello there.", "How are you?"] * 4  # once to warm up
    assert figures.audio_s == pytest.approx(len(pcm) / 16000, abs=0.01)
    assert figures.level_dbm0 == pytest.approx(-20, abs=0.2)
    assert figures.threads == 2
    assert 0 < figures.first_audio_ms / 1000 <= figures.real_time_factor * figures.audio_s + 0.001


def test_figures_are_those_of_the_files_as_they_are(tmp_path: Path) -> None:
    voice = write_voice(tmp_path / "amy.onnx")
    folder = tmp_path / "measured"
    assert find_figures(folder, voice) is None
    keep_figures(folder, voice, FIGURES)
    assert find_figures(folder, voice) == FIGURES
    write_voice(voice, loudness=0.2)
    assert find_figures(folder, voice) is None


def test_damaged_figures_are_none(tmp_path: Path) -> None:
    voice = write_voice(tmp_path / "amy.onnx")
    keep_figures(tmp_path / "measured", voice, FIGURES)
    (path,) = (tmp_path / "measured").iterdir()
    for text in ("", "[]", "{}"):
        path.write_text(text)
        assert find_figures(tmp_path / "measured", voice) is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file/.*\.json: cannot be written"):
        keep_figures(tmp_path / "file", write_voice(tmp_path / "amy.onnx"), FIGURES)
