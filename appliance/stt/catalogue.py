"""Which models can hear: what each folder holds, where it came from, and which one calls use.

A model is a folder with a `model.bin` that faster-whisper loads; ours also hold a phone head. The
shipped models and those that were added stand side by side in one folder of models (`models/stt`);
an added one says where it came from in `provenance.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from appliance.checksums import Verdict, verify_checksums
from appliance.config import HearingConfig
from appliance.errors import ConfigError
from appliance.types import Language

MODEL = "model.bin"
PROVENANCE = "provenance.json"
HEAD, LANGUAGE = "ctc.npz", "language.npz"
"""Of ours: the phone head and the words for it."""
MODELS = Path("models/stt")
"""Where models are, beside the configuration."""

_NEEDED = ("config.json", "tokenizer.json")
_VOCABULARIES = ("vocabulary.json", "vocabulary.txt")  # one of them
_ENGLISH_ONLY = 51864  # tokens of the official English models, which name all languages too
_LANGUAGE_TOKEN = re.compile(r"<\|([a-z]{2,3})\|>")
_RATE_HZ = 16000  # where the folder says nothing


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of a model without loading it.

    Attributes:
        name: of its folder.
        folder: where it is.
        origin: "shipped", or "added" where it says where it came from.
        languages: codes such as "en", as far as the appliance knows them, then others.
        size: bytes of all files.
        rate_hz: sampling rate of its front end.
        phone_head: whether it is heard through a phone head; else through Whisper's decoder.
        sums: its files against their checksums.
    """

    name: str
    folder: Path
    origin: str
    languages: tuple[str, ...]
    size: int
    rate_hz: int
    phone_head: bool
    sums: Verdict


def is_model(folder: Path) -> bool:
    """Whether a folder looks like a model that can be heard with."""
    return (folder / MODEL).is_file()


def read_model(folder: Path) -> Model:
    """Look into a model's folder.

    Raises:
        ConfigError: it holds no model, or its files say nothing sensible.
    """
    if not is_model(folder):
        raise ConfigError(f"{folder}: no {MODEL}: not a faster-whisper model")
    try:
        size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be read: {error.strerror}") from error
    return Model(
        name=folder.name,
        folder=folder,
        origin="added" if (folder / PROVENANCE).is_file() else "shipped",
        languages=languages_of(folder),
        size=size,
        rate_hz=_rate_hz(folder / "preprocessor_config.json"),
        phone_head=(folder / HEAD).is_file() and (folder / LANGUAGE).is_file(),
        sums=verify_checksums(folder),
    )


def languages_of(folder: Path) -> tuple[str, ...]:
    """What a model's folder says itself, else its language tokens.

    Raises:
        ConfigError: its files say nothing sensible.
    """
    said = _read_json(folder / "hearing.json", {}).get("language")
    if isinstance(said, str):
        return (said,)
    tokens = _read_json(folder / "vocabulary.json", [])
    if len(tokens) == _ENGLISH_ONLY:
        return ("en",)
    config = folder / "config.json"
    places = _read_json(config, {}).get("lang_ids") or range(len(tokens))
    if not isinstance(places, list | range) or not all(type(place) is int for place in places):
        raise ConfigError(f"{config}: damaged: lang_ids are no numbers")
    named = [
        match[1]
        for place in places
        if 0 <= place < len(tokens) and (match := _LANGUAGE_TOKEN.fullmatch(str(tokens[place])))
    ]
    known = get_args(Language)
    return tuple(sorted(named, key=lambda code: (code not in known, code)))


def _rate_hz(path: Path) -> int:
    """The sampling rate that a front end says, or Whisper's."""
    rate_hz = _read_json(path, {}).get("sampling_rate", _RATE_HZ)
    if type(rate_hz) is not int or rate_hz <= 0:
        raise ConfigError(f"{path}: damaged: sampling_rate {rate_hz!r}")
    return rate_hz


def lacking(folder: Path) -> tuple[str, ...]:
    """Files without which a model cannot be used offline (some loaders would fetch them)."""
    absent = [name for name in _NEEDED if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        absent.append(_VOCABULARIES[0])
    return tuple(absent)


def find_folders(models: Path, hearing: HearingConfig) -> list[Path]:
    """The folders of all models: those in the folder of models, and configured ones elsewhere."""
    inside = sorted(models.iterdir()) if models.is_dir() else []
    found = [path for path in inside if is_model(path) and not path.name.startswith(".")]
    known = {path.resolve() for path in found}
    elsewhere = {folder for _, folder in configured(hearing) if is_model(folder)}
    return [*found, *sorted(path for path in elsewhere if path.resolve() not in known)]


def find_folder(name: str, models: Path) -> Path:
    """The folder of a model that is named as an operator does: by its name or its folder.

    Raises:
        ConfigError: there is none.
    """
    for folder in (models / name, Path(name)):
        if is_model(folder):
            return folder
    raise ConfigError(
        f"{name}: no model of that name in {models} and no folder with a {MODEL}: "
        "appliance models list"
    )


def configured(hearing: HearingConfig) -> Iterator[tuple[Language, Path]]:
    """Each language with the folder of its model, whether there is one or not."""
    for language in get_args(Language):
        yield language, hearing.models.folder(language)


def languages_of_calls(folder: Path, hearing: HearingConfig) -> tuple[Language, ...]:
    """The languages that a model is configured for."""
    place = folder.resolve()
    return tuple(language for language, each in configured(hearing) if each.resolve() == place)


def assert_model(hearing: HearingConfig, language: Language) -> None:
    """See that calls in a language can be heard.

    Raises:
        ConfigError: there is no model where the configuration says; names the remedy.
    """
    folder = hearing.models.folder(language)
    key = f"hearing.models.{language}"
    if not is_model(folder):
        raise ConfigError(
            f"{key}: {folder}: there is no model; add one (appliance models "
            f"add FOLDER --name {folder.name}) or name another (appliance models list)"
        )
    if not (folder / MODEL).stat().st_size:
        raise ConfigError(f"{key}: {folder / MODEL}: empty; copy the folder again")
    assert_hears(folder, language, key)


def assert_hears(folder: Path, language: Language, key: str) -> None:
    """A model that does not say what it hears is taken at the configuration's word.

    Raises:
        ConfigError: it says that it hears others; begins with `key`.
    """
    spoken = languages_of(folder)
    if spoken and language not in spoken:
        raise ConfigError(f"{key}: {folder} hears {', '.join(spoken)}")


def _read_json(path: Path, default: Any) -> Any:
    """A file's JSON, of the default's type; the default where there is no such file.

    Raises:
        ConfigError: it is something else.
    """
    if not path.is_file():
        return default
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: damaged: {error}") from error
    if not isinstance(found, type(default)):
        raise ConfigError(f"{path}: damaged: not a JSON {type(default).__name__}")
    return found
