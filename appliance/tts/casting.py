"""Who speaks: which file, which of its speakers, how high and how fast, for one language of calls.

    [speaking.voices.bob] ─ a file for the language? ─ yes ─> that one, its speaker
                                                     └ no ──> that of [speaking.models]

It looks at the configuration only. Whether the file is there is found when it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from appliance.config import SpeakingConfig, VoiceConfig
from appliance.types import Language


@dataclass(frozen=True, slots=True)
class Cast:
    """One voice as it is to sound.

    Attributes:
        key: what names the file in the configuration; errors begin with it.
        file: a Piper voice; its settings are beside it.
        language: of what it says.
        speaker: name or number of one of its speakers; None: its first one.
        pitch: below 1 lower, above 1 higher.
        speed: below 1 slower, above 1 faster.
    """

    key: str
    file: Path
    language: Language
    speaker: str | None = None
    pitch: float = 1.0
    speed: float = 1.0


def cast_voice(config: SpeakingConfig, language: Language, name: str | None = None) -> Cast:
    """Who speaks where a flow names this voice; unknown names and None are spoken by the default.

    Args:
        config: the box's speaking.
        language: of the calls.
        name: as flows name voices.
    """
    known = name if name in config.voices else config.default
    voice = config.voices[known] if known is not None else VoiceConfig()
    own = voice.file(language)
    # A speaker belongs to files of the voice's own: the general ones have others, or just one.
    has_files = voice.en is not None or voice.es is not None
    return Cast(
        key=f"speaking.models.{language}" if own is None else f"speaking.voices.{known}.{language}",
        file=config.models.file(language) if own is None else own,
        language=language,
        speaker=None if own is None and has_files else voice.speaker,
        pitch=voice.pitch,
        speed=voice.speed,
    )
