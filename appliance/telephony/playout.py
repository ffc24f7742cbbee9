"""The short queue of frames that wait to be said on one call.

Filled by the agent's messages, emptied by the media clock in another thread: every step is one
deque operation, which CPython makes atomic, so there is no lock that the clock could wait for.
"""

from __future__ import annotations

from collections import deque

from appliance.types import FRAME_MS

MAX_QUEUED_MS = 300
"""Longer queues would only be delay: the agent sends as the line's clock ticks."""


class PlayQueue:
    """At most MAX_QUEUED_MS of frames; the oldest goes first when there is no room."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self.played = 0
        self.dropped = 0

    def push(self, pcm: bytes) -> None:
        """Append a frame; drops (and counts) the oldest where the queue is full."""
        if len(self._frames) >= MAX_QUEUED_MS // FRAME_MS and self._pop() is not None:
            self.dropped += 1
        self._frames.append(pcm)

    def next_frame(self) -> bytes | None:
        """The next frame, counted as played; None where nothing waits."""
        pcm = self._pop()
        if pcm is not None:
            self.played += 1
        return pcm

    def flush(self) -> None:
        """Forget what has not been played."""
        self._frames.clear()

    def __len__(self) -> int:
        return len(self._frames)

    def _pop(self) -> bytes | None:
        try:
            return self._frames.popleft()
        except IndexError:
            return None
