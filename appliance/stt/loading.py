"""Opens the recognizer that a configuration names for a language."""

from __future__ import annotations

from appliance.config import HearingConfig
from appliance.errors import ConfigError
from appliance.stt.recognizer import Recognizer
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import Language


def open_recognizer(config: HearingConfig, language: Language) -> Recognizer:
    """The recognizer of calls in this language; takes about a second.

    Raises:
        ConfigError: the model cannot be loaded; names the key.
    """
    folder = config.models.folder(language)
    try:
        return WhisperRecognizer(folder, config, language)
    except ConfigError as error:
        raise ConfigError(f"hearing.models.{language}: {error}") from error
