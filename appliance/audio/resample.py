"""Change of sampling rate (libsoxr: linear phase, stop band below -100 dB)."""

from __future__ import annotations

import numpy as np
import soxr

from appliance.audio.level import Samples


def resample(samples: Samples, rate_hz: int, wanted_hz: int) -> Samples:
    """Mono float32 samples at another rate; the same array where the rates agree."""
    if rate_hz == wanted_hz:
        return samples
    return np.asarray(soxr.resample(samples, rate_hz, wanted_hz), dtype=np.float32)
