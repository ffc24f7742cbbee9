"""An operator's recordings as utterances: a folder of sound files and a table of what was said.

    table (file<TAB>text …) + sound files -> mono 8 kHz -> channel -> Utterance

The table's first line may name its columns: `file` and `text`, and optionally `slot` (what the
dialogue would have asked for), `digits` (how many it would have asked for) and `group` (for a row
of figures of its own); others are ignored. Without such a line the first column is the file and the
second the text.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import soundfile

from appliance.audio.channel import clean, telephone
from appliance.audio.level import Samples, to_pcm
from appliance.audio.resample import resample
from appliance.dialogue.schema import Slot
from appliance.errors import ConfigError
from appliance.stt.evaluation import Utterance
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.types import LINE_RATE_HZ

Channel = Literal["telephone", "clean", "recorded"]
"""telephone: a simulated line; clean: the level is set; recorded: as it is, say from real calls."""

_COLUMNS = ("file", "text", "slot", "digits", "group")
_SLOTS = get_args(Slot)
_MOST_DIGITS = 16
ALL = "all"
"""No table may have a group of this name: it is that of the totals."""
_LONGEST_S = 29.0  # a recognizer hears 30 s, and the channel adds some silence
_SHORTEST_S = 0.05


@dataclass(frozen=True, slots=True)
class Recording:
    """A line of the table: a file, what is said in it, and what a dialogue would have known."""

    file: Path
    text: str
    hint: Hint = NO_HINT
    group: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A recording that could not be used."""

    file: Path
    why: str


def find_table(folder: Path) -> Path:
    """The table of a folder: its only `.tsv`.

    Raises:
        ConfigError: there is none, or more than one.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
    tables = sorted(folder.glob("*.tsv"))
    if len(tables) != 1:
        names = ", ".join(path.name for path in tables) or "none"
        raise ConfigError(
            f"{folder}: a table of file<TAB>text is needed, and there is {names}: name it (--table)"
        )
    return tables[0]


def read_table(path: Path, folder: Path) -> list[Recording]:
    """The recordings that a table names; paths in it begin at the folder.

    Raises:
        ConfigError: it cannot be read, a line has no text, or there are none.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # as Windows writes it
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    columns, first = ["file", "text"], 1
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if {"file", "text"} <= set(names):
        columns, first = names, 2
        rows.pop(0)
    found = [
        _recording(dict(zip(columns, row, strict=False)), folder, f"{path}:{number}")
        for number, row in enumerate(rows, first)
        if any(row)
    ]
    if not found:
        raise ConfigError(f"{path}: names no recording")
    return found


def _recording(row: dict[str, str], folder: Path, where: str) -> Recording:
    file, text, slot, digits, group = (row.get(name, "").strip() for name in _COLUMNS)
    if not file or "text" not in row:
        raise ConfigError(f"{where}: not a line of file<TAB>text")
    if digits and not (digits.isdecimal() and 1 <= int(digits) <= _MOST_DIGITS):
        raise ConfigError(f"{where}: digits: {digits!r} is not how many (1 to {_MOST_DIGITS})")
    if slot and slot not in _SLOTS:
        raise ConfigError(f"{where}: slot: {slot!r}: there are {', '.join(_SLOTS)}")
    if group == ALL:
        raise ConfigError(f"{where}: group: {ALL!r} is the name of the totals; take another")
    hint = Hint(slot=slot or None, digits=int(digits) if digits else None)
    return Recording(folder / file, text, hint, group)


def read_recordings(
    recordings: Iterable[Recording], channel: Channel, skipped: list[Skipped]
) -> Iterator[Utterance]:
    """Utterances as they would reach the recognizer, one file at a time.

    Args:
        recordings: what is read.
        channel: what they pass through. The noise of a telephone depends on the file's name only.
        skipped: gets the recordings that cannot be used.
    """
    for recording in recordings:
        try:
            samples = _read(recording.file)
        except ValueError as error:
            skipped.append(Skipped(recording.file, str(error)))
            continue
        yield Utterance(
            name=recording.file.name,
            said=recording.text,
            pcm=to_pcm(_passed(samples, channel, recording.file.name)),
            hint=recording.hint,
            group=recording.group,
        )


def _passed(samples: Samples, channel: Channel, name: str) -> Samples:
    if channel == "recorded":
        return samples
    if channel == "clean":
        return clean(samples)
    return telephone(samples, np.random.default_rng(zlib.crc32(name.encode())))


def _read(path: Path) -> Samples:
    """Mono at LINE_RATE_HZ. Raises ValueError, which says why the file is of no use."""
    try:
        found, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    except (OSError, soundfile.SoundFileError) as error:
        missing = not path.is_file()
        raise ValueError("no such file" if missing else f"cannot be read: {error}") from error
    seconds = len(found) / rate_hz
    if seconds > _LONGEST_S:
        raise ValueError(f"{seconds:.1f} s long; at most {_LONGEST_S:.0f} s are heard at once")
    if seconds < _SHORTEST_S:
        raise ValueError("empty")
    if found.shape[1] > 1 and not _is_doubled(found):  # the box on one, the caller on another
        raise ValueError(f"{found.shape[1]} channels: give the caller's alone")
    if not np.isfinite(found).all():
        raise ValueError("holds samples that are no numbers")
    return resample(found[:, 0], rate_hz, LINE_RATE_HZ)


def _is_doubled(found: Samples) -> bool:
    """Whether all channels are the same, as studios write a single voice."""
    return bool((found == found[:, :1]).all())
