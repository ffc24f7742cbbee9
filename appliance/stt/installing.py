"""Adds a model to those of the box: copied or converted, tried, sealed with checksums, then shown.

    folder ── faster-whisper ──> copy ──────┐
           └─ Hugging Face ────> convert ───┴─> provenance -> trial -> SHA256SUMS -> rename

A model appears under its name whole or not at all.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from appliance.checksums import SUMS, digest, verify_checksums, write_checksums
from appliance.errors import ConfigError, EngineError
from appliance.stt.catalogue import MODEL, PROVENANCE, Model, is_model, lacking, read_model
from appliance.stt.conversion import convert, is_huggingface
from appliance.stt.inspection import try_model
from appliance.workshop import assert_own_files, assert_room, place_for, settle, workshop

Tell = Callable[[str], None]
"""Is told what begins."""

_PAPERS = ("license", "licence", "readme", "model_card", "notice")
"""Beginnings of files that go with converted weights."""
_PICKLED = {".pt", ".pth", ".pkl", ".pickle", ".ckpt"}
_WEIGHTS = {".bin", ".safetensors", ".npz"}
_KIND = {True: "Hugging Face", False: "faster-whisper"}


def add_model(source: Path, models: Path, name: str, now: datetime, tell: Tell) -> Model:
    """Make a model of the box from a folder on disk.

    Args:
        source: a faster-whisper (CTranslate2) or a Hugging Face Whisper folder; it stays as it is.
        models: the folder of models.
        name: of the new one.
        now: for the provenance.
        tell: is told of each step.

    Raises:
        ConfigError: the source is neither, incomplete or damaged; the name is taken or no name;
            the disk is full. Nothing has changed then.
    """
    target = place_for(models, name, "model")
    foreign = _is_foreign(source)
    with workshop(target) as folder:
        # A converted model is never larger than its source.
        assert_room(
            folder, (path for path in _files(source) if not foreign or path.suffix in _WEIGHTS)
        )
        if foreign:
            tell("convert and quantize to int8")
            convert(source, folder)
        else:
            tell("copy")
        _copy(source, folder, papers_only=foreign)
        tell("checksums of the source")
        _write_provenance(source, folder, now, _KIND[foreign])
        tell("load it and hear a second of noise")
        _try(folder, source)
        tell("checksums")
        write_checksums(folder)
        settle(folder, target)
    return read_model(target)


def _is_foreign(source: Path) -> bool:
    """Whether the source is to be converted.

    Raises:
        ConfigError: it is no model, or not the files it was.
    """
    if not source.is_dir():
        raise ConfigError(f"{source}: {'not a folder' if source.exists() else 'no such folder'}")
    assert_own_files(source, source.iterdir())
    if is_model(source):
        verdict = verify_checksums(source)
        if verdict.known and not verdict.intact:
            raise ConfigError(f"{source}: not as it was when {SUMS} was written: {verdict}")
        if absent := lacking(source):
            raise ConfigError(
                f"{source}: holds {MODEL} but no {' and no '.join(absent)}; without them the "
                "model cannot be used offline: copy the whole folder"
            )
        return False
    if is_huggingface(source):
        return True
    raise ConfigError(
        f"{source}: neither a faster-whisper folder ({MODEL}) nor a Hugging Face Whisper folder "
        "(config.json with model_type, model.safetensors, tokenizer.json)"
    )


def _try(folder: Path, source: Path) -> None:
    """See that it can be used. The workshop is gone when a message is read: it names the source."""
    try:
        try_model(folder)
    except (ConfigError, EngineError) as error:
        why = str(error).replace(str(folder), str(source))
        where = "" if str(source) in why else f"{source}: "
        raise ConfigError(
            f"{where}{why}; damaged, or no model for hearing: copy the whole folder again from "
            "where it came from"
        ) from error


def _files(source: Path) -> list[Path]:
    """What may be part of a model: no folders, no devices, no pickled weights."""
    return sorted(
        path
        for path in source.iterdir()
        if path.is_file()
        and not path.name.startswith(".")
        and path.name != SUMS
        and path.suffix not in _PICKLED
        and not path.name.startswith("pytorch_model")
    )


def _copy(source: Path, folder: Path, *, papers_only: bool) -> None:
    for path in _files(source):
        if not papers_only or path.name.lower().startswith(_PAPERS):
            shutil.copyfile(path, folder / path.name)


def _write_provenance(source: Path, folder: Path, now: datetime, kind: str) -> None:
    """Where the model came from, for whoever asks later."""
    said = {
        "added": now.isoformat(timespec="seconds"),
        "source": str(source.resolve()),
        "kind": kind,
        "ctranslate2": importlib.metadata.version("ctranslate2"),
        "source_sha256": {path.name: digest(path) for path in _files(source)},
    }
    text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    (folder / PROVENANCE).write_text(text, "utf-8")
