"""The short queue of frames that wait to be said on one call.

Filled by the agent's messages, emptied by the media clock in another thread: every step is one
deque operation, which CPython makes atomic, so there is no lock that the clock could wait for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from appliance.telephony.outlet import faded_out
from appliance.types import FRAME_MS

MAX_QUEUED_MS = 300
"""Longer queues would only be delay: the agent sends as the line's clock ticks."""


class PlayQueue:
    """At most MAX_QUEUED_MS of frames; the oldest goes first when there is no room."""

    def __init__(self, frames: Iterable[bytes] = ()) -> None:
        """`frames`: what waits from the beginning, and may be more than that."""
        self._frames = deque((each, True) for each in frames)  # and whether it counts as played
        self._sounding = False
        self.played = 0
        self.dropped = 0

    def push(self, pcm: bytes) -> None:
        """Append a frame; drops (and counts) the oldest where the queue is full."""
        if len(self._frames) >= MAX_QUEUED_MS // FRAME_MS and self._pop() is not None:
            self.dropped += 1
        self._frames.append((pcm, True))

    def next_frame(self) -> bytes | None:
        """The next frame, counted as played; None where nothing waits."""
        found = self._pop()
        self._sounding = found is not None
        if found is None:
            return None
        pcm, counts = found
        self.played += counts
        return pcm

    def flush(self) -> None:
        """Forget what has not been played; what sounds now fades out in one more frame.

        That frame is not counted as played: for the agent the prompt has ended here.
        """
        found = self._pop()
        self._frames.clear()
        if found is not None and self._sounding:
            pcm, counts = found
            self._frames.appendleft((faded_out(pcm), False) if counts else found)

    def __len__(self) -> int:
        return len(self._frames)

    def _pop(self) -> tuple[bytes, bool] | None:
        try:
            return self._frames.popleft()
        except IndexError:
            return None
