"""The phone head: a layer beside a model that says which phone is heard when.

    encoder output [T, width] -> log-probabilities [T, phones], place 0 the CTC blank

Trained with the model (CTC, Graves et al. 2006), applied to `model.encode()`'s output. It names
sounds and nothing else; `stt.search` finds words in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.stt.archive import arrays_of, numbers
from appliance.stt.language import Floats

_FEWEST = 2  # the blank and a phone


@dataclass(frozen=True, eq=False)
class PhoneHead:
    """The phone layer beside a model: matrix [phones, width], bias [phones], blank at 0."""

    matrix: Floats
    bias: Floats
    phones: tuple[str, ...]

    def log_probs(self, hidden: Floats) -> Floats:
        """Encoder output [T, width] to log-probabilities [T, phones]."""
        logits = hidden @ self.matrix.T + self.bias
        logits = logits - logits.max(axis=1, keepdims=True)
        return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), np.float32)


def load_head(path: Path) -> PhoneHead:
    """Read a `ctc.npz`.

    Raises:
        ConfigError: the file is no such thing; names it and the remedy.
    """
    with arrays_of(path, "a phone head") as stored:
        names = stored["phones"]
        if names.ndim != 1 or len(names) < _FEWEST:
            raise ValueError(f"{names.size} phones")
        matrix = stored["matrix"]
        width = matrix.shape[-1] if matrix.ndim else 0
        return PhoneHead(
            numbers(matrix, (len(names), width), "matrix"),
            numbers(stored["bias"], (len(names),), "bias"),
            tuple(str(phone) for phone in names),
        )
