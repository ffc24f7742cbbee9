"""The phone head: a layer beside a model that says which phone is heard when.

    encoder output [T, width] -> log-probabilities [T, phones], place 0 the CTC blank

Trained with the model (CTC, Graves et al. 2006), applied to `model.encode()`'s output. It names
sounds and nothing else; `stt.search` finds words in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.errors import ConfigError
from appliance.stt.language import Floats


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
        ConfigError: the file is no such thing.
    """
    try:
        with np.load(path) as stored:
            names = tuple(str(phone) for phone in stored["phones"])
            matrix, bias = stored["matrix"].astype(np.float32), stored["bias"].astype(np.float32)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{path}: not a phone head: {error}") from error
    return PhoneHead(matrix, bias, names)
