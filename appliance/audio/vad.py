"""Is there speech in this frame? webrtcvad over an adaptive floor, and a detector for noisy lines.

    level over the line's floor and webrtcvad ──> speech, on a quiet line
    VoiceJudge (audio/voice.py) ──┬─────────────> whether it goes on, on a noisy one
    a second opinion (Silero) ────┘

On a quiet line the first two are as good as any and cost little. In noise they take soft consonants
for pauses and noise for speech. There the third hears through a word to its end; since it may take
a noise that it does not know for speech, the second opinion must consent.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np
import webrtcvad

from appliance.audio.voice import VoiceJudge, VoiceModel
from appliance.types import FRAME_MS, LINE_RATE_HZ

_ABOVE_FLOOR_DB = 9.0
_LOWEST_FLOOR_DB = -65.0  # relative to full scale: digital silence has no noise to follow
_HIGHEST_FLOOR_DB = -35.0  # so that a talker who never pauses does not raise it for good
_RISE_DB_PER_S = 3.0
_NOISY_DB = -58.0  # of the floor; above it, the floor's gate cuts into speech at -20 dBm0
_RECENT = 300 // FRAME_MS  # frames: so long after speech, more of it is likely
# Thresholds of the learned detector, and of the second opinion within its last frames
# (models/turns/MODEL_CARD.md).
_GOES_ON, _BEGINS = 0.4, 0.2
_CONSENT, _CONSENT_FRAMES = 0.15, 4


class Opinion(Protocol):
    """Somebody else who hears voices; follows one call."""

    def push(self, pcm: bytes) -> float:
        """How likely the frame, or what came just before it, holds speech: 0 to 1."""
        ...


class VoiceDetector:
    """Decides frame by frame; one instance per call, since it follows the line's noise.

    Args:
        mode: webrtcvad's, 0 to 3.
        model: the learned detector; without it the other two decide alone.
        second: the second opinion; without it the learned detector is trusted.
    """

    def __init__(
        self, mode: int, model: VoiceModel | None = None, second: Opinion | None = None
    ) -> None:
        self._vad = webrtcvad.Vad(mode)
        self._judge = VoiceJudge(model) if model is not None else None
        self._second = second
        self._opinions: deque[float] = deque(maxlen=_CONSENT_FRAMES)
        self._quiet = _RECENT
        self.floor_db = -50.0

    def is_speech(self, pcm: bytes) -> bool:
        """Whether a frame (FRAME_BYTES, s16le) holds speech."""
        level = level_db(pcm)
        self._follow(level)
        over = level >= self.floor_db + _ABOVE_FLOOR_DB
        plain = over and bool(self._vad.is_speech(pcm, LINE_RATE_HZ))
        if self._judge is not None and self.floor_db > _NOISY_DB:
            speech = self._in_noise(self._judge, pcm, plain)
        else:
            speech = plain
        self._quiet = 0 if speech else self._quiet + 1
        return speech

    def _in_noise(self, judge: VoiceJudge, pcm: bytes, plain: bool) -> bool:
        likely = judge.push(pcm)
        if self._second is not None:
            self._opinions.append(self._second.push(pcm))
            if max(self._opinions) < _CONSENT:
                return False
        if self._quiet < _RECENT:
            return likely > _GOES_ON
        return plain and likely > _BEGINS

    def _follow(self, level: float) -> None:
        if level < self.floor_db:
            self.floor_db += 0.3 * (level - self.floor_db)
        else:
            self.floor_db += min(_RISE_DB_PER_S * FRAME_MS / 1000, level - self.floor_db)
        self.floor_db = min(max(self.floor_db, _LOWEST_FLOOR_DB), _HIGHEST_FLOOR_DB)


def level_db(pcm: bytes) -> float:
    """RMS of a frame in dB relative to full scale, at least -96."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32)
    power = float(samples @ samples) / len(samples) if len(samples) else 0.0
    return max(-96.0, 10 * float(np.log10(power / 32768.0**2))) if power > 0 else -96.0
