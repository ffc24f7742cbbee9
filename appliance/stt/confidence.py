"""How sure the words are, and whether anybody spoke: two logistic models over the same features.

    best row, second row, frames -> features -> odds that every word is right -> confidence 0..1
                                           └--> odds that it was speech at all -> words or none

Features are chosen so that each says something else:
    margin   how far behind the next best row is
    fit      how well the sound fits the words against the best phones without words, a phone
    usual    how usual the words are, a word
    length   how many words, as a logarithm
    clear    how clear the sound is, words or not
    pace     phones in the words against phones in the sound, as a logarithm
    sounds   how many phones there are in the sound, as a logarithm

The weights are fitted to a model by `models/stt/recipe/calibrate.py` and stand in `hearing.json`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from appliance.stt.fitted import Logistic
from appliance.stt.language import Floats
from appliance.stt.search import Row

FEATURES = ("margin", "fit", "usual", "length", "clear", "pace", "sounds")
_MOST_MARGIN = 12.0
_LEAST_FIT, _LEAST_USUAL = -6.0, -12.0
_MOST_ODDS = 30.0


def features(rows: Sequence[Row], frames: Floats) -> dict[str, float]:
    """The features of a search's rows, best first.

    Args:
        rows: at least one.
        frames: what was searched [T, phones], at least one frame.
    """
    best = rows[0]
    strongest = frames.max(axis=1)
    heard = float(np.exp(frames[:, 1:]).sum())
    margin = best.score - rows[1].score if len(rows) > 1 else _MOST_MARGIN
    fit = (best.sound - float(strongest.sum())) / max(1, best.phones)
    return {
        "margin": min(_MOST_MARGIN, max(0.0, margin)),
        "fit": max(_LEAST_FIT, min(0.0, fit)),
        "usual": max(_LEAST_USUAL, (best.score - best.sound) / max(1, len(best.words))),
        "length": math.log(max(1, len(best.words))),
        "clear": float(np.exp(strongest).mean()),
        "pace": math.log((best.phones + 1) / (heard + 1)),
        "sounds": math.log(heard + 1),
    }


def chance(found: dict[str, float], fitted: Logistic) -> float:
    """The probability that a fitted model gives to features, 0..1."""
    odds = fitted.bias + sum(weight * found[name] for name, weight in fitted.weights.items())
    return 1 / (1 + math.exp(-max(-_MOST_ODDS, min(_MOST_ODDS, odds))))
