"""Logistic models over the features of `stt.confidence`: fitted, and how well they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.stt.confidence import FEATURES, chance
from appliance.stt.fitted import Logistic

Found = dict[str, float]

_STEPS, _RIDGE = 60, 0.01
_FEWEST = 20  # rows of noise to fit to
_NOISE_WEIGHT = 3.0  # words out of nothing are worse than words lost


def fit_confidence(spoken: Sequence[Found], right: Sequence[bool]) -> Logistic:
    """The odds that all words are right; prints the calibration error of a half left out."""
    x, y = _table(spoken), np.array(right, float)
    half = fit_logistic(x[::2], y[::2], np.ones(len(x[::2])))
    print(f"  confidence: calibration error {calibration_error(half, x[1::2], y[1::2]):.4f}")
    return fit_logistic(x, y, np.ones(len(x)))


def fit_speech(spoken: Sequence[Found], noise: Sequence[Found], before: Logistic) -> Logistic:
    """What tells rows of words of speech from those of noise; as before if noise gave too few."""
    x = np.concatenate([_table(spoken), _table(noise)])
    is_speech = np.arange(len(x)) < len(spoken)
    fitted = before
    if len(noise) >= _FEWEST:
        fitted = fit_logistic(x, is_speech.astype(float), np.where(is_speech, 1.0, _NOISE_WEIGHT))
    lost = sum(chance(each, fitted) < 0.5 for each in spoken)
    made = sum(chance(each, fitted) >= 0.5 for each in noise)
    print(f"  speech taken for noise {lost} of {len(spoken)}, the reverse {made} of {len(noise)}")
    return fitted


def fit_logistic(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> Logistic:
    """Weighted logistic regression by Newton's method with a small ridge.

    Args:
        x: features [n, FEATURES].
        y: 0 or 1 [n].
        weights: of the examples [n].
    """
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    design = np.concatenate([(x - mean) / scale, np.ones((len(x), 1))], axis=1)
    found = np.zeros(design.shape[1])
    ridge = _RIDGE * len(x) ** 0.5 * np.eye(len(found))
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weights * (p - y)) + ridge @ found
        bend = (design * (weights * p * (1 - p))[:, None]).T @ design + ridge
        found -= np.linalg.solve(bend, slope)
    own = found[:-1] / scale
    bias = found[-1] - (own * mean).sum()
    named = {name: round(float(w), 4) for name, w in zip(FEATURES, own, strict=True)}
    return Logistic.model_validate({"bias": round(float(bias), 4), "weights": named})


def calibration_error(fitted: Logistic, x: np.ndarray, y: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error (Naeini et al. 2015) over bins of equal width."""
    sure = np.array([chance(dict(zip(FEATURES, row, strict=True)), fitted) for row in x])
    place = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(
        (place == each).mean() * abs(sure[place == each].mean() - y[place == each].mean())
        for each in range(bins)
        if (place == each).any()
    )


def _table(found: Sequence[Found]) -> np.ndarray:
    return np.array([[each[name] for name in FEATURES] for each in found]).reshape(
        -1, len(FEATURES)
    )
