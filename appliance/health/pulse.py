"""Whether the agent's event loop turns: it beats here, and another thread looks how long ago."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

BEAT_S = 0.5
"""How often it is to beat."""

_STILL_S = 5.0  # ten beats: a loop that stood still for so long serves no call


class Pulse:
    """One loop's. A float is written and read whole, so no lock is needed."""

    def __init__(self, now_s: Callable[[], float] = monotonic) -> None:
        self._now_s = now_s
        self._beat_s: float | None = None

    def beat(self) -> None:
        """The loop has come round."""
        self._beat_s = self._now_s()

    @property
    def age_s(self) -> float:
        """How long ago it came round; 0 before it began to."""
        return 0.0 if self._beat_s is None else max(0.0, self._now_s() - self._beat_s)

    @property
    def turns(self) -> bool:
        """Whether it turns; a loop that has not begun has not stopped."""
        return self.age_s < _STILL_S
