"""Settings of voices from anywhere: what they say, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ConfigError
from appliance.tts.casting import Cast
from appliance.tts.settings import check_cast, read_settings, settings_of

SETTINGS: dict[str, Any] = {
    "audio": {"sample_rate": 22050, "quality": "medium"},
    "espeak": {"voice": "en-us"},
    "language": {"code": "en_US", "family": "en"},
    "num_symbols": 256,
    "num_speakers": 2,
    "speaker_id_map": {"p226": 0, "p228": 1},
    "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [14]},
}


def write(folder: Path, settings: object) -> Path:
    voice = folder / "amy.onnx"
    voice.write_bytes(b"network")
    text = settings if isinstance(settings, str) else json.dumps(settings)
    settings_of(voice).write_text(text, "utf-8")
    return voice


def test_what_they_say(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, SETTINGS))
    assert (settings.locale, settings.spoken) == ("en_US", "en")
    assert [settings.speaker_id(name) for name in (None, "p228", "0", "1")] == [None, 1, 0, 1]
    settings = read_settings(write(tmp_path, SETTINGS | {"language": {}}))
    assert (settings.locale, settings.spoken) == ("en-us", "en")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("", "no settings of a voice: Expecting value"),
        ("[" * 100_000, "no settings of a voice: "),
        ("[]", "no settings of a voice: Input should be"),
        ("{}", "no settings of a voice: audio: Field required"),
        (SETTINGS | {"audio": {"sample_rate": 0}}, "audio: sample_rate: Input should be greater"),
        (SETTINGS | {"num_symbols": 14}, "phoneme_id_map: a: there are 14 symbols"),
        (SETTINGS | {"phoneme_type": "pinyin"}, "phoneme_type: Input should be 'espeak' or 'text'"),
        (SETTINGS | {"phoneme_id_map": {"a": [-1]}}, "phoneme_id_map: a: 0: Input should be gr"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, settings: object, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"amy\.onnx\.json: .*{said}"):
        read_settings(write(tmp_path, settings))


def test_a_voice_is_two_files(tmp_path: Path) -> None:
    voice = write(tmp_path, SETTINGS)
    settings_of(voice).unlink()
    with pytest.raises(ConfigError, match=r"amy\.onnx\.json is missing; a Piper voice is two"):
        read_settings(voice)
    voice.unlink()
    with pytest.raises(ConfigError, match=r"amy\.onnx is missing"):
        read_settings(voice)


def test_who_is_cast_is_checked_without_loading(tmp_path: Path) -> None:
    cast = Cast("speaking.voices.bob.en", write(tmp_path, SETTINGS), "en", "p226")
    assert check_cast(cast).num_speakers == 2
    for other, said in (
        (Cast("k", cast.file, "es"), r"k: .*amy\.onnx speaks en_US"),
        (Cast("k", cast.file, "en", "p1"), r"k: .*amy\.onnx has no speaker p1; it has p226, p228"),
        (Cast("k", cast.file, "en", "2"), r"has no speaker 2"),
        (Cast("k", tmp_path / "bob.onnx", "en"), r"k: .*bob\.onnx is missing"),
    ):
        with pytest.raises(ConfigError, match=said):
            check_cast(other)
    cast.file.write_bytes(b"")
    with pytest.raises(ConfigError, match=r"speaking\.voices\.bob\.en: .*amy\.onnx: empty"):
        check_cast(cast)
