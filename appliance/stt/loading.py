"""Opens the recognizer that a configuration names for a language."""

from __future__ import annotations

from pathlib import Path

from appliance.config import HearingConfig
from appliance.errors import ConfigError
from appliance.stt.catalogue import languages_of
from appliance.stt.recognizer import Recognizer
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import Language


def open_recognizer(config: HearingConfig, language: Language) -> Recognizer:
    """The recognizer of calls in this language; takes about a second.

    Raises:
        ConfigError: the model cannot be loaded, or is of another language; names the key.
    """
    folder = config.models.folder(language)
    try:
        _assert_hears(folder, language)
        return WhisperRecognizer(folder, config, language)
    except ConfigError as error:
        raise ConfigError(f"hearing.models.{language}: {error}") from error


def _assert_hears(folder: Path, language: Language) -> None:
    """A model that does not say what it hears is taken at the configuration's word."""
    spoken = languages_of(folder)
    if spoken and language not in spoken:
        raise ConfigError(f"{folder} hears {', '.join(spoken)}")
