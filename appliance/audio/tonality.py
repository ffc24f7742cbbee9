"""Whether a sound is one steady tone, as of a fax machine: no voice holds its pitch like that."""

from __future__ import annotations

import numpy as np

from appliance.audio.level import Samples

_FRAME = 256
_STEP = 128
_LOUD = 0.03  # 15 dB below the loudest frame: what lies lower is the line
_LOBE = 2  # bins to each side that the window spreads a tone over
_PURE, _ENOUGH = 0.9, 0.9  # share of a frame's energy in its tone; of the loud frames that have it
_STEADY_HZ = 3.0  # voices, also monotonous ones, wander by more
_LEAST_FRAMES = 12  # 0.2 s at 8 kHz: less is too little to tell by


def is_steady_tone(samples: Samples, rate_hz: int) -> bool:
    """Whether all that is loud in a sound is one tone that keeps its frequency.

    Args:
        samples: float mono [N].
        rate_hz: their rate.
    """
    if len(samples) < _FRAME + _LEAST_FRAMES * _STEP:
        return False
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_STEP]
    power = np.abs(np.fft.rfft(frames * np.hanning(_FRAME), axis=1)) ** 2
    power[:, : _LOBE + 1] = 0.0  # mains hum and offset
    energy = power.sum(axis=1)
    loud = power[energy > _LOUD * energy.max(initial=0.0)]
    if len(loud) < _LEAST_FRAMES:
        return False
    peak = loud[:, : -_LOBE - 1].argmax(axis=1)
    near = loud[np.arange(len(loud))[:, None], peak[:, None] + np.arange(-_LOBE, _LOBE + 1)]
    pure = near.sum(axis=1) > _PURE * loud.sum(axis=1)
    if pure.mean() < _ENOUGH:
        return False
    hertz = (peak[pure] + _between(near[pure])) * rate_hz / _FRAME
    return float(np.abs(hertz - np.median(hertz)).mean()) < _STEADY_HZ


def _between(near: Samples) -> Samples:
    """Where between the bins each peak lies, by a parabola through the logarithms."""
    left, middle, right = np.log(near[:, _LOBE - 1 : _LOBE + 2].T + 1e-20)
    return np.asarray(0.5 * (left - right) / (left - 2 * middle + right - 1e-9))
