"""From scores to confidences and a verdict, on examples that the classifier was not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from appliance.nlu.model import energy

Scores = npt.NDArray[np.float32]
Labels = Sequence[tuple[int, ...]]
"""For each example the numbers of its labels, the first before all; none for out of scope."""

OUTSIDE_SHARE = 0.1
"""So much of what is heard is taken to be out of scope when the threshold is chosen."""
_ACCEPTED = 0.99
"""Without examples out of scope, the threshold lets this share of the others pass."""
_TEMPERATURES = np.geomspace(0.3, 4.0, 53)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is chosen: see `appliance.nlu.model.Classifier`."""

    temperature: float
    threshold: float


def calibrate(scores: Scores, labels: Labels) -> Calibration:
    """Choose the temperature with the least surprise, and the threshold with the most right.

    Args:
        scores: float32 [examples, labels].
        labels: what each example is.
    """
    said = np.zeros(scores.shape, bool)
    for row, each in enumerate(labels):
        said[row, list(each)] = True
    temperature = min(_TEMPERATURES, key=lambda each: _surprise(scores / each, said))
    return Calibration(float(temperature), _threshold(scores, labels))


def _surprise(scores: Scores, said: npt.NDArray[np.bool_]) -> float:
    """The mean binary cross-entropy."""
    return float(np.logaddexp(0, np.where(said, -scores, scores)).mean())


def _threshold(scores: Scores, labels: Labels) -> float:
    found = energy(scores)
    inside = np.array([bool(each) for each in labels])
    if inside.all():
        return float(np.quantile(found, 1 - _ACCEPTED))
    first = np.array([each[0] if each else -1 for each in labels])
    right = (scores.argmax(1) == first) & inside
    shares = (1 - OUTSIDE_SHARE) / max(inside.sum(), 1), OUTSIDE_SHARE / (~inside).sum()
    weight = np.where(inside, *shares)
    order = np.argsort(found)
    # rejecting the k lowest: their outsiders are then right, their insiders no longer
    gain = np.where(~inside, weight, np.where(right, -weight, 0))[order]
    total = np.concatenate([[0.0], np.cumsum(gain)])
    best = int(total.argmax())
    if best == 0:
        return float(found[order[0]])
    upper = found[order[best]] if best < len(order) else found[order[-1]] + 1
    return float((found[order[best - 1]] + upper) / 2)


def expected_error(confidences: Scores, right: npt.NDArray[np.bool_], bins: int = 15) -> float:
    """Expected calibration error: how far confidences [examples] are from frequencies of right."""
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    place = np.digitize(confidences, edges)
    return float(
        sum(
            (place == each).mean()
            * abs(confidences[place == each].mean() - right[place == each].mean())
            for each in range(bins)
            if (place == each).any()
        )
    )
