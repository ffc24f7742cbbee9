"""Time as a value that is passed in, so that tests can run a call under a virtual clock."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Where a component reads time."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back; comparable within this machine only."""
        ...

    def now(self) -> datetime:
        """The local wall time, with its zone."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def monotonic_ns(self) -> int:
        """See `Clock.monotonic_ns`."""
        return time.monotonic_ns()

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now().astimezone()
