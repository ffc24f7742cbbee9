"""The recipe's settings, read from `settings.toml` beside this file, and its paths.

Why a typed view of a file: a run that takes hours should fail on a misspelt key in its first
second.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLE_RATE_HZ = 16_000
HOP = 256
"""Samples between frames: 16 ms. Mel, pitch and the vocoder's inverse transform share it."""
FFT = 1024
MEL_BANDS = 80


@dataclass(frozen=True)
class VoiceSettings:
    """One voice. `mean_hz` and `throat` are given where the recordings are converted."""

    language: str
    corpus: str
    sentence: str
    pitch_hz: tuple[float, float]
    pitch_spread: float
    question_rise_st: float
    mean_hz: float | None = None
    throat: float = 1.0


@dataclass(frozen=True)
class CorpusSettings:
    held_out_sentences: int
    seed: int


@dataclass(frozen=True)
class AudioSettings:
    active_rms: float
    highpass_hz: float
    lead_ms: int
    trail_ms: int


@dataclass(frozen=True)
class AlignmentSettings:
    passes: int
    realignments: int


@dataclass(frozen=True)
class AcousticSettings:
    minutes: float
    learning_rate: float
    frames_per_batch: int
    dropout: float
    predictor_dropout: float


@dataclass(frozen=True)
class VocoderSettings:
    minutes: float
    learning_rate: float
    batch: int
    segment_frames: int


@dataclass(frozen=True)
class AdversarialSettings:
    minutes: float
    learning_rate: float
    channels: int
    predicted_share: float


@dataclass(frozen=True)
class Settings:
    voices: dict[str, VoiceSettings]
    corpus: CorpusSettings
    audio: AudioSettings
    alignment: AlignmentSettings
    acoustic: AcousticSettings
    vocoder: VocoderSettings
    adversarial: AdversarialSettings


def load_settings(path: Path | None = None) -> Settings:
    """Read the settings file.

    Raises:
        TypeError: a key is missing or unknown (the message names it).
    """
    path = path or Path(__file__).with_name("settings.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Settings(
        voices={name: _voice(row) for name, row in data.pop("voices").items()},
        corpus=CorpusSettings(**data.pop("corpus")),
        audio=AudioSettings(**data.pop("audio")),
        alignment=AlignmentSettings(**data.pop("alignment")),
        acoustic=AcousticSettings(**data.pop("acoustic")),
        vocoder=VocoderSettings(**data.pop("vocoder")),
        adversarial=AdversarialSettings(**data.pop("adversarial")),
        **data,
    )


def _voice(row: dict[str, Any]) -> VoiceSettings:
    low, high = row.pop("pitch_hz")
    return VoiceSettings(**row, pitch_hz=(low, high))
