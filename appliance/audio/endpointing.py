"""When does the caller's turn begin and end?

    frame -> VoiceDetector -> [start after `start_ms` of speech] -> SpeechStarted
                              [quiet for pause_ms]    -> SpeechPaused   (worth preparing an answer)
                              [speech again]          -> SpeechResumed  (throw that away)
                              [quiet for patience_ms] -> SpeechEnded

Pure: time is counted in frames, so a recorded call gives the same events every time. How long
to wait (`patience_ms`) is set from outside, by what the dialogue is listening for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from appliance.types import (
    FRAME_MS,
    AudioFrame,
    SpeechEnded,
    SpeechEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
)

_PRE_ROLL_MS = 240  # kept before the first speech frame: soft onsets ("hello", "five")
_TAIL_MS = 200  # kept after the last speech frame: soft endings ("six", "eight")
_START_WINDOW_MS = 60  # slack in which the speech frames of an onset must fall
_FRAME_NS = FRAME_MS * 1_000_000


@dataclass(frozen=True, slots=True)
class Patience:
    """The waits of an endpointer, in milliseconds."""

    start_ms: int = 100
    pause_ms: int = 120
    patience_ms: int = 600
    max_turn_ms: int = 15000


class Endpointer:
    """Cuts one call's audio into turns; feed it every frame, in order."""

    def __init__(self, is_speech: Callable[[bytes], bool], patience: Patience) -> None:
        self._is_speech = is_speech
        self.patience = patience
        window = (patience.start_ms + _START_WINDOW_MS) // FRAME_MS
        self._onset: deque[tuple[AudioFrame, bool]] = deque(maxlen=window)
        self._before: deque[AudioFrame] = deque(maxlen=_PRE_ROLL_MS // FRAME_MS)
        self._turn: list[AudioFrame] = []
        self._quiet = 0
        self._paused = False

    @property
    def speaking(self) -> bool:
        """Whether a turn is open (the caller speaks, or has only paused)."""
        return bool(self._turn)

    @property
    def paused(self) -> bool:
        """Whether the caller is silent within an open turn, for at least `pause_ms`."""
        return self._paused

    def so_far(self) -> bytes:
        """The audio of an open turn until now, or nothing where no turn is open."""
        return self._utterance() if self._turn else b""

    def break_off(self) -> bytes:
        """End an open turn here and now; its audio, or nothing where no turn is open."""
        pcm = self.so_far()
        self._turn = []
        self._onset.clear()
        self._before.clear()
        return pcm

    def push(self, frame: AudioFrame) -> list[SpeechEvent]:
        """Take the next frame; returns what became certain with it."""
        speech = self._is_speech(frame.pcm) and not frame.echo
        return self._during_turn(frame, speech) if self._turn else self._before_turn(frame, speech)

    def _before_turn(self, frame: AudioFrame, speech: bool) -> list[SpeechEvent]:
        if len(self._onset) == self._onset.maxlen:
            self._before.append(self._onset[0][0])
        self._onset.append((frame, speech))
        if sum(flag for _, flag in self._onset) * FRAME_MS < self.patience.start_ms:
            return []
        first = next(index for index, (_, flag) in enumerate(self._onset) if flag)
        started_ns = self._onset[first][0].at_ns
        self._turn = [*self._before, *(kept for kept, _ in self._onset)]
        self._quiet, self._paused = 0, False
        self._onset.clear()
        self._before.clear()
        return [SpeechStarted(at_ns=started_ns)]

    def _during_turn(self, frame: AudioFrame, speech: bool) -> list[SpeechEvent]:
        self._turn.append(frame)
        if len(self._turn) * FRAME_MS >= self.patience.max_turn_ms:
            return [self._end(frame)]
        if speech:
            resumed, self._quiet, self._paused = self._paused, 0, False
            return [SpeechResumed(at_ns=frame.at_ns)] if resumed else []
        self._quiet += 1
        if self._quiet * FRAME_MS >= self.patience.patience_ms:
            return [self._end(frame)]
        if not self._paused and self._quiet * FRAME_MS >= self.patience.pause_ms:
            self._paused = True
            return [SpeechPaused(frame.at_ns, self._ended_ns(frame), self._utterance())]
        return []

    def _end(self, frame: AudioFrame) -> SpeechEnded:
        event = SpeechEnded(frame.at_ns, self._ended_ns(frame), self._utterance())
        self._turn = []
        return event

    def _ended_ns(self, frame: AudioFrame) -> int:
        return frame.at_ns - self._quiet * _FRAME_NS

    def _utterance(self) -> bytes:
        """The turn's audio with at most _TAIL_MS of what followed the last speech frame."""
        surplus = max(0, self._quiet - _TAIL_MS // FRAME_MS)
        kept = self._turn[: len(self._turn) - surplus]
        return b"".join(frame.pcm for frame in kept)
