"""What the time of an answer went into, told to the log: one line a turn.

VAD says silence ── transcript_ms ── turn_over_ms ── decided_ms ── first_audio_ms
"""

from __future__ import annotations

from collections.abc import Callable

LAPS = ("transcript", "turn_over", "decided", "first_audio")
"""In the order in which they mostly happen; counted from when the detector said silence."""


class Laps:
    """The turn that is being answered; `report` is given its milliseconds by lap."""

    def __init__(self, now_ns: Callable[[], int], report: Callable[[dict[str, float]], None]):
        self._now_ns, self._report = now_ns, report
        self._quiet_ns: int | None = None
        self._laps: dict[str, float] = {}

    def quiet(self) -> None:
        """The detector says that the caller is silent."""
        self._quiet_ns, self._laps = self._now_ns(), {}

    def mark(self, lap: str) -> None:
        """One of `LAPS` is reached; before the caller was ever quiet it counts for nothing."""
        if self._quiet_ns is not None:
            self._laps[lap] = round((self._now_ns() - self._quiet_ns) / 1e6, 1)

    def spoke(self) -> None:
        """A frame went to the line; the first after a decision ends the turn."""
        if "decided" in self._laps:
            self.mark("first_audio")
            self._report(self._laps)
            self._quiet_ns, self._laps = None, {}
