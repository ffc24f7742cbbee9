"""Is there speech in this frame? webrtcvad, held down by an adaptive energy floor.

webrtcvad alone takes steady noise, hum and clicks for speech. A frame counts only if it also
rises above the line's own noise, which is followed by a slow minimum: fast down, slowly up.
"""

from __future__ import annotations

import numpy as np
import webrtcvad

from appliance.types import FRAME_MS, LINE_RATE_HZ

_ABOVE_FLOOR_DB = 9.0
_LOWEST_FLOOR_DB = -65.0  # relative to full scale: digital silence has no noise to follow
_HIGHEST_FLOOR_DB = -35.0  # so that a talker who never pauses does not raise it for good
_RISE_DB_PER_S = 3.0


class VoiceDetector:
    """Decides frame by frame; one instance per call, since it follows the line's noise."""

    def __init__(self, mode: int) -> None:
        self._vad = webrtcvad.Vad(mode)
        self.floor_db = -50.0

    def is_speech(self, pcm: bytes) -> bool:
        """Whether a frame (FRAME_BYTES, s16le) holds speech."""
        level = level_db(pcm)
        self._follow(level)
        if level < self.floor_db + _ABOVE_FLOOR_DB:
            return False
        return bool(self._vad.is_speech(pcm, LINE_RATE_HZ))

    def _follow(self, level: float) -> None:
        if level < self.floor_db:
            self.floor_db += 0.3 * (level - self.floor_db)
        else:
            self.floor_db += min(_RISE_DB_PER_S * FRAME_MS / 1000, level - self.floor_db)
        self.floor_db = min(max(self.floor_db, _LOWEST_FLOOR_DB), _HIGHEST_FLOOR_DB)


def level_db(pcm: bytes) -> float:
    """RMS of a frame in dB relative to full scale, at least -96."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64)
    power = float((samples**2).mean()) if len(samples) else 0.0
    return max(-96.0, 10 * np.log10(power / 32768.0**2)) if power > 0 else -96.0
