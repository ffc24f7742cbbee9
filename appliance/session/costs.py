"""What a second of a call costs of one resource of the box, measured. Pure: time is handed in."""

from __future__ import annotations

import math
from collections import deque

_PRIOR_S = 30.0  # call time that the guess weighs as much as
_MEMORY_S = 300.0  # what lies this far back counts 1/e
_IDLE_GAIN = 1 / 16  # of the moving mean of what is used without calls


class Cost:
    """Seconds of a resource that a second of a call takes, and what is used without calls.

    With few calls the idle use would be taken for theirs, and many could never be foreseen; so it
    is measured apart, while there is none; and what is used with calls bounds it from above, so
    that a busy idle minute (an index was built) is forgotten though calls never cease.
    """

    def __init__(self, capacity: float, guess: float) -> None:
        """`capacity`: seconds of it in a second; `guess`: of them per call, until measured."""
        self._capacity, self._guess = capacity, guess
        self._idle: float | None = None
        self._with_calls = 0.0  # moving mean; begins at the idle use with every first call
        self._busy_s = self._call_s = 0.0

    def spend(self, busy_s: float, passed_s: float, calls: int) -> None:
        """So much of it was used in a time in which there were so many calls."""
        if passed_s <= 0:
            return
        if calls == 0:
            used = busy_s / passed_s
            last = used if self._idle is None else self._idle
            self._idle = self._with_calls = last + _IDLE_GAIN * (used - last)
            return
        self._bound_idle(busy_s / passed_s)
        kept = math.exp(-passed_s / _MEMORY_S)
        above_s = max(0.0, busy_s - (self._idle or 0.0) * passed_s)
        self._busy_s = kept * self._busy_s + above_s
        self._call_s = kept * self._call_s + calls * passed_s

    def _bound_idle(self, used: float) -> None:
        if self._idle is not None:
            self._with_calls += _IDLE_GAIN * (used - self._with_calls)
            self._idle = min(self._idle, self._with_calls)

    @property
    def per_call(self) -> float:
        """Seconds of it that a second of a call takes."""
        return (_PRIOR_S * self._guess + self._busy_s) / (_PRIOR_S + self._call_s)

    def share(self, calls: int) -> float:
        """Of all of it, what so many calls take together with what is used without any."""
        return ((self._idle or 0.0) + calls * self.per_call) / self._capacity


class Lateness:
    """How late things were lately: their 95th percentile over a window of time."""

    def __init__(self, window_s: float, at_most: int = 1000) -> None:
        """`at_most`: older ones are forgotten even if they lie in the window."""
        self._window_ns = int(window_s * 1e9)
        self._seen: deque[tuple[int, float]] = deque(maxlen=at_most)

    def add(self, late_s: float, now_ns: int) -> None:
        """One was so late."""
        self._seen.append((now_ns, max(0.0, late_s)))

    def high_s(self, now_ns: int) -> float:
        """The 95th percentile; a single one that was late counts nothing."""
        since_ns = now_ns - self._window_ns
        recent = sorted(late_s for at_ns, late_s in self._seen if at_ns >= since_ns)
        forgiven = max(1, len(recent) // 20)
        return recent[-1 - forgiven] if len(recent) > forgiven else 0.0


class Counted:
    """How many of something there were within a window of time."""

    def __init__(self, window_s: float) -> None:
        self._window_ns = int(window_s * 1e9)
        self._seen: deque[tuple[int, int]] = deque()

    def add(self, count: int, now_ns: int) -> None:
        """So many more."""
        if count > 0:
            self._seen.append((now_ns, count))

    def lately(self, now_ns: int) -> int:
        """All of the window."""
        while self._seen and self._seen[0][0] < now_ns - self._window_ns:
            self._seen.popleft()
        return sum(count for _, count in self._seen)
