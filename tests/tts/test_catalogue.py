"""Which voices there are, and who speaks with them."""

from pathlib import Path

import pytest

from appliance.checksums import write_checksums
from appliance.config import SpeakingConfig, SpokenModelsConfig, VoiceConfig
from appliance.errors import ConfigError
from appliance.tts.catalogue import (
    assert_voices,
    find_file,
    find_files,
    personas_of,
    read_voice,
)
from appliance.tts.settings import settings_of
from tests.tts.piper_voices import write_voice


@pytest.fixture
def voices(tmp_path: Path) -> Path:
    """Two that shipped, in one folder, and one that was added."""
    place = tmp_path / "models/voice"
    write_voice(place / "en/kathleen.onnx")
    write_voice(place / "en/bob.onnx", speakers=2)
    write_voice(place / "amy/amy.onnx")
    (place / "amy/provenance.json").write_text("{}")
    (place / "recipe").mkdir()
    (place / ".amy2.half").mkdir()
    (place / ".amy2.half/amy2.onnx").write_bytes(b"half")
    return place


def speaking(voices: Path, **named: VoiceConfig) -> SpeakingConfig:
    models = SpokenModelsConfig(en=voices / "en/kathleen.onnx", es=voices / "es/dita.onnx")
    return SpeakingConfig(models=models, voices=named)


def test_shipped_added_and_configured_ones(voices: Path, tmp_path: Path) -> None:
    elsewhere = write_voice(tmp_path / "mine/carol.onnx")
    config = speaking(
        voices, carol=VoiceConfig(en=elsewhere), low=VoiceConfig(pitch=0.8, es=elsewhere)
    )
    files = find_files(voices, config)
    assert [(path.parent.name, path.stem) for path in files] == [
        ("amy", "amy"), ("en", "bob"), ("en", "kathleen"), ("mine", "carol"),
    ]  # fmt: skip
    assert [read_voice(path).origin for path in files] == ["added", *["shipped"] * 3]
    assert [personas_of(path, config) for path in files] == [
        (), (), ("default", "low"), ("carol", "low"),
    ]  # fmt: skip


def test_a_voice_is_named_by_name_file_or_folder(voices: Path) -> None:
    config = speaking(voices)
    amy = voices / "amy/amy.onnx"
    for name in ("amy", "amy.onnx", str(amy), str(amy.parent)):
        assert find_file(name, voices, config) == amy
    (voices / "amy/amy.onnx").rename(voices / "amy/en_US-amy.onnx")
    assert find_file("amy", voices, config) == voices / "amy/en_US-amy.onnx"
    write_voice(voices / "es/bob.onnx", locale="es_MX")
    with pytest.raises(ConfigError, match=r"bob: there are several; name the file: .*en/bob"):
        find_file("bob", voices, config)
    for name in ("carol", "recipe", str(settings_of(amy))):
        with pytest.raises(ConfigError, match=r"no voice of that name in .*appliance voices list"):
            find_file(name, voices, config)


def test_sums_are_those_of_the_voice_not_of_its_neighbours(voices: Path) -> None:
    assert not read_voice(voices / "en/bob.onnx").sums.known
    write_checksums(voices / "en")
    (voices / "en/kathleen.onnx").write_bytes(b"damage")
    assert str(read_voice(voices / "en/bob.onnx").sums) == "good"
    assert str(read_voice(voices / "en/kathleen.onnx").sums) == "changed: kathleen.onnx"


def test_only_the_language_of_calls_must_be_spoken(voices: Path) -> None:
    bob = voices / "en/bob.onnx"
    config = speaking(voices, bob=VoiceConfig(en=bob, speaker="p1"), slow=VoiceConfig(speed=0.8))
    assert_voices(config, "en")
    with pytest.raises(ConfigError, match=r"speaking\.models\.es: .*dita\.onnx is missing; a Pip"):
        assert_voices(config, "es")
    write_voice(voices / "es/dita.onnx", locale="es_ES")
    assert_voices(config, "es")  # bob has no Spanish of his own: dita speaks, and has no p1


@pytest.mark.parametrize(
    ("voice", "said"),
    [
        (VoiceConfig(en=Path("none.onnx")), r"bob\.en: none\.onnx is missing; .*voices add FILE"),
        (VoiceConfig(en=Path("en/bob.onnx"), speaker="p9"), r"has no speaker p9; it has p0, p1"),
        (VoiceConfig(speaker="p1"), r"models\.en: .*kathleen\.onnx has no speaker p1; it has 0 to"),
        (VoiceConfig(en=Path("es/dita.onnx")), r"bob\.en: .*dita\.onnx speaks es_ES"),
    ],
)
def test_what_a_persona_cannot_speak_with_names_the_key(
    voices: Path, monkeypatch: pytest.MonkeyPatch, voice: VoiceConfig, said: str
) -> None:
    monkeypatch.chdir(voices)
    write_voice(voices / "es/dita.onnx", locale="es_ES")
    with pytest.raises(ConfigError, match=rf"^speaking\..*{said}"):
        assert_voices(speaking(voices, bob=voice), "en")
