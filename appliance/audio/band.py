"""The band of a telephone: what lies outside it only costs level and comes back as distortion.

A linear-phase filter, so that the phones stay where the voice put them. Flat to 0.1 dB from 300
to 3400 Hz; 6 dB down at 210 and 3490 Hz; at least 45 dB down below 100 and above 3600 Hz (ITU-T
G.712 asks for 300 to 3400 Hz; the figures are measured in tests/audio/test_band.py). A spoken
pitch below 210 Hz is gone, as on any telephone: listeners hear it from the harmonics.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from appliance.audio.level import Samples
from appliance.types import LINE_RATE_HZ

_EDGES_HZ = (210.0, 3490.0)  # half-way between pass and stop band
_TAPS = 193  # 12 ms each way
_KAISER = 6.5  # 66 dB (Kaiser's formula), transitions of 168 Hz


def telephone_band(samples: Samples) -> Samples:
    """Limit speech to the telephone band; same length, no delay.

    Args:
        samples: float32 mono at LINE_RATE_HZ, shape [n].
    """
    if not len(samples):
        return samples
    size = 1 << (len(samples) + _TAPS - 1).bit_length()
    spectrum = np.fft.rfft(samples, size) * np.fft.rfft(_response(), size)
    start = _TAPS // 2
    return np.fft.irfft(spectrum, size)[start : start + len(samples)].astype(np.float32)


@cache
def _response() -> NDArray[np.float64]:
    """Two windowed sincs, one less the other."""
    at = np.arange(_TAPS) - _TAPS // 2
    low, high = (2 * edge / LINE_RATE_HZ for edge in _EDGES_HZ)
    ideal = high * np.sinc(high * at) - low * np.sinc(low * at)
    return np.asarray(ideal * np.kaiser(_TAPS, _KAISER))
