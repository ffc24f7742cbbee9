"""A clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class VirtualClock:
    """An `appliance.clock.Clock`; its times move together by `advance`, and by nothing else.

    But for the wall time, which somebody may set.
    """

    def __init__(self, start: datetime = _START, monotonic_ns: int = 1_000_000_000) -> None:
        """Start at a time with a zone.

        Raises:
            ValueError: `start` has no zone.
        """
        if start.tzinfo is None:
            raise ValueError("a clock's time needs a zone")
        self._start = start
        self._first_ns = monotonic_ns
        self._now_ns = monotonic_ns

    def monotonic_ns(self) -> int:
        """See `Clock.monotonic_ns`."""
        return self._now_ns

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self._start + timedelta(microseconds=(self._now_ns - self._first_ns) / 1000)

    def set_wall(self, by: timedelta) -> None:
        """Somebody sets the clock: the wall time jumps, forward or back; the monotonic does not."""
        self._start += by

    def advance(self, ms: float) -> None:
        """Move on by milliseconds.

        Raises:
            ValueError: `ms` is negative; time never goes back.
        """
        if ms < 0:
            raise ValueError(f"time cannot go back by {-ms:g} ms")
        self._now_ns += round(ms * 1_000_000)
