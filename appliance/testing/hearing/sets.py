"""Sets of recorded speech to be heard: a table beside a folder of WAV files.

    open.tsv     file <TAB> text <TAB> speaker <TAB> slot <TAB> digits, with a header
    open/*.wav   mono, any rate

models/stt/recipe/testset.py writes them. `slot` and `digits` are what a dialogue would tell the
recognizer; they and `speaker` may be empty or missing.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from appliance.audio.level import Samples
from appliance.audio.resample import resample
from appliance.errors import ConfigError
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.types import LINE_RATE_HZ


@dataclass(frozen=True, slots=True)
class Spoken:
    """One utterance as it was said, before any telephone.

    Attributes:
        name: its file.
        said: its words.
        wave: float32 mono at LINE_RATE_HZ.
        speaker: voice or label.
        hint: what a dialogue would know.
    """

    name: str
    said: str
    wave: Samples
    speaker: str = ""
    hint: Hint = NO_HINT


def set_names(folder: Path) -> list[str]:
    """The sets of a folder, in the order of their names."""
    return sorted(path.stem for path in folder.glob("*.tsv"))


def read_set(folder: Path, name: str, most: int | None = None) -> list[Spoken]:
    """The first `most` utterances of a set, or all.

    Raises:
        ConfigError: the table or a file of it cannot be read; names the file and the line.
    """
    table = folder / f"{name}.tsv"
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{table}: {error}") from error
    spoken = []
    for number, row in enumerate(rows[:most], 2):
        try:
            spoken.append(_read(folder, row))
        except (KeyError, TypeError, ValueError, soundfile.LibsndfileError) as error:
            raise ConfigError(f"{table}, line {number}: {error}") from error
    return spoken


def _read(folder: Path, row: dict[str, str]) -> Spoken:
    wave, rate_hz = soundfile.read(folder / row["file"], dtype="float32", always_2d=True)
    slot, digits = row.get("slot") or None, row.get("digits")
    return Spoken(
        name=row["file"],
        said=row["text"],
        wave=resample(np.ascontiguousarray(wave.mean(axis=1)), rate_hz, LINE_RATE_HZ),
        speaker=row.get("speaker") or "",
        hint=Hint(slot, digits=int(digits) if digits else None),
    )
