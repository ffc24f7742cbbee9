"""Holds peaks under a ceiling without cutting them off.

The gain sinks before a peak comes and rises after it, over some milliseconds each way, so the
wave keeps its shape; what is below the ceiling stays exactly as it was.
"""

from __future__ import annotations

import numpy as np

from appliance.audio.level import Samples

CEILING = 0.89
"""-1 dB of full scale: leaves room for the codec's rounding."""

_REACH = 40  # samples each way: 5 ms at LINE_RATE_HZ, about one period of a deep voice


def limit(samples: Samples, ceiling: float = CEILING) -> Samples:
    """Samples whose magnitude is at most `ceiling` (0 to 1); the same array where it was.

    Args:
        samples: float32 mono, shape [n], of any magnitude.
        ceiling: as a share of full scale.
    """
    magnitude = np.abs(samples)
    if float(magnitude.max(initial=0.0)) <= ceiling:
        return samples
    needed = np.minimum(1.0, ceiling / np.maximum(magnitude, ceiling)).astype(np.float64)
    width = 2 * _REACH + 1
    around = np.pad(needed, 2 * _REACH, constant_values=1.0)
    # Wherever the smoothing window touches a peak, the gain under it is already the peak's own.
    lowest = np.lib.stride_tricks.sliding_window_view(around, width).min(axis=1)
    window = np.hanning(width + 2)[1:-1]
    gain = np.convolve(lowest, window / window.sum(), "valid")
    return np.clip(samples * gain, -ceiling, ceiling).astype(np.float32)
