from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.errors import ConfigError
from appliance.stt.recognizer import Hint
from appliance.testing.hearing.sets import read_set, set_names


def test_reads_words_hints_and_waves(folder: Path) -> None:
    assert "open" in set_names(folder)
    spoken = read_set(folder, "flows-zip")
    assert [each.said for each in spoken] == ["nine oh two one oh", "one two three four five"]
    assert spoken[0].hint == Hint("zip", digits=5)
    assert spoken[0].speaker == "flite:slt"
    assert spoken[0].wave.dtype == np.float32
    assert spoken[0].wave.shape == (16000,)


def test_takes_the_first_ones(folder: Path) -> None:
    assert len(read_set(folder, "open", 1)) == 1


def test_a_table_of_two_columns_in_stereo_at_another_rate(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros((16000, 2)), 16000)
    (tmp_path / "mine.tsv").write_text("file\ttext\na.wav\thello\n", "utf-8")
    (spoken,) = read_set(tmp_path, "mine")
    assert spoken.wave.shape == (8000,)
    assert spoken.hint == Hint()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("file\ttext\ngone.wav\thello\n", "line 2: .*gone.wav"),
        ("file\tsaid\na.wav\thello\n", "line 2: 'text'"),
        ("file\ttext\tdigits\na.wav\thello\tmany\n", "line 2: .*many"),
    ],
)
def test_what_is_broken_is_named(tmp_path: Path, table: str, reason: str) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(800), 8000)
    (tmp_path / "mine.tsv").write_text(table, "utf-8")
    with pytest.raises(ConfigError, match=rf"mine.tsv, {reason}"):
        read_set(tmp_path, "mine")


def test_a_missing_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.tsv"):
        read_set(tmp_path, "none")
