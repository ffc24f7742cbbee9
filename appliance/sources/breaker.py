"""Leaves a server alone for a while that has failed several times in a row.

    closed ── failures in a row ──> open ── pause_s later ──> half open: one call may try it
      ^                              └────────────────── failed ──┤
      └───────────────────────────────────────────────── succeeded ┘

A caller who waits is better told at once that something is unavailable than after every deadline.
No I/O; used from one thread.
"""

from __future__ import annotations

from appliance.clock import Clock


class Breaker:
    """Counts the failures of one server."""

    def __init__(self, after: int, pause_s: float, clock: Clock) -> None:
        self._after, self._pause_ns, self._clock = after, round(pause_s * 1e9), clock
        self._failures = 0
        self._opened_ns: int | None = None
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether it is left alone; False again once a call may try it."""
        return self._opened_ns is not None and self.left_s > 0

    @property
    def left_s(self) -> float:
        """How long it will be left alone from now, seconds; 0 if it is not."""
        if self._opened_ns is None:
            return 0.0
        return max(0, self._opened_ns + self._pause_ns - self._clock.monotonic_ns()) / 1e9

    @property
    def failures(self) -> int:
        """How many there were in a row."""
        return self._failures

    def admit(self) -> bool:
        """Whether a call may begin. If so, `succeeded`, `failed` or `withdrew` must follow."""
        if self._opened_ns is None:
            return True
        if self._probing or self.is_open:
            return False
        self._probing = True
        return True

    def succeeded(self) -> None:
        """The server has answered; that it answered with an error of its own is an answer too."""
        self._failures = 0
        self._opened_ns = None
        self._probing = False

    def failed(self) -> bool:
        """It has not.

        Returns:
            Whether that made it one to be left alone, from now on.
        """
        self._failures += 1
        was_probe, self._probing = self._probing, False
        if was_probe or (self._opened_ns is None and self._failures >= self._after):
            self._opened_ns = self._clock.monotonic_ns()
            return True
        return False

    def withdrew(self) -> None:
        """The call was not made, or says nothing about the server."""
        self._probing = False
