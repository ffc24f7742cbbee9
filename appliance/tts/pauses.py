"""Pauses of a wanted length between stretches that a voice spoke one by one.

    ── "nine zero two," ░░░░ ──┐                 ┌── ░ "one zero." ──
                       quiet end of one, quiet start of the next: taken away but for a breath,
    ── "nine zero two," ░░▒▒▒▒▒▒▒▒░ "one zero." ──      then as much as was asked for

What fills a pause is as loud as the voice's own quiet, for dead silence sounds like a lost line.
"""

from __future__ import annotations

import numpy as np

from appliance.audio.level import Samples

_FRAME_MS = 5
_BELOW_DB = 36.0
"""Quiet is what is this far below the loudest frame: breath and decay are not."""
_EDGE = 6
"""Frames at the very end that do not count after others that are quiet: networks crackle there."""
_KEPT_MS = 25
"""Of the quiet on each side of a pause: the last of a sound is in it, and the start of a burst."""


def spare_quiet(samples: Samples, rate_hz: int, *, at_end: bool, kept_ms: int = _KEPT_MS) -> int:
    """Samples of quiet at one end that a pause can take the place of.

    Args:
        samples: float32 mono, shape [n].
        rate_hz: their rate.
        at_end: whether the end is looked at, or the start.
        kept_ms: of the quiet, next to the sound.
    """
    width = rate_hz * _FRAME_MS // 1000
    count = len(samples) // width
    if not count:
        return 0
    used = samples[len(samples) - count * width :] if at_end else samples[: count * width]
    power = np.mean(np.square(used.reshape(count, width), dtype=np.float64), axis=1)
    loud = power > power.max() * 10 ** (-_BELOW_DB / 10)
    if at_end and count > 3 * _EDGE and not loud[-3 * _EDGE : -_EDGE].any():
        loud[-_EDGE:] = False
    where = np.flatnonzero(loud)
    if not where.size:
        return 0
    quiet = count - 1 - int(where[-1]) if at_end else int(where[0])
    return max(0, quiet * width - rate_hz * kept_ms // 1000)


def pause(count: int, like: Samples) -> Samples:
    """Noise as loud as `like`, the same every time: shape [count]; silence if that is empty."""
    level = float(np.sqrt(np.mean(np.square(like)))) if len(like) else 0.0
    noise = np.random.default_rng(count).standard_normal(count, dtype=np.float32)
    return (noise * level).astype(np.float32)
