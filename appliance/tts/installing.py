"""Adds a Piper voice to those of the box: copied, tried, sealed with checksums, then shown.

    NAME.onnx, NAME.onnx.json, papers ──> copy -> provenance -> trial -> SHA256SUMS -> rename

A voice appears under its name whole or not at all. Nothing is fetched: bring it on a disk.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from appliance.checksums import SUMS, digest, verify_checksums, write_checksums
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.tts.catalogue import PROVENANCE, KnownVoice, find_files, read_voice
from appliance.tts.inspection import try_voice
from appliance.tts.settings import SUFFIX, read_settings, settings_of
from appliance.workshop import assert_own_files, assert_room, place_for, settle, workshop

Tell = Callable[[str], None]
"""Is told what begins, and what is worth knowing."""

_PAPERS = ("license", "licence", "copying", "readme", "model_card", "notice", "credits", "authors")
"""Beginnings of files that go with a voice: who spoke it, and who may use it."""


def find_source(source: Path) -> Path:
    """The network of the voice that a file or a folder on disk holds.

    Raises:
        ConfigError: there is none, or there are several.
    """
    if source.suffix == SUFFIX and source.is_file():
        return source
    if not source.is_dir():
        raise ConfigError(f"{source}: {'not a voice' if source.exists() else 'no such file'}")
    held = sorted(source.glob(f"*{SUFFIX}"))
    if len(held) == 1:
        return held[0]
    if not held:
        raise ConfigError(f"{source}: no voice here: a Piper voice is NAME.onnx, NAME.onnx.json")
    raise ConfigError(f"{source}: several voices; name one: {', '.join(map(str, held))}")


def add_voice(
    source: Path, voices: Path, name: str, speaking: SpeakingConfig, now: datetime, tell: Tell
) -> KnownVoice:
    """Make a voice of the box from files on disk.

    Args:
        source: a voice (`NAME.onnx`) with its settings beside it; it stays as it is.
        voices: the folder of voices.
        name: of the new one; its folder and its files are called so.
        speaking: the box's, for the trial.
        now: for the provenance.
        tell: is told of each step.

    Raises:
        ConfigError: the source is no voice or damaged, or speaks no language of calls; the name is
            taken or no name; the disk is full. Nothing has changed then.
    """
    target = place_for(voices, name, "voice")
    if namesake := next((each for each in find_files(voices, speaking) if each.stem == name), None):
        raise ConfigError(f"{name}: there is a voice of that name: {namesake}; give it another")
    read_settings(source)
    files = [source, settings_of(source), *_papers(source)]
    assert_own_files(source.parent, files)
    _assert_intact(source)
    with workshop(target) as folder:
        assert_room(folder, files)
        tell("copy")
        for path in files:
            shutil.copyfile(path, folder / _named(path, source, name))
        tell("checksums of the source")
        _write_provenance(folder, files, now)
        tell("load it and let it speak")
        for said in _try(folder / f"{name}{SUFFIX}", source, speaking):
            tell(said)
        tell("checksums")
        write_checksums(folder)
        settle(folder, target)
    return read_voice(target / f"{name}{SUFFIX}")


def _papers(source: Path) -> list[Path]:
    return sorted(
        path
        for path in source.parent.iterdir()
        if path.is_file() and path.name.lower().startswith(_PAPERS)
    )


def _named(path: Path, source: Path, name: str) -> str:
    """The two files of the voice get its name, papers keep theirs."""
    if path in (source, settings_of(source)):
        return path.name.replace(source.name, f"{name}{SUFFIX}")
    return path.name


def _assert_intact(source: Path) -> None:
    """Where checksums came along, see that the voice is what they say."""
    verdict = verify_checksums(source.parent).about({source.name, settings_of(source).name})
    if verdict.changed:
        raise ConfigError(f"{source}: not as it was when {SUMS} was written: {verdict}")


def _try(file: Path, source: Path, speaking: SpeakingConfig) -> list[str]:
    """See that it can speak. The workshop is gone when a message is read: it names the source."""
    try:
        return try_voice(file, speaking)
    except (ConfigError, EngineError) as error:
        why = str(error).replace(str(file), str(source)).removeprefix(f"{file.stem}: ")
        where = "" if str(source) in why else f"{source}: "
        raise ConfigError(f"{where}{why}") from error


def _write_provenance(folder: Path, files: list[Path], now: datetime) -> None:
    """Where the voice came from, for whoever asks later."""
    said = {
        "added": now.isoformat(timespec="seconds"),
        "source": str(files[0].resolve()),
        "source_sha256": {path.name: digest(path) for path in files},
    }
    text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    (folder / PROVENANCE).write_text(text, "utf-8")
