"""By what way does our voice come back? Its delay by correlation, its filter by adaptation.

    caller's frame ×  ours of the last half second -> PathSearch -> delay, likeness
    delay -> EchoFilter: what of the frame is ours -> taken away

The filter is a frequency-domain Kalman filter in partitions (Enzner and Vary, "Frequency-domain
adaptive Kalman filter for acoustic echo control", Signal Processing 86, 2006; Kuech, Mabande and
Enzner, "State-space architecture of the partitioned-block-based acoustic echo controller", ICASSP
2014): it knows how sure it is of each bin, so that it learns fast at first and holds still
while the caller talks too. Pure: no clock, no call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from appliance.audio.far_end import BINS, LAGS, FarEnd, Spectrum, power, spectrum_of
from appliance.types import FRAME_SAMPLES

_FORGET = 0.96  # of the correlation, per frame that is heard
_REACH = FRAME_SAMPLES // 2 + 20  # lags about a frame that its windowed correlation shows
PARTITIONS = 4
"""Frames that an echo may be spread over: 80 ms."""
_STEADY = 0.9995  # how much the path is expected to stay as it is from frame to frame
_NEAR_FORGET = 0.8
_NOTHING = np.zeros(FRAME_SAMPLES, np.float32)


@dataclass(frozen=True, slots=True)
class Echo:
    """The best likeness found. `lag` in frames of 20 ms, `likeness` in 0..1, `gain` linear."""

    lag: int
    likeness: float
    gain: float


class PathSearch:
    """Correlates what is heard with what was said before, over all delays.

    Attributes:
        frames: how many frames the correlation is of, older ones counted less.
        pushed: how many there were in all.
    """

    def __init__(self) -> None:
        self._cross = np.zeros((LAGS, BINS), np.complex64)
        self._far = np.zeros((LAGS, BINS), np.float32)
        self._near = np.zeros(BINS, np.float32)
        self.frames = 0.0
        self.pushed = 0

    def push(self, heard: Spectrum, far: FarEnd) -> None:
        """Take a frame that is thought to be echo; `heard` under a Hann window, [BINS]."""
        ours = far.windowed[:LAGS]
        self._cross *= _FORGET
        self._cross += heard * ours.conj()
        self._far *= _FORGET
        self._far += power(ours)
        self._near *= _FORGET
        self._near += power(heard)
        self.frames = _FORGET * self.frames + 1
        self.pushed += 1

    def find(self, far: FarEnd) -> Echo:
        """The likeliest echo of what was pushed."""
        return likeliest(self._cross, self._near, self._far, far.whitening)


def compare(heard: Spectrum, far: FarEnd) -> Echo:
    """The likeliest echo in the last few frames alone; `heard` newest first, [RECENT, BINS]."""
    ours = np.lib.stride_tricks.sliding_window_view(far.windowed, LAGS, axis=0)[: len(heard)]
    cross = np.einsum("jf,jfk->kf", heard, ours.conj())
    energy = np.einsum("jfk->kf", power(ours))
    return likeliest(cross, power(heard).sum(axis=0), energy, far.whitening)


def likeliest(
    cross: Spectrum,
    near: NDArray[np.float32],
    far: NDArray[np.float32],
    whitening: NDArray[np.float32],
) -> Echo:
    """The peak of the whitened correlation, over lags; `cross` and `far` [LAGS, BINS]."""
    curves = np.fft.irfft(cross * whitening)
    curves[:, _REACH:-_REACH] = 0.0
    ours = far @ whitening
    theirs = float(near @ whitening)
    peaks = np.abs(curves).max(axis=1) * (BINS - 1)
    likeness = peaks / np.sqrt(np.maximum(ours * theirs, 1e-12))
    lag = int(likeness.argmax())
    gain = float(peaks[lag] / max(float(ours[lag]), 1e-12))
    return Echo(lag, min(1.0, float(likeness[lag])), gain)


class EchoFilter:
    """The part of what is heard that is our voice, on a path of 80 ms from `first` frames on."""

    def __init__(self, first: int, gain: float) -> None:
        """`gain`: of the path as it was found, linear."""
        self.first = first
        self._path = np.zeros((PARTITIONS, BINS), np.complex64)
        self._unsure = np.full((PARTITIONS, BINS), gain * gain, np.float32)
        self._near = np.full(BINS, 1e-6, np.float32)

    def covers(self, lag: int) -> bool:
        """Whether the filter reaches an echo that is so many frames late, and what follows it."""
        return self.first <= lag < self.first + PARTITIONS - 1

    def clean(self, heard: NDArray[np.float32], far: FarEnd) -> NDArray[np.float32]:
        """What is heard without our voice, and learn from it; [FRAME_SAMPLES] in and out."""
        ours = far.plain[self.first : self.first + PARTITIONS]
        echo = np.fft.irfft(np.einsum("kf,kf->f", self._path, ours))[FRAME_SAMPLES:]
        rest = heard - echo.astype(np.float32)
        self._learn(rest, ours)
        return rest

    def _learn(self, rest: NDArray[np.float32], ours: Spectrum) -> None:
        error = spectrum_of(_NOTHING, rest)
        energy = power(error)
        self._near += (1 - _NEAR_FORGET) * (energy - self._near)
        ours_energy = power(ours)
        expected = np.einsum("kf,kf->f", self._unsure, ours_energy)
        weight = self._unsure / (expected + 2 * np.maximum(self._near, energy) + 1e-9)
        step = np.fft.irfft(weight * ours.conj() * error)
        step[:, FRAME_SAMPLES:] = 0.0
        self._path += np.fft.rfft(step).astype(np.complex64)
        self._unsure *= _STEADY * (1 - 0.5 * weight * ours_energy)
        self._unsure += np.float32(1 - _STEADY) * power(self._path)
