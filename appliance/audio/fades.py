"""Soft edges: no sound begins or ends in a step, and one goes over into another without one.

All curves are raised cosines: they have no corner, so a fade is itself not heard as a click.
"""

from __future__ import annotations

import numpy as np

from appliance.audio.level import Samples
from appliance.types import LINE_RATE_HZ

START_MS, END_MS = 3.0, 10.0
"""Of a rendered piece: short where a plosive may stand, longer where a voice dies away."""


def fade_ends(samples: Samples, rate_hz: int = LINE_RATE_HZ) -> Samples:
    """A copy that rises from nothing and falls to nothing; a short one fades all along.

    Args:
        samples: float32 mono, shape [n].
        rate_hz: their rate.
    """
    faded = np.array(samples, dtype=np.float32)
    rise = rising(min(round(START_MS * rate_hz / 1000), len(faded) // 2))
    fall = rising(min(round(END_MS * rate_hz / 1000), len(faded) // 2))
    faded[: len(rise)] *= rise
    faded[len(faded) - len(fall) :] *= fall[::-1]
    return faded


def cross_fade(first: Samples, second: Samples) -> Samples:
    """From one sound into another over the whole of their length, which is the same.

    The gains add up to one: right for two renderings of the same words, which are alike. Sounds
    that have nothing to do with each other sink by 3 dB on the way.

    Raises:
        ValueError: the lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} samples do not go over into {len(second)}")
    rise = rising(len(second))
    return (first * (1 - rise) + second * rise).astype(np.float32)


def rising(count: int) -> Samples:
    """Gains from just above 0 to just below 1, symmetric, shape [count]."""
    at = (np.arange(count) + 0.5) / max(count, 1)
    return (0.5 - 0.5 * np.cos(np.pi * at)).astype(np.float32)
