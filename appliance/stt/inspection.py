"""Whether a model is fit for use: whole, loadable, and silent where nobody speaks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

import numpy as np

from appliance.audio.level import to_pcm
from appliance.checksums import SUMS
from appliance.errors import ConfigError, EngineError
from appliance.stt.catalogue import HEAD, LANGUAGE, Model, lacking, languages_of, read_model
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import LINE_RATE_HZ, Language, Transcript

_NOISE_DBFS = -40.0  # loud enough to pass the energy guard


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found: faults make a model unfit, notes are worth knowing."""

    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()


def inspect(folder: Path) -> Inspection:
    """Check a model's files and checksums, load it, and let it hear a second of noise."""
    try:
        model = read_model(folder)
    except ConfigError as error:
        return Inspection((str(error),))
    faults = [f"no {name}: the model cannot be used offline" for name in lacking(folder)]
    faults += [f"{name}: not the file it was" for name in model.sums.changed]
    faults += [f"{name}: missing" for name in model.sums.missing]
    notes = _notes(model)
    if not faults:
        try:
            heard = try_model(folder)
        except (ConfigError, EngineError) as error:
            return Inspection((str(error),), tuple(notes))
        if heard.text:
            notes.append(f"hears words in noise: “{heard.text}”")
    return Inspection(tuple(faults), tuple(notes))


def _notes(model: Model) -> list[str]:
    notes = []
    if not model.sums.known:
        notes.append(
            f"no {SUMS}: damage cannot be seen (appliance models check {model.folder} --write-sums)"
        )
    notes += [f"{name}: not in {SUMS}" for name in model.sums.unlisted]
    if (model.folder / HEAD).is_file() and not model.phone_head:
        notes.append(f"{HEAD} without {LANGUAGE}: heard through the decoder")
    if not set(model.languages) & set(get_args(Language)):
        notes.append("names no language that the appliance speaks")
    return notes


def try_model(folder: Path) -> Transcript:
    """Load a model and let it hear a second of faint noise.

    Raises:
        ConfigError: it cannot be loaded.
        EngineError: it cannot hear.
    """
    known = [each for each in languages_of(folder) if each in get_args(Language)]
    language = cast("Language", known[0] if known else "en")
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(LINE_RATE_HZ).astype(np.float32) * 10 ** (_NOISE_DBFS / 20)
    return WhisperRecognizer(folder, language=language).recognize(to_pcm(noise))
