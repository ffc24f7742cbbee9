"""Whether a voice is fit for use: whole, loadable, and speaking at a sensible pace.

It cannot hear whether a voice is pleasant: `appliance voices try` writes a sound file for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from appliance.checksums import SUMS
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.tts.casting import Cast
from appliance.tts.catalogue import KnownVoice, read_voice
from appliance.tts.piper import PiperSpeaker
from appliance.tts.settings import read_settings
from appliance.types import BYTES_A_SECOND, Language

SAMPLES: dict[Language, str] = {
    "en": (
        "That quick beige fox jumped in the air over each thin dog. Look out, I shout, for he's "
        "foiled you again, creating chaos. Was there much pleasure in watching a yacht?"
    ),
    "es": (
        "El veloz murciélago hindú comía feliz cardillo y kiwi. La cigüeña tocaba el saxofón "
        "detrás del palenque de paja. ¿Y quién llamó anoche a mi gran amigo?"
    ),
}
"""Sentences that hold nearly every sound of the language, one of them a question."""
_FASTEST, _SLOWEST = 30, 5  # letters a second; people read about 15


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found: faults make a voice unfit, notes are worth knowing."""

    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()


def inspect(file: Path, speaking: SpeakingConfig) -> Inspection:
    """Check a voice's files and checksums, load it, and let every speaker say some sentences."""
    try:
        voice = read_voice(file)
    except ConfigError as error:
        return Inspection((str(error),))
    faults = [f"{name}: not the file it was" for name in voice.sums.changed]
    notes = _notes(voice)
    if not faults:
        try:
            notes += try_voice(file, speaking)
        except (ConfigError, EngineError) as error:
            return Inspection((str(error),), tuple(notes))
    return Inspection(tuple(faults), tuple(notes))


def language_of(file: Path) -> Language:
    """The language of the appliance that a voice speaks; English if it is none of them.

    Raises:
        ConfigError: it is no voice.
    """
    spoken = read_settings(file).spoken
    return cast("Language", spoken) if spoken in get_args(Language) else "en"


def try_voice(file: Path, speaking: SpeakingConfig) -> list[str]:
    """Load a voice and let it speak, with its first and its last speaker; returns what to note.

    Raises:
        ConfigError: it cannot be loaded, or is silent.
        EngineError: it cannot speak, or not at a human pace.
    """
    settings = read_settings(file)
    if settings.spoken not in get_args(Language):
        raise ConfigError(
            f"{file}: speaks {settings.locale}; calls are held in {', '.join(get_args(Language))}"
        )
    language = language_of(file)
    last = settings.num_speakers - 1
    text = SAMPLES[language]
    for speaker in dict.fromkeys((None, str(last) if last else None)):
        voice = PiperSpeaker(speaking, Cast(file.stem, file, language, speaker))
        pace = len(text) / (len(voice.synthesize(text)) / BYTES_A_SECOND)
        if not _SLOWEST <= pace <= _FASTEST:
            raise EngineError(
                f"{file}: speaks {pace:.0f} letters a second, people about 15: the two files do "
                "not belong together, or it is no voice"
            )
    lacking = voice.lacking(text)
    return [f"has no sound for {' '.join(lacking)}, and leaves it out"] if lacking else []


def _notes(voice: KnownVoice) -> list[str]:
    notes = []
    if not voice.sums.known:
        notes.append(
            f"no {SUMS}: damage cannot be seen (appliance voices check {voice.file} --write-sums)"
        )
    notes += [f"{name}: not in {SUMS}" for name in voice.sums.unlisted]
    if voice.settings.inference.noise_scale or voice.settings.inference.noise_w:
        notes.append("never says a sentence twice in the same way (noise_scale)")
    return notes
