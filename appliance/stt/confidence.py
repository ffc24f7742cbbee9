"""How sure the words are: from the rows of a search to the odds that every word is right.

    best row, second row, frames -> features -> logistic model (fitted, `hearing.json`) -> 0..1

Features are chosen so that each says something else: how far the next best row is (margin), how
well the sound fits the words against the best phones without words (fit), how usual the words are
(usual), how long they are (length), and how clear the sound is at all (clear).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from appliance.stt.fitted import ConfidenceKnobs
from appliance.stt.language import Floats
from appliance.stt.search import Row

FEATURES = ("margin", "fit", "usual", "length", "clear")
_MOST_MARGIN = 12.0
_LEAST_FIT, _LEAST_USUAL = -4.0, -12.0


def features(rows: Sequence[Row], frames: Floats) -> dict[str, float]:
    """The features of a search's rows, best first.

    Args:
        rows: at least one, with words.
        frames: what was searched [T, phones].
    """
    best = rows[0]
    margin = best.score - rows[1].score if len(rows) > 1 else _MOST_MARGIN
    free = float(frames.max(axis=1).sum())
    chances = np.exp(frames.max(axis=1))
    return {
        "margin": min(_MOST_MARGIN, max(0.0, margin)),
        "fit": max(_LEAST_FIT, min(0.0, best.sound - free) / max(1, best.phones)),
        "usual": max(_LEAST_USUAL, (best.score - best.sound) / max(1, len(best.words))),
        "length": math.log(max(1, len(best.words))),
        "clear": float(chances.mean()) if len(chances) else 1.0,
    }


def confidence(found: dict[str, float], knobs: ConfidenceKnobs) -> float:
    """The fitted probability that every word is right, 0..1."""
    odds = knobs.bias + sum(weight * found[name] for name, weight in knobs.weights.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
