"""What recognition costs this box, measured; and whether it can hear one more call in time.

    every decode ─> seconds a call needs ─> share of the workers' time with one call more ─┐
    every final ──> how late it was ──────> how late it would be then ─────────────────────┴> admits

A box that takes more calls than it can hear is late in all of them, so the next caller hears busy
instead. What is late is a final that ends after its due time, the earliest end of the turn: most
of a decode is hidden in the pause that ends the turn.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

_GAIN, _DEVIATION_GAIN = 1 / 8, 1 / 4  # mean, mean deviation, mean + 4 deviations: RFC 6298
_DEVIATIONS = 4
_TALK_SHARE = 0.5  # of a call's time: until it is measured
_DECODES_A_TURN = 2.0  # at a pause and after it: until it is measured
_PRIOR_S = 30.0  # call time that the two above weigh as much as
_MEMORY_S = 300.0  # what lies this far back counts 1/e
_REMEMBERED_S = 10.0  # how late it was counts fully for so long after it was measured last,
_FORGIVEN_S = 60.0  # then half after this: callers on hold measure nothing
_FULL = 0.8  # of the workers' time; the rest is for voice and line
_LIGHT = 0.4  # below this there is time for partials
_P95 = 3.0  # means: the 95th percentile of an exponential waiting time is ln 20 of them


@dataclass(frozen=True, slots=True)
class Figures:
    """Where the box stands. `busy` is a share of the workers' time, with the calls of now."""

    calls: int
    decode_ms: float
    cost_per_call: float
    busy: float
    late_ms: float
    next_late_ms: float


class Mean:
    """A moving mean with its mean deviation (RFC 6298, section 2)."""

    def __init__(self) -> None:
        self.mean = self.deviation = 0.0
        self._empty = True

    def add(self, value: float) -> None:
        """Take the next value."""
        if self._empty:
            self._empty, self.mean = False, value
        self.deviation += _DEVIATION_GAIN * (abs(value - self.mean) - self.deviation)
        self.mean += _GAIN * (value - self.mean)

    def fade(self, kept: float) -> None:
        """What was measured counts less."""
        self.mean *= kept
        self.deviation *= kept

    @property
    def high(self) -> float:
        """What few values exceed."""
        return self.mean + _DEVIATIONS * self.deviation


class Load:
    """Measures one box's recognition. Thread-safe; time comes from outside, in nanoseconds."""

    def __init__(self, workers: int, sla_ms: float) -> None:
        """`workers`: decodes at once; `sla_ms`: how late a final may be."""
        self._workers, self._sla_s = workers, sla_ms / 1000
        self._lock = threading.Lock()
        self._calls = 0
        self._decode, self._late, self._per_second = Mean(), Mean(), Mean()
        self._busy_s = self._call_s = 0.0
        self._at_ns: int | None = None
        self._late_ns = 0

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
            self._late.fade(self._fading(now_ns))
            self._late_ns = now_ns
            self._late.add(max(0.0, late_s))

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

        The first always is: without calls nothing is measured.
        """
        with self._lock:
            self._pass(now_ns)
            if self._calls == 0:
                return True
            return (
                self._share(self._calls + 1) <= _FULL and self._next_late_s(now_ns) <= self._sla_s
            )

    def is_light(self, now_ns: int) -> bool:
        """Whether there is time for what is useful but not needed."""
        with self._lock:
            self._pass(now_ns)
            return self._share(self._calls) <= _LIGHT and self._high_s(now_ns) <= self._sla_s / 2

    def figures(self, now_ns: int) -> Figures:
        """What `admits` goes by."""
        with self._lock:
            self._pass(now_ns)
            return Figures(
                calls=self._calls,
                decode_ms=round(1000 * self._decode.mean, 1),
                cost_per_call=round(self._cost(), 4),
                busy=round(self._share(self._calls), 3),
                late_ms=round(1000 * self._high_s(now_ns), 1),
                next_late_ms=round(1000 * min(self._next_late_s(now_ns), 1e6), 1),
            )

    def _cost(self) -> float:
        """Worker seconds that a second of a call needs."""
        guess = _TALK_SHARE * _DECODES_A_TURN * self._per_second.mean
        return (_PRIOR_S * guess + self._busy_s) / (_PRIOR_S + self._call_s)

    def _share(self, calls: int) -> float:
        return calls * self._cost() / self._workers

    def _wait_s(self, calls: int) -> float:
        """Mean wait for a worker: M/M/c, Sakasegawa's approximation (Ann. Inst. Stat. Math. 29)."""
        share, workers = self._share(calls), self._workers
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
        self._at_ns = now_ns

    def _high_s(self, now_ns: int) -> float:
        """How late finals are, if it has not been long since that was measured."""
        return self._late.high * self._fading(now_ns)

    def _fading(self, now_ns: int) -> float:
        passed_s = (now_ns - self._late_ns) / 1e9 - _REMEMBERED_S
        return math.exp2(-max(0.0, passed_s) / _FORGIVEN_S)
