"""Opens the recognizer that a configuration names for a language."""

from __future__ import annotations

from appliance.config import HearingConfig
from appliance.errors import ConfigError
from appliance.stt.catalogue import assert_hears
from appliance.stt.recognizer import Recognizer
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import Language


def open_recognizer(config: HearingConfig, language: Language) -> Recognizer:
    """The recognizer of calls in this language; takes about a second.

    Raises:
        ConfigError: the model cannot be loaded, or is of another language; names the key.
    """
    folder, key = config.models.folder(language), f"hearing.models.{language}"
    assert_hears(folder, language, key)
    try:
        return WhisperRecognizer(folder, config, language)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from error
