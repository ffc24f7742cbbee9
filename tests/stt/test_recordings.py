"""Tables and sound files as operators have them."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.errors import ConfigError
from appliance.stt.recognizer import Hint
from appliance.stt.recordings import (
    Recording,
    Skipped,
    find_table,
    read_recordings,
    read_table,
)


def write_tone(path: Path, seconds: float = 1.0, rate_hz: int = 8000, channels: int = 1) -> Path:
    tone = 0.3 * np.sin(2 * np.pi * 500 * np.arange(int(seconds * rate_hz)) / rate_hz)
    soundfile.write(path, np.repeat(tone[:, None], channels, axis=1), rate_hz)
    return path


def heard(path: Path, channel="recorded") -> tuple[list[np.ndarray], list[Skipped]]:
    skipped: list[Skipped] = []
    found = list(read_recordings([Recording(path, "yes")], channel, skipped))
    return [np.frombuffer(each.pcm, "<i2") for each in found], skipped


def test_a_table_of_two_columns(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text('a.wav\tyes please\nsub/b.wav\t"no"\n\n', "utf-8")
    assert read_table(find_table(tmp_path), tmp_path) == [
        Recording(tmp_path / "a.wav", "yes please"),
        Recording(tmp_path / "sub/b.wav", '"no"'),
    ]


def test_a_table_that_names_its_columns(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(
        "text\tspeaker\tslot\tfile\tdigits\tgroup\n"
        "nine oh\tann\tzip\ta.wav\t5\tphones\n"
        "\tann\t\tb.wav\t\t\n"
    )
    assert read_table(tmp_path / "t.tsv", tmp_path) == [
        Recording(tmp_path / "a.wav", "nine oh", Hint(slot="zip", digits=5), "phones"),
        Recording(tmp_path / "b.wav", ""),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"a.wav\n", r"t\.tsv:1: not a line of file<TAB>text"),
        (b"a.wav\tyes\n\tno\n", r"t\.tsv:2: not a line"),
        (b"file\ttext\ndigits\n", r"t\.tsv:2: not a line"),
        (b"file\ttext\tdigits\na.wav\tyes\tmany\n", r"t\.tsv:2: digits: 'many' is not how many"),
        (b"file\ttext\tdigits\na.wav\tyes\t17\n", r"t\.tsv:2: digits: '17' is not how many"),
        (b"file\ttext\tslot\na.wav\tyes\tyesno\n", r"t\.tsv:2: slot: 'yesno': there are .*yes_no"),
        (b"file\ttext\tgroup\na.wav\tyes\tall\n", r"t\.tsv:2: group: 'all' is the name of"),
        (b"", "names no recording"),
        (b"file\ttext\n", "names no recording"),
        (b"a.wav\t\xff\n", "cannot be read as UTF-8"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: bytes, said: str) -> None:
    (tmp_path / "t.tsv").write_bytes(text)
    with pytest.raises(ConfigError, match=said):
        read_table(tmp_path / "t.tsv", tmp_path)


def test_a_table_from_windows(tmp_path: Path) -> None:
    text = "\ufeffFile\tText \tSlot\r\na.wav\tyes\tyes_no\r\n"
    (tmp_path / "t.tsv").write_bytes(text.encode())
    assert read_table(tmp_path / "t.tsv", tmp_path) == [
        Recording(tmp_path / "a.wav", "yes", Hint(slot="yes_no"))
    ]


def test_two_speakers_are_not_mixed(tmp_path: Path) -> None:
    tone = 0.3 * np.sin(np.arange(8000))
    soundfile.write(tmp_path / "a.wav", np.stack([tone, -tone], axis=1), 8000)
    found, skipped = heard(tmp_path / "a.wav")
    assert (found, skipped[0].why) == ([], "2 channels: give the caller's alone")


def test_which_table_is_meant(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is none: name it \(--table\)"):
        find_table(tmp_path)
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("")
    with pytest.raises(ConfigError, match=r"there is a\.tsv, b\.tsv: name it"):
        find_table(tmp_path)
    with pytest.raises(ConfigError, match="no such folder"):
        find_table(tmp_path / "none")


@pytest.mark.parametrize(("rate_hz", "channels"), [(8000, 1), (16000, 1), (44100, 2)])
def test_any_rate_becomes_the_lines_own(tmp_path: Path, rate_hz: int, channels: int) -> None:
    (samples,), skipped = heard(write_tone(tmp_path / "a.wav", 1.0, rate_hz, channels))
    assert skipped == []
    assert len(samples) == 8000
    spectrum = np.abs(np.fft.rfft(samples[500:7500] * np.hanning(7000)))
    assert np.argmax(spectrum) * 8000 / 7000 == pytest.approx(500, abs=2)


def test_a_recorded_call_is_left_as_it_is_and_a_line_is_simulated(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "a.flac")
    original, _ = soundfile.read(path, dtype="int16")
    ((recorded,), _), ((line,), _), ((clean,), _) = (
        heard(path, channel) for channel in ("recorded", "telephone", "clean")
    )
    np.testing.assert_array_equal(recorded, original)
    assert len(line) == len(clean) > len(recorded)  # silence is around what a caller says
    quiet = slice(0, 1600)
    assert np.abs(clean[quiet]).max() == 0
    assert np.abs(line[quiet].astype(float)).mean() > 10  # noise
    np.testing.assert_array_equal(line, heard(path, "telephone")[0][0])


def test_two_files_have_two_noises(tmp_path: Path) -> None:
    first, second = (
        heard(write_tone(tmp_path / name), "telephone")[0][0] for name in ("a.wav", "b.wav")
    )
    assert (first != second).any()


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.wav").write_bytes(b"RIFF and no more")
    spoiled = np.full(8000, np.nan, np.float32)
    soundfile.write(tmp_path / "nan.wav", spoiled, 8000, subtype="FLOAT")
    write_tone(tmp_path / "long.wav", 31.0)
    write_tone(tmp_path / "empty.wav", 0.0)
    for name, why in {
        "broken.wav": "cannot be read: ",
        "none.wav": "no such file",
        "nan.wav": "no numbers",
        "long.wav": "31.0 s long; at most 29 s",
        "empty.wav": "empty",
    }.items():
        found, (skipped,) = heard(tmp_path / name)
        assert found == []
        assert skipped.file == tmp_path / name
        assert why in skipped.why
