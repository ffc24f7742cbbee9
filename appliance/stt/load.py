"""What recognition costs this box, measured; and whether it can hear one more call in time.

    every decode ─> seconds a call needs ─> share of the workers' time with one call more ─┐
    every final ──> how late it was ──────> how late it would be then ─────────────────────┴> admits

A box that takes more calls than it can hear is late in all of them, so the next caller hears busy
instead. What is late is a final that ends after its due time, the earliest end of the turn: most
of a decode is hidden in the pause that ends the turn. One that is late alone counts nothing: a page
of memory is fetched, and the next ones are in time. A thread that hangs hears nobody any more.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass

_GAIN = 1 / 8  # of a moving mean; RFC 6298, section 2
_TALK_SHARE = 0.5  # of a call's time: until it is measured
_DECODES_A_TURN = 2.0  # at a pause and after it: until it is measured
_PRIOR_S = 30.0  # call time that the two above weigh as much as
_MEMORY_S = 300.0  # what lies this far back counts 1/e
_FINALS = 20  # how late they are is told by the last so many
_FORGIVEN_S = 30.0  # unless that is so long ago: callers on hold measure nothing
_FULL = 0.8  # of the workers' time; the rest is for voice and line
_LIGHT = 0.4  # below this there is time for partials
_P95 = 3.0  # means: the 95th percentile of an exponential waiting time is ln 20 of them


@dataclass(frozen=True, slots=True)
class Figures:
    """Where the box stands. `busy` is a share of the workers' time, with the calls of now."""

    calls: int
    hanging: int
    decode_ms: float
    cost_per_call: float
    busy: float
    late_ms: float
    next_late_ms: float


class Mean:
    """A moving mean; the first value counts whole."""

    def __init__(self) -> None:
        self.mean = 0.0
        self._empty = True

    def add(self, value: float) -> None:
        """Take the next value."""
        self.mean = value if self._empty else self.mean + _GAIN * (value - self.mean)
        self._empty = False


class Load:
    """Measures one box's recognition. Thread-safe; time comes from outside, in nanoseconds."""

    def __init__(self, workers: int, sla_ms: float) -> None:
        """`workers`: decodes at once; `sla_ms`: how late a final may be."""
        self._workers, self._sla_s = workers, sla_ms / 1000
        self._lock = threading.Lock()
        self._calls = self._hanging = 0
        self._spare = True
        self._decode, self._per_second = Mean(), Mean()
        self._late: deque[tuple[int, float]] = deque(maxlen=_FINALS)  # when, seconds
        self._busy_s = self._call_s = 0.0
        self._at_ns: int | None = None

    def warm_up(self, speech_s: float, took_s: float) -> None:
        """Take a first decode as the measure, before there are calls."""
        with self._lock:
            self._decode.add(took_s)
            self._per_second.add(took_s / max(speech_s, 1.0))

    def decoded(self, speech_s: float, took_s: float, now_ns: int) -> None:
        """A final decode of so much speech took so long."""
        with self._lock:
            self._pass(now_ns)
            self._busy_s += took_s
            self._decode.add(took_s)
            self._per_second.add(took_s / max(speech_s, 1.0))

    def answered(self, late_s: float, now_ns: int) -> None:
        """A final was ready so long after it was due; less than 0 counts as 0."""
        with self._lock:
            self._late.append((now_ns, max(0.0, late_s)))

    def hang(self, workers: int) -> None:
        """So many workers are at a decode now that nobody waits for any more."""
        with self._lock:
            self._hanging = workers

    def spare_time(self, there_is: bool) -> None:
        """Whether the rest of the box has time for what is useful but not needed."""
        with self._lock:
            self._spare = there_is

    def begin_call(self, now_ns: int) -> None:
        """A call was taken."""
        with self._lock:
            self._pass(now_ns)
            self._calls += 1

    def end_call(self, now_ns: int) -> None:
        """A call is over."""
        with self._lock:
            self._pass(now_ns)
            self._calls -= 1

    def admits(self, now_ns: int) -> bool:
        """Whether one call more can be taken.

        The first is, unless all workers hang: without calls nothing is measured.
        """
        with self._lock:
            self._pass(now_ns)
            if self._calls == 0 and self._free:
                return True
            return (
                self._share(self._calls + 1) <= _FULL and self._next_late_s(now_ns) <= self._sla_s
            )

    def is_light(self, now_ns: int) -> bool:
        """Whether there is time for what is useful but not needed."""
        with self._lock:
            self._pass(now_ns)
            idle = self._share(self._calls) <= _LIGHT and self._high_s(now_ns) <= self._sla_s / 2
            return self._spare and idle

    @property
    def hangs(self) -> bool:
        """Whether no worker is left that does not hang."""
        with self._lock:
            return not self._free

    def figures(self, now_ns: int) -> Figures:
        """What `admits` goes by."""
        with self._lock:
            self._pass(now_ns)
            return Figures(
                calls=self._calls,
                hanging=self._hanging,
                decode_ms=round(1000 * self._decode.mean, 1),
                cost_per_call=round(self._cost(), 4),
                busy=round(self._share(self._calls), 3),
                late_ms=round(1000 * self._high_s(now_ns), 1),
                next_late_ms=round(1000 * min(self._next_late_s(now_ns), 1e6), 1),
            )

    @property
    def _free(self) -> int:
        """Workers that do not hang."""
        return max(0, self._workers - self._hanging)

    def _cost(self) -> float:
        """Worker seconds that a second of a call needs."""
        guess = _TALK_SHARE * _DECODES_A_TURN * self._per_second.mean
        return (_PRIOR_S * guess + self._busy_s) / (_PRIOR_S + self._call_s)

    def _share(self, calls: int) -> float:
        return calls * self._cost() / self._free if self._free else math.inf

    def _wait_s(self, calls: int) -> float:
        """Mean wait for a worker: M/M/c, Sakasegawa's approximation (Ann. Inst. Stat. Math. 29)."""
        share, workers = self._share(calls), self._free
        if share >= 1:
            return math.inf
        exponent = math.sqrt(2 * (workers + 1)) - 1
        return self._decode.mean * math.pow(share, exponent) / (workers * (1 - share))

    def _next_late_s(self, now_ns: int) -> float:
        """How late finals would be with one call more: as now, and the longer wait."""
        now_s, then_s = self._wait_s(self._calls), self._wait_s(self._calls + 1)
        return math.inf if math.isinf(then_s) else self._high_s(now_ns) + _P95 * (then_s - now_s)

    def _pass(self, now_ns: int) -> None:
        """Time passes: calls go on, and what was before counts less."""
        if self._at_ns is not None:
            passed_s = max(0.0, (now_ns - self._at_ns) / 1e9)
            kept = math.exp(-passed_s / _MEMORY_S)
            self._busy_s *= kept
            self._call_s = kept * self._call_s + self._calls * passed_s
        self._at_ns = max(now_ns, self._at_ns or now_ns)  # threads come out of order

    def _high_s(self, now_ns: int) -> float:
        """How late finals are: the second latest of the last 20, which is their 95th percentile."""
        since_ns = now_ns - int(_FORGIVEN_S * 1e9)
        recent = sorted(late_s for at_ns, late_s in self._late if at_ns >= since_ns)
        return recent[-2] if len(recent) > 1 else 0.0
