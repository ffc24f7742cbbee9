"""Shards: finished speech on disk as one ``.npz`` (audio) and one ``.json`` (rows) each.

Audio is int16 mono at 8 kHz, all utterances joined, with offsets. A shard appears under its name
only when complete, so the trainer may read the folder while synthesis still writes to it.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import numpy as np

RATE_HZ = 8000


@dataclasses.dataclass(frozen=True)
class Row:
    """What is known about one utterance.

    Attributes:
        text: normalized words.
        kind: the grammar kind, or the corpus name for real speech.
        speaker: voice or speaker label.
        held_out: whether it may only be used for judging.
    """

    text: str
    kind: str
    speaker: str
    held_out: bool = False


def write_shard(path: Path, audio: list[np.ndarray], rows: list[Row]) -> None:
    """Writes one shard (``path`` without suffix). ``audio`` holds int16 arrays at 8 kHz."""
    if len(audio) != len(rows) or not rows:
        raise ValueError(f"a shard needs as many rows as utterances, got {len(rows)}/{len(audio)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    offsets = np.cumsum([0] + [len(samples) for samples in audio])
    rough = path.with_name(f".{path.name}.{os.getpid()}.npz")
    np.savez(rough, audio=np.concatenate(audio).astype(np.int16), offsets=offsets)
    rough.rename(path.with_suffix(".npz"))
    rows_rough = path.with_name(f".{path.name}.{os.getpid()}.json")
    rows_rough.write_text(json.dumps([dataclasses.astuple(row) for row in rows]))
    rows_rough.rename(path.with_suffix(".json"))  # The row list is what makes a shard visible.


def list_shards(folder: Path, pattern: str = "*") -> list[Path]:
    """Complete shards of a folder, as paths without suffix, in a stable order."""
    return sorted(p.with_suffix("") for p in folder.glob(f"{pattern}.json") if p.name[0] != ".")


def read_shard(path: Path) -> tuple[list[np.ndarray], list[Row]]:
    """Reads a shard: int16 arrays at 8 kHz (views of one array) and their rows."""
    rows = [Row(*row) for row in json.loads(path.with_suffix(".json").read_text())]
    with np.load(path.with_suffix(".npz")) as stored:
        audio, offsets = stored["audio"], stored["offsets"]
    return [audio[offsets[i] : offsets[i + 1]] for i in range(len(rows))], rows
