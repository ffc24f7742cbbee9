"""Speech level on the telephone scale.

0 dBm0 lies 3.17 dB below a full-scale µ-law sine (ITU-T G.711, table 4), whose RMS is 3.01 dB
below full scale: so a signal of L dBm0 has an RMS of L − 6.18 dB relative to full scale.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from appliance.types import LINE_RATE_HZ

FULL_SCALE = 32768.0
DBM0_TO_DBOV = -6.18
_PEAK = 0.89  # -1 dBFS: leaves room for the codec's rounding
_ACTIVE_BELOW_PEAK_DB = 35.0  # frames within this of the loudest count as speech
_FRAME = 160

Samples = NDArray[np.float32]


def to_float(pcm: bytes) -> Samples:
    """Samples in [-1, 1) from s16le bytes; an odd last byte is an error (ValueError)."""
    return np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(FULL_SCALE)


def to_pcm(samples: Samples) -> bytes:
    """s16le bytes from samples in [-1, 1]; beyond that they are limited."""
    scaled = np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    return bytes(scaled.astype("<i2").tobytes())


def active_level_dbm0(samples: Samples) -> float:
    """Level of the active part of speech, in dBm0; -inf for silence.

    A simplified ITU-T P.56: RMS over the 20 ms frames that lie within 35 dB of the loudest.
    """
    active = _active(samples)
    return float(10 * np.log10(active.mean()) - DBM0_TO_DBOV) if len(active) else float("-inf")


def active_s(samples: Samples) -> float:
    """Seconds of speech among the samples: the frames of which `active_level_dbm0` is the mean."""
    return len(_active(samples)) * _FRAME / LINE_RATE_HZ


def amplify(samples: Samples, gain_db: float) -> Samples:
    """Scale by `gain_db`, whatever the peaks come to: `limiter.limit` holds them."""
    return (samples * np.float32(10 ** (gain_db / 20))).astype(np.float32)


def apply_gain(samples: Samples, gain_db: float) -> Samples:
    """Scale by `gain_db`; if that would pass -1 dBFS, scale the whole signal down to it."""
    scaled = samples * np.float32(10 ** (gain_db / 20))
    peak = float(np.abs(scaled).max(initial=0.0))
    return (scaled * np.float32(_PEAK / peak) if peak > _PEAK else scaled).astype(np.float32)


def _active(samples: Samples) -> NDArray[np.float64]:
    """Power of the active frames; none in silence."""
    frames = samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME).astype(np.float64)
    power = (frames**2).mean(axis=1)
    loudest = power.max(initial=0.0)
    return np.asarray(power[power > loudest * 10 ** (-_ACTIVE_BELOW_PEAK_DB / 10)])
