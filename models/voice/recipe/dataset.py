"""The prepared data on disk and in memory.

`<work>/utterances.json` lists the utterances; `<work>/features.npz` holds their audio, mel and
pitch end to end; `<work>/durations.npz` (after the alignment) the frames of every token.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.voice.recipe.settings import HOP

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Utterance:
    """One recording, T frames of 256 samples, N tokens between "^" and "$"."""

    file: str
    text: str
    tokens: tuple[str, ...]
    held_out: bool
    samples: npt.NDArray[np.int16]
    mel: Floats
    log_f0: Floats
    voiced: Floats
    durations: npt.NDArray[np.int64] | None

    @property
    def frames(self) -> int:
        return len(self.mel)

    @property
    def audio(self) -> Floats:
        """Samples as floats in [-1, 1]."""
        return self.samples.astype(np.float32) / 32767


def save_utterances(work: Path, utterances: Sequence[Utterance]) -> None:
    """Write everything but the durations."""
    rows = [
        {"file": u.file, "text": u.text, "tokens": u.tokens, "held_out": u.held_out}
        | {"frames": u.frames}
        for u in utterances
    ]
    (work / "utterances.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    np.savez(
        work / "features.npz",
        samples=np.concatenate([u.samples for u in utterances]),
        mel=np.concatenate([u.mel for u in utterances]),
        log_f0=np.concatenate([u.log_f0 for u in utterances]),
        voiced=np.concatenate([u.voiced for u in utterances]),
    )


def save_durations(work: Path, durations: Sequence[npt.NDArray[np.int64]]) -> None:
    """Write the frames of every token, in the order of the utterances."""
    np.savez(work / "durations.npz", durations=np.concatenate(durations))


def load_utterances(work: Path) -> list[Utterance]:
    """Read what `save_utterances` wrote, with durations if the alignment has run."""
    rows: list[dict[str, Any]] = json.loads((work / "utterances.json").read_text("utf-8"))
    features = dict(np.load(work / "features.npz"))
    path = work / "durations.npz"
    durations = np.load(path)["durations"] if path.exists() else None
    utterances, frame, token = [], 0, 0
    for row in rows:
        at = slice(frame, frame + row["frames"])
        of = slice(token, token + len(row["tokens"]))
        utterances.append(
            Utterance(
                file=row["file"],
                text=row["text"],
                tokens=tuple(row["tokens"]),
                held_out=row["held_out"],
                samples=features["samples"][at.start * HOP : at.stop * HOP],
                mel=features["mel"][at],
                log_f0=features["log_f0"][at],
                voiced=features["voiced"][at],
                durations=None if durations is None else durations[of],
            )
        )
        frame, token = at.stop, of.stop
    return utterances
