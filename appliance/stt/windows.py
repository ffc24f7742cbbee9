"""Long utterances in parts, for a model that was trained on short ones."""

from __future__ import annotations

import numpy as np

from appliance.audio.level import Samples

_FRAME_S = 0.02
_SMOOTH = 5  # frames: a stop consonant is no pause
_EARLIEST = 0.6  # of the longest part: cuts before it would make parts needlessly short
_SHORTEST_S = 0.5  # of the last part


def cut_where_quiet(samples: Samples, rate_hz: int, longest_s: float) -> list[Samples]:
    """Parts of at most `longest_s`, cut in the middle of the quietest 100 ms that allow it.

    Args:
        samples: float mono [N].
        rate_hz: their rate.
        longest_s: length of a part at most, seconds.

    Returns:
        Parts that joined are the input; one, where it is short enough.
    """
    parts, longest = [], int(longest_s * rate_hz)
    while len(samples) > longest:
        latest = min(longest, len(samples) - int(_SHORTEST_S * rate_hz))
        at = _quietest(samples[:latest], int(_FRAME_S * rate_hz), int(_EARLIEST * longest))
        parts.append(samples[:at])
        samples = samples[at:]
    return [*parts, samples]


def _quietest(samples: Samples, frame: int, earliest: int) -> int:
    count = len(samples) // frame
    power = (samples[: count * frame].reshape(count, frame) ** 2).mean(axis=1)
    smooth = np.convolve(power, np.full(_SMOOTH, 1 / _SMOOTH), "same")
    first = min(earliest // frame, count - 1)
    return int((first + int(smooth[first : count - _SMOOTH // 2].argmin())) * frame + frame // 2)
