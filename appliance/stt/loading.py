"""Opens the recognizer that a configuration names for a language."""

from __future__ import annotations

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
        recognizer = WhisperRecognizer(folder, config, language)
        spoken = languages_of(folder)
    except ConfigError as error:
        raise ConfigError(f"hearing.models.{language}: {error}") from error
    if spoken and language not in spoken:
        raise ConfigError(f"hearing.models.{language}: {folder} hears {', '.join(spoken)}")
    return recognizer
