"""Hidden Markov models of phones: features, Gaussian mixtures, batched Viterbi. numpy only.

Used by align.py to find when each phone is said. One HMM state has one probability density; phones
have three states from left to right; the states of a silence between words may be skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.voice.recipe.features import mel_filterbank

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

HOP_8MS = 128
"""Samples between alignment frames: half the hop of the voice's own features."""
_WINDOW = np.hanning(400).astype(np.float32)
_BANK = mel_filterbank(512, 40, 60, 7800)
_COSINES = np.cos(np.pi * np.outer(np.arange(13), np.arange(40) + 0.5) / 40) * np.sqrt(2 / 40)
_COSINES[0] /= np.sqrt(2)
"""First 13 rows of the orthonormal discrete cosine transform (type II) of 40 bands."""
_NEVER = -1e30
_SKIP_COST = 1.0


def delta(x: Floats) -> Floats:
    """Slope over five frames along axis 0 (the regression formula of HTK)."""
    padded = np.pad(x, ((2, 2), (0, 0)), mode="edge")
    return (padded[3:-1] - padded[1:-3] + 2 * (padded[4:] - padded[:-4])) / 10


def cepstra(audio: Floats) -> tuple[Floats, Floats]:
    """Cepstra with slopes [T, 39] for the mixtures, log-mel [T, 40] for the net; 8 ms frames."""
    count = len(audio) // HOP_8MS
    padded = np.pad(audio, ((400 - HOP_8MS) // 2, 400))
    frames = np.lib.stride_tricks.sliding_window_view(padded, 400)[::HOP_8MS][:count] * _WINDOW
    power = np.abs(np.fft.rfft(frames, 512, axis=1)) ** 2
    log_mel = np.log(np.maximum(power @ _BANK.T, 1e-7))
    static = log_mel @ _COSINES.T
    static = static - static.mean(0)
    slope = delta(static)
    stacked = np.concatenate([static, slope, delta(slope)], 1)
    return stacked.astype(np.float32), (log_mel - log_mel.mean()).astype(np.float32)


@dataclass(frozen=True)
class StatePath:
    """The left-to-right states of one utterance, S of them.

    Attributes:
        density: index of each state's density.
        token: index of the token that each state belongs to.
        skippable: 1 at the first state of a silence that may be skipped, 2 inside it, else 0.
    """

    density: Ints
    token: Ints
    skippable: Ints


def state_path(phones: Sequence[int | None]) -> StatePath:
    """States for tokens given as phone numbers; None is a place where silence may be.

    Phone 0 is silence. The first and the last token must be None: there silence is certain. Of
    neighbouring None, only the first gets states.
    """
    rows: list[tuple[int, int, int]] = []
    after_silence = False
    for index, phone in enumerate(phones):
        if phone is not None:
            rows += [(3 * phone + k, index, 0) for k in range(3)]
        elif index in (0, len(phones) - 1):
            rows += [(k, index, 0) for k in range(3)]
        elif not after_silence:
            rows += [(k, index, 1 if k == 0 else 2) for k in range(3)]
        after_silence = phone is None
    density, token, skippable = np.array(rows, np.int64).T
    return StatePath(density, token, skippable)


def viterbi(scores: Sequence[Floats], paths: Sequence[StatePath]) -> list[Ints]:
    """Best state for every frame of every utterance: one array [T] of indices into its path.

    `scores[u]` is [T, densities], log likelihoods. All utterances advance together, which is what
    makes this quick enough in numpy.
    """
    lengths = np.array([len(s) for s in scores])
    states = np.array([len(p.density) for p in paths])
    count, frames, width = len(scores), lengths.max(), states.max()
    emission = np.full((frames, count, width), _NEVER, np.float32)
    skip = np.full((count, width), _NEVER)
    for u, (score, path) in enumerate(zip(scores, paths, strict=True)):
        emission[: len(score), u, : states[u]] = score[:, path.density]
        before = np.flatnonzero(path.skippable == 1)
        skip[u, before + 3] = -_SKIP_COST
    best = np.full((count, width), _NEVER)
    best[:, 0] = emission[0, :, 0]
    came = np.zeros((frames, count, width), np.int8)
    for t in range(1, frames):
        choices = np.full((3, count, width), _NEVER)
        choices[0] = best
        choices[1, :, 1:] = best[:, :-1]
        choices[2, :, 4:] = best[:, :-4] + skip[:, 4:]
        step = choices.argmax(0)
        came[t] = np.where(step == 2, 4, step)
        best = np.take_along_axis(choices, step[None], 0)[0] + emission[t]
    return [_trace(came[: lengths[u], u], states[u] - 1) for u in range(count)]


def _trace(came: npt.NDArray[np.int8], last: int) -> Ints:
    """Follow the steps [T, S] back from state `last`."""
    path = np.empty(len(came), np.int64)
    path[-1] = last
    for t in range(len(came) - 1, 0, -1):
        last -= came[t, last]
        path[t - 1] = last
    return path


class Mixtures:
    """Diagonal Gaussian mixtures, one for each density.

    Attributes:
        mean, variance: [densities, components, 39]; weight: [densities, components].
    """

    def __init__(self, x: Floats, labels: Ints, densities: int, components: int) -> None:
        """Fit to frames `x` [T, 39] labelled with their density, by a few steps of EM."""
        overall_mean, overall = x.mean(0), x.var(0) + 1e-3
        size = (densities, components)
        self.mean = np.tile(overall_mean, (*size, 1)).astype(np.float32)
        self.variance = np.tile(overall, (*size, 1)).astype(np.float32)
        self.weight = np.full(size, 1e-6, np.float32)
        rng = np.random.default_rng(0)
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(densities + 1))
        for state in range(densities):
            own = x[order[ends[state] : ends[state + 1]]]
            if len(own) < 5:
                self.weight[state] = 1 / components
                continue
            k = max(1, min(components, len(own) // 60))
            mean, variance, weight = _fit_one(own, k, overall, rng)
            self.mean[state, :k], self.variance[state, :k] = mean, variance
            self.weight[state, :k] = weight

    def log_likelihood(self, x: Floats) -> Floats:
        """[T, 39] → [T, densities], up to a constant."""
        densities, components, size = self.mean.shape
        precision = 1 / self.variance
        constant = -0.5 * ((self.mean**2 * precision).sum(2) + np.log(self.variance).sum(2))
        constant += np.log(self.weight)
        square = precision.reshape(-1, size).T
        linear = (self.mean * precision).reshape(-1, size).T
        parts = (-0.5 * (x * x) @ square + x @ linear).reshape(len(x), densities, components)
        parts += constant
        top = parts.max(2, keepdims=True)
        total = top + np.log(np.exp(parts - top).sum(2, keepdims=True))
        return np.asarray(total[..., 0], np.float32)


def _fit_one(
    x: Floats, k: int, overall: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and weight of `k` components fitted to frames `x`."""
    mean = x.mean(0) + (rng.standard_normal((k, x.shape[1])) * 0.3 * x.std(0) if k > 1 else 0)
    mean = np.reshape(mean, (k, x.shape[1]))
    variance = np.tile(x.var(0) + 0.02 * overall, (k, 1))
    weight = np.full(k, 1 / k)
    for _ in range(5 if k > 1 else 1):
        distance = (((x[:, None] - mean) ** 2) / variance).sum(2) + np.log(variance).sum(1)
        share = -0.5 * distance + np.log(weight)
        share = np.exp(share - share.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        count = share.sum(0) + 1e-3
        mean = (share.T @ x) / count[:, None]
        variance = (share.T @ (x * x)) / count[:, None] - mean**2
        variance = np.maximum(variance, 0.05 * overall)
        weight = count / count.sum()
    return mean, variance, weight


def frames_between(starts: Ints, frames: int) -> Ints:
    """Starts [N + 1] in frames of 8 ms → durations [N] in frames of 16 ms that sum to `frames`.

    The starts are rounded, not the durations, so no error adds up along the sentence.
    """
    bounds = np.minimum(np.round(starts / 2).astype(np.int64), frames)
    bounds[0], bounds[-1] = 0, frames
    return np.diff(bounds)
