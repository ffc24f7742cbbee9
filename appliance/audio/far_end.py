"""What we said last, as the echo canceller needs it: spectra and levels of the last half second.

    frame of ours -> 40 ms with the one before -> spectrum ┬─ as it is        (for the filter)
                                                           ├─ Hann window     (for correlation)
                                                           └─ level by band   (for the gate)

Rings of a fixed length, newest first. Pure: no clock, no call.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from appliance.types import FRAME_SAMPLES, LINE_RATE_HZ

LAGS = 27
"""Frames of ours that are kept: echoes up to 520 ms late are known for what they are."""
RECENT = 4
"""Frames more, for who looks back from some frames ago."""
SPAN = 2 * FRAME_SAMPLES
BINS = SPAN // 2 + 1
EDGES_HZ = (250, 500, 900, 1400, 2000, 2700, 3500)
BANDS = len(EDGES_HZ) - 1
SILENT_DB = -90.0

Spectrum = NDArray[np.complex64]
"""[BINS], or [frames, BINS]."""
Levels = NDArray[np.float32]
"""dB relative to full scale, [BANDS] or [frames, BANDS]."""

_KEPT = LAGS + RECENT
_WHITENING = 0.02  # share of a new frame in the long-term spectrum
_NOT_WHITER = 0.1  # of the mean: what is weaker drowns in the line's noise


def _band_weights() -> NDArray[np.float32]:
    """Sums a power spectrum by band, to powers relative to full scale; [BINS, BANDS]."""
    hz = np.arange(BINS) * LINE_RATE_HZ / SPAN
    inside = np.stack([(low <= hz) & (hz < high) for low, high in pairwise(EDGES_HZ)], axis=1)
    # Parseval, one side of the spectrum, and the mean square of a Hann window.
    return (inside * (2 / (SPAN * SPAN * 0.375))).astype(np.float32)


_WEIGHTS = _band_weights()


def spectrum_of(before: NDArray[np.float32], frame: NDArray[np.float32]) -> Spectrum:
    """The spectrum of a frame and the one before it; [BINS]."""
    return np.asarray(np.fft.rfft(np.concatenate((before, frame))), np.complex64)


def hann(spectrum: Spectrum) -> Spectrum:
    """The spectrum that the same samples would have under a Hann window; [BINS]."""
    windowed = 0.5 * spectrum
    windowed[1:-1] -= 0.25 * (spectrum[2:] + spectrum[:-2])
    windowed[0] -= 0.5 * spectrum[1].real
    windowed[-1] -= 0.5 * spectrum[-2].real
    return windowed


def power(spectrum: Spectrum) -> NDArray[np.float32]:
    """Squared magnitudes, same shape."""
    return np.asarray(spectrum.real**2 + spectrum.imag**2, np.float32)


def band_levels(windowed: Spectrum) -> Levels:
    """Levels by band of one windowed spectrum; [BANDS]."""
    found = power(windowed) @ _WEIGHTS
    return np.asarray(10 * np.log10(np.maximum(found, 1e-9)), np.float32)


class FarEnd:
    """Our voice on one call, newest frame first.

    Attributes:
        whitening: weights that make our voice's long-term spectrum flat; [BINS].
    """

    def __init__(self) -> None:
        self._last = np.zeros(FRAME_SAMPLES, np.float32)
        self._at = 0
        self._plain = np.zeros((2 * _KEPT, BINS), np.complex64)
        self._windowed = np.zeros((2 * _KEPT, BINS), np.complex64)
        self._levels = np.full((2 * _KEPT, BANDS), SILENT_DB, np.float32)
        self._silent = _KEPT + 1
        self._average = np.full(BINS, 1.0, np.float32)
        self.whitening = np.ones(BINS, np.float32)

    @property
    def silent(self) -> bool:
        """Whether nothing that is kept sounds: there can be no echo."""
        return self._silent > _KEPT

    @property
    def plain(self) -> Spectrum:
        """Spectra of 40 ms each; [LAGS + RECENT, BINS]."""
        return self._plain[self._at : self._at + _KEPT]

    @property
    def windowed(self) -> Spectrum:
        """The same under a Hann window."""
        return self._windowed[self._at : self._at + _KEPT]

    @property
    def levels(self) -> Levels:
        """Levels by band of the windowed ones; [LAGS + RECENT, BANDS]."""
        return self._levels[self._at : self._at + _KEPT]

    def push(self, samples: NDArray[np.float32] | None) -> None:
        """Take the frame that went out now, [FRAME_SAMPLES] in [-1, 1]; None: we said nothing."""
        self._silent = 0 if samples is not None else self._silent + 1
        if self.silent:
            return
        self._at = (self._at or _KEPT) - 1
        new = samples if samples is not None else np.zeros(FRAME_SAMPLES, np.float32)
        plain = spectrum_of(self._last, new)
        self._last = new
        windowed = hann(plain)
        levels = band_levels(windowed)
        for at in (self._at, self._at + _KEPT):
            self._plain[at], self._windowed[at], self._levels[at] = plain, windowed, levels
        if samples is not None:
            self._average += _WHITENING * (power(windowed) - self._average)
            floor = _NOT_WHITER * float(self._average.mean()) + 1e-9
            self.whitening = np.reciprocal(self._average + np.float32(floor))
