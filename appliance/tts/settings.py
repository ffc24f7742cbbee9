"""What the settings beside a Piper voice say, read without loading the voice.

    kathleen.onnx       the network
    kathleen.onnx.json  language, rate, speakers, phones and their numbers: this module

The file may come from anywhere: it is checked before anything depends on it. What the engine itself
reads from it is `piper.PiperConfig`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from appliance.errors import ConfigError
from appliance.tts.casting import Cast

SUFFIX = ".onnx"
_MOST_BYTES = 16 << 20  # of settings; the official ones with 900 speakers have 20 kB


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Audio(_Part):
    sample_rate: Annotated[int, Field(ge=8000, le=48000)]
    quality: str = ""


class _Espeak(_Part):
    voice: str


class _Language(_Part):
    code: str = ""


class _Inference(_Part):
    noise_scale: float = 0.667
    noise_w: float = 0.8


class VoiceSettings(_Part):
    """The part of a voice's settings that an operator cares for, or that can be wrong.

    Attributes:
        phoneme_type: what turns text into phones. Piper knows others, which need more packages or
            fetch data from the internet: they are no voices for this box.
    """

    audio: _Audio
    espeak: _Espeak
    language: _Language = _Language()
    inference: _Inference = _Inference()
    phoneme_type: Literal["espeak", "text"] = "espeak"
    num_symbols: Annotated[int, Field(ge=1)]
    num_speakers: Annotated[int, Field(ge=1)]
    speaker_id_map: dict[str, Annotated[int, Field(ge=0)]] = {}
    phoneme_id_map: dict[str, list[Annotated[int, Field(ge=0)]]]

    @model_validator(mode="after")
    def _numbers_are_symbols(self) -> Self:
        for phone, numbers in self.phoneme_id_map.items():
            if any(number >= self.num_symbols for number in numbers):
                raise ValueError(f"phoneme_id_map: {phone}: there are {self.num_symbols} symbols")
        return self

    @property
    def locale(self) -> str:
        """As the settings name the language, e.g. "en_US", "es-419"."""
        return self.language.code or self.espeak.voice

    @property
    def spoken(self) -> str:
        """The language without its country, e.g. "en"."""
        return self.locale.replace("_", "-").partition("-")[0].lower()

    def speaker_id(self, speaker: str | None) -> int | None:
        """The number of a speaker; None stands for the voice's first one.

        Raises:
            ValueError: there is no such speaker; the message says who there is.
        """
        if speaker is None:
            return None
        number = self.speaker_id_map.get(speaker)
        if number is None and speaker.isdecimal():
            number = int(speaker)
        if number is None or not number < self.num_speakers:
            names = ", ".join(self.speaker_id_map) or f"0 to {self.num_speakers - 1}"
            raise ValueError(f"has no speaker {speaker}; it has {names}")
        return number


def settings_of(voice: Path) -> Path:
    """The file of settings that belongs to a voice."""
    return voice.with_name(voice.name + ".json")


def read_settings(voice: Path) -> VoiceSettings:
    """Read the settings beside a voice.

    Raises:
        ConfigError: one of the two files is missing, or the settings are not those of a voice.
    """
    path = settings_of(voice)
    for needed in (voice, path):
        if not needed.is_file():
            raise ConfigError(f"{needed} is missing; a Piper voice is two files")
    try:
        return VoiceSettings.model_validate(_read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        said = ": ".join((*(str(part) for part in first["loc"]), first["msg"]))
        raise ConfigError(f"{path}: no settings of a voice: {said}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: no settings of a voice: {error}") from error


def check_cast(cast: Cast) -> VoiceSettings:
    """See, without loading it, that a voice is there, speaks the language and has the speaker.

    Raises:
        ConfigError: it cannot be used so; begins with the key of the configuration.
    """
    try:
        settings = read_settings(cast.file)
        settings.speaker_id(cast.speaker)
    except ConfigError as error:
        raise ConfigError(f"{cast.key}: {error}") from error
    except ValueError as error:
        raise ConfigError(f"{cast.key}: {cast.file} {error}") from error
    if settings.spoken != cast.language:
        raise ConfigError(f"{cast.key}: {cast.file} speaks {settings.locale}")
    if not cast.file.stat().st_size:
        raise ConfigError(f"{cast.key}: {cast.file}: empty; copy the two files again")
    return settings


def _read_json(path: Path) -> Any:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError("too large")
    return json.loads(path.read_text("utf-8"))
