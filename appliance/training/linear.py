"""Fits the classifier alone, on vectors of an encoder that stays as it is: no torch, seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_STEPS = 200
_RATE = 0.05
_SHRINK = 1e-4
"""Weight decay."""

Vectors = npt.NDArray[np.float32]


def fit_linear(
    vectors: Vectors, labels: Sequence[tuple[int, ...]], count: int
) -> tuple[Vectors, Vectors]:
    """The weights [count, 384] and biases [count] with the least loss (that of `fit`), by Adam.

    Args:
        vectors: float32 [examples, 384].
        labels: the numbers of what each example means; none for out of scope.
        count: how many labels there are.
    """
    center, spread = vectors.mean(0), vectors.std() + 1e-6
    inputs = np.hstack([(vectors - center) / spread, np.ones((len(vectors), 1), np.float32)])
    said = np.zeros((len(labels), count), np.float32)
    for row, each in enumerate(labels):
        said[row, list(each)] = 1
    shares = said / np.maximum(said.sum(1, keepdims=True), 1)
    weight = np.zeros((count, inputs.shape[1]), np.float32)
    mean, square = np.zeros_like(weight), np.zeros_like(weight)
    for step in range(1, _STEPS + 1):
        scores = inputs @ weight.T
        soft = np.exp(scores - scores.max(1, keepdims=True))
        soft /= soft.sum(1, keepdims=True)
        inside = shares.sum(1, keepdims=True)
        slope = (1 / (1 + np.exp(-scores)) - said) + (soft * inside - shares)
        gradient = slope.T @ inputs / len(inputs)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        rate = _RATE * 0.5 * (1 + np.cos(np.pi * step / _STEPS))
        weight -= (rate * (move + _SHRINK * weight)).astype(np.float32)
    slopes = weight[:, :-1] / spread
    return slopes.astype(np.float32), (weight[:, -1] - slopes @ center).astype(np.float32)
