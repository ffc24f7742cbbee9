"""A voice is added whole or not at all, and says where it came from."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.checksums import digest, write_checksums
from appliance.config import SpeakingConfig, SpokenModelsConfig
from appliance.errors import ConfigError
from appliance.tts.catalogue import KnownVoice, find_files
from appliance.tts.inspection import inspect
from appliance.tts.installing import add_voice, find_source
from appliance.tts.settings import settings_of
from tests.tts.piper_voices import RATE_HZ, write_voice

NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
NOBODY = SpokenModelsConfig(en=Path("none.onnx"), es=Path("none.onnx"))
SPEAKING = SpeakingConfig(models=NOBODY, voices={})


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """As it is published: two files and a model card."""
    voice = write_voice(tmp_path / "stick/en_US-amy-medium.onnx", speakers=2)
    (voice.parent / "MODEL_CARD").write_text("# Amy\n* License: CC0\n")
    (voice.parent / "notes.txt").write_text("mine")
    (voice.parent / "samples").mkdir()
    return voice


def add(source: Path, target: Path, told: list[str] | None = None) -> KnownVoice:
    tell = (told if told is not None else []).append
    return add_voice(source, target.parent, target.name, SPEAKING, NOW, tell)


def test_a_voice_with_its_card(stick: Path, tmp_path: Path) -> None:
    told: list[str] = []
    before = {path: path.read_bytes() for path in stick.parent.iterdir() if path.is_file()}
    voice = add(stick, tmp_path / "voices/amy", told)
    assert told == ["copy", "checksums of the source", "load it and let it speak", "checksums"]
    assert (voice.name, voice.origin, voice.settings.locale) == ("amy", "added", "en_US")
    assert (voice.settings.audio.sample_rate, voice.settings.num_speakers) == (RATE_HZ, 2)
    assert voice.sums.intact
    assert {path.name for path in voice.file.parent.iterdir()} == {
        "amy.onnx", "amy.onnx.json", "MODEL_CARD", "provenance.json", "SHA256SUMS",
    }  # fmt: skip
    said = json.loads((voice.file.parent / "provenance.json").read_text())
    assert (said["source"], said["added"]) == (str(stick), "2026-11-22T15:00:00+00:00")
    assert said["source_sha256"]["en_US-amy-medium.onnx"] == digest(voice.file)
    assert voice.file.parent.stat().st_mode & 0o777 == 0o755
    assert before == {path: path.read_bytes() for path in stick.parent.iterdir() if path.is_file()}
    assert inspect(voice.file, SPEAKING).faults == ()
    assert find_files(tmp_path / "voices", SPEAKING) == [voice.file]


def test_a_cache_of_links_becomes_files(stick: Path, tmp_path: Path) -> None:
    """As huggingface_hub leaves them: snapshots/REVISION/…/NAME is a link to blobs/DIGEST."""
    cache = tmp_path / "cache"
    snapshot = cache / "snapshots/1f2e/en/amy"
    snapshot.mkdir(parents=True)
    (cache / "blobs").mkdir()
    for path in (stick, settings_of(stick), stick.parent / "MODEL_CARD"):
        path.rename(cache / "blobs" / digest(path))
    for path in (cache / "blobs").iterdir():
        name = {b"{": settings_of(stick).name, b"#": "MODEL_CARD"}.get(path.read_bytes()[:1])
        (snapshot / (name or stick.name)).symlink_to(f"../../../../blobs/{path.name}")
    voice = add(snapshot / stick.name, tmp_path / "voices/amy")
    assert voice.sums.intact
    assert not any(path.is_symlink() for path in voice.file.parent.iterdir())
    assert (voice.file.parent / "MODEL_CARD").read_text().startswith("# Amy")


def test_the_source_is_a_file_or_the_folder_of_one(stick: Path, tmp_path: Path) -> None:
    assert find_source(stick) == find_source(stick.parent) == stick
    write_voice(stick.parent / "joe.onnx")
    with pytest.raises(ConfigError, match=r"several voices; name one: .*amy-medium\.onnx, .*joe"):
        find_source(stick.parent)
    for path, said in (
        (tmp_path / "none.onnx", "no such file"),
        (settings_of(stick), "not a voice"),
        (stick.parent / "samples", "no voice here"),
    ):
        with pytest.raises(ConfigError, match=said):
            find_source(path)


def cut(voice: Path) -> None:
    voice.write_bytes(voice.read_bytes()[:300])


def sealed_and_changed(voice: Path) -> None:
    write_checksums(voice.parent)
    with voice.open("ab") as file:
        file.write(b"more")


def led_away(voice: Path) -> None:
    (voice.parent / "LICENSE").symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (cut, r"stick/en_US-amy-medium\.onnx cannot be loaded"),
        (sealed_and_changed, "not as it was when SHA256SUMS was written: changed: en_US-amy-medi"),
        (led_away, "LICENSE: a link to /etc/passwd, outside of the folder"),
        (lambda voice: settings_of(voice).unlink(), r"\.onnx\.json is missing"),
        (lambda voice: settings_of(voice).write_text("{}"), "audio: Field required"),
        (lambda voice: write_voice(voice, loudness=0), "amy-medium.onnx speaks only silence"),
        (lambda voice: write_voice(voice, locale="fr_FR"), "speaks fr_FR; calls are held in en, e"),
        (lambda voice: write_voice(voice, samples_an_id=9999), "speaks 1 letters a second"),
    ],
)
def test_what_cannot_be_added_leaves_nothing(
    stick: Path, tmp_path: Path, harm: Callable[[Path], object], said: str
) -> None:
    harm(stick)
    with pytest.raises(ConfigError, match=said) as refused:
        add(stick, tmp_path / "voices/amy")
    assert "voices/.amy" not in str(refused.value)  # the workshop, which is gone
    assert not (tmp_path / "voices").exists() or not list((tmp_path / "voices").iterdir())


@pytest.mark.parametrize("name", ["../amy", ".amy", "a b", ""])
def test_names(stick: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a voice's name"):
        add_voice(stick, tmp_path / "voices", name, SPEAKING, NOW, print)


def test_a_name_that_is_taken(stick: Path, tmp_path: Path) -> None:
    add(stick, tmp_path / "voices/amy")
    with pytest.raises(ConfigError, match="amy: the name is taken"):
        add(stick, tmp_path / "voices/amy")


def test_a_name_that_another_voice_has(stick: Path, tmp_path: Path) -> None:
    """Two voices of one name could be told apart by their files alone."""
    shipped = write_voice(tmp_path / "voices/en/kathleen.onnx")
    with pytest.raises(ConfigError, match=rf"there is a voice of that name: {shipped}"):
        add(stick, tmp_path / "voices/kathleen")
    assert not (tmp_path / "voices/kathleen").exists()


def test_a_disk_that_is_too_full(stick: Path, tmp_path: Path, monkeypatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=100))
    with pytest.raises(ConfigError, match="the disk is too full"):
        add(stick, tmp_path / "voices/amy")
    assert not list((tmp_path / "voices").iterdir())


KILLED = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from appliance.config import SpeakingConfig
from appliance.tts.installing import add_voice
kill = lambda step: step == sys.argv[3] and os.kill(os.getpid(), 9)
now = datetime(2026, 1, 1, tzinfo=UTC)
add_voice(Path(sys.argv[1]), Path(sys.argv[2]), "amy", SpeakingConfig(), now, kill)
"""


@pytest.mark.parametrize("step", ["checksums of the source", "checksums"])
def test_killed_at_any_step_nothing_appears_and_the_next_sweeps(
    stick: Path, tmp_path: Path, step: str
) -> None:
    voices = tmp_path / "voices"
    command = [sys.executable, "-c", KILLED, str(stick), str(voices), step]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert find_files(voices, SPEAKING) == []
    assert [path.name.startswith(".amy.") for path in voices.iterdir()] == [True]
    add(stick, voices / "amy")
    assert [path.name for path in voices.iterdir()] == ["amy"]
