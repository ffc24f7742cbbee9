"""Opens the voices that a configuration names, for the language of the calls."""

from __future__ import annotations

from appliance.config import SpeakingConfig
from appliance.tts.casting import cast_voice
from appliance.tts.piper import PiperSpeaker
from appliance.types import Language


def open_voice(config: SpeakingConfig, language: Language, name: str | None = None) -> PiperSpeaker:
    """Load the voice that a flow names; without a name, the default.

    Raises:
        ConfigError: its files are missing, are no Piper voice, or speak another language.
    """
    return PiperSpeaker(config, cast_voice(config, language, name))
