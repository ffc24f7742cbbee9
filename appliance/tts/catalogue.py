"""Which voices can speak: where they are, where they came from, and who of the box uses them.

A voice is two files, `NAME.onnx` and `NAME.onnx.json`. The shipped ones stand in a folder for each
language below the folder of voices (`models/voice/en`); an added one has its own folder there,
with `provenance.json` and what came with it: its model card, its licence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from appliance.checksums import Verdict, verify_checksums
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError
from appliance.tts.casting import Cast, cast_voice
from appliance.tts.settings import SUFFIX, VoiceSettings, check_cast, read_settings, settings_of
from appliance.types import Language

PROVENANCE = "provenance.json"
VOICES = Path("models/voice")
"""Where voices are, beside the configuration."""
DEFAULT = "default"
"""What the voice is called that speaks where a flow names none."""


@dataclass(frozen=True, slots=True)
class KnownVoice:
    """What is known of a voice without loading it.

    Attributes:
        name: of its file, without the suffix.
        file: where it is.
        origin: "shipped", or "added" where it says where it came from.
        settings: what is beside it.
        size: bytes of both files.
        sums: its two files against their checksums.
    """

    name: str
    file: Path
    origin: str
    settings: VoiceSettings
    size: int
    sums: Verdict


def read_voice(file: Path) -> KnownVoice:
    """Look at a voice's files.

    Raises:
        ConfigError: it is none, or a file cannot be read.
    """
    settings = read_settings(file)
    beside = settings_of(file)
    try:
        size = file.stat().st_size + beside.stat().st_size
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    return KnownVoice(
        name=file.stem,
        file=file,
        origin="added" if (file.parent / PROVENANCE).is_file() else "shipped",
        settings=settings,
        size=size,
        sums=verify_checksums(file.parent).about({file.name, beside.name}),
    )


def find_files(voices: Path, speaking: SpeakingConfig) -> list[Path]:
    """All voices: those in the folder of voices, one level below, and configured ones elsewhere."""
    inside = sorted(
        path for path in voices.glob(f"*/*{SUFFIX}") if not path.parent.name.startswith(".")
    )
    known = {path.resolve() for path in inside}
    elsewhere = {cast.file for _, cast in casts_of(speaking) if cast.file.is_file()}
    return [*inside, *sorted(path for path in elsewhere if path.resolve() not in known)]


def find_file(name: str, voices: Path, speaking: SpeakingConfig) -> Path:
    """A voice that is named as an operator does: by its name, by its file, or by its folder.

    Raises:
        ConfigError: there is none, or several.
    """
    path = Path(name)
    if path.suffix == SUFFIX and path.is_file():
        return path
    if path.is_dir() and len(held := sorted(path.glob(f"*{SUFFIX}"))) == 1:
        return held[0]
    found = [file for file in find_files(voices, speaking) if name in (file.stem, file.name)]
    found = found or [file for file in find_files(voices, speaking) if file.parent == voices / name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"{name}: there are several; name the file: {', '.join(map(str, found))}")
    raise ConfigError(
        f"{name}: no voice of that name in {voices} and no {SUFFIX} file: appliance voices list"
    )


def casts_of(speaking: SpeakingConfig) -> Iterator[tuple[str, Cast]]:
    """Who speaks, in every language: by the name that a flow gives, and the default."""
    for language in get_args(Language):
        yield DEFAULT, cast_voice(speaking, language)
        for name in speaking.voices:
            yield name, cast_voice(speaking, language, name)


def personas_of(file: Path, speaking: SpeakingConfig) -> tuple[str, ...]:
    """Who of the box speaks with a voice, e.g. "default", "bob"."""
    place = file.resolve()
    return tuple(
        dict.fromkeys(name for name, cast in casts_of(speaking) if cast.file.resolve() == place)
    )


def assert_voices(speaking: SpeakingConfig, language: Language) -> None:
    """See that calls in a language can be spoken, by the default and by every named voice.

    Nothing is loaded, so it takes no time.

    Raises:
        ConfigError: a voice is not there, is none, speaks another language or has no such speaker;
            names the key of the configuration, and the remedy.
    """
    for _, cast in casts_of(speaking):
        if cast.language == language:
            try:
                check_cast(cast)
            except ConfigError as error:
                raise ConfigError(
                    f"{error}; add one (appliance voices add FILE) or name another "
                    "(appliance voices list)"
                ) from error
