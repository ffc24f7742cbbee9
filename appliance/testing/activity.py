"""Who spoke when: spans of active speech on the wire, found by energy.

A packet is active from -45 dBm0 on: telephone speech at -20 dBm0 lies well above, an appliance's
silence (digital zero, or a vocoder's floor below -60 dBm0) well below. A span opens when three
of five packets were active, at the first of them, so that a click opens none; it closes after
`HANGOVER_MS` without an active packet. Spans carry wire times: `first_ns` is the time of the
packet that holds the first active samples, `last_ns` of the one that holds the last. No playing
time is added, so a difference between two spans is what passed on the wire.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from appliance.testing.g711 import Samples

ACTIVE_DBM0 = -45.0
OPEN_PACKETS, OPEN_WINDOW = 3, 5
HANGOVER_MS = 200
_FULL_SCALE_DBM0 = 6.18
"""Level of a square wave at int16 full scale: G.711's full-scale sine is +3.17 dBm0."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of speech of one side; times are `time.monotonic_ns()` (see the module)."""

    first_ns: int
    last_ns: int
    text: str = ""

    @property
    def duration_ms(self) -> float:
        """Length on the wire, first to last packet, in milliseconds."""
        return (self.last_ns - self.first_ns) / 1e6


def level_dbm0(samples: Samples) -> float:
    """Mean level of int16 samples in dBm0; -inf for digital silence or no samples."""
    if not samples.size:
        return -math.inf
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return 10 * math.log10(power) - 90.31 + _FULL_SCALE_DBM0 if power > 0 else -math.inf


class ActivityDetector:
    """Turns packets, in the order of their times, into spans."""

    def __init__(self, hangover_ms: int = HANGOVER_MS, threshold_dbm0: float = ACTIVE_DBM0) -> None:
        self._hangover_ns = hangover_ms * 1_000_000
        self._threshold_dbm0 = threshold_dbm0
        self._recent: deque[tuple[int, bool]] = deque(maxlen=OPEN_WINDOW)
        self._closed: list[Span] = []
        self._open: Span | None = None

    def push(self, samples: Samples, at_ns: int) -> None:
        """Take one packet's samples; `at_ns` is when it was on the wire."""
        active = level_dbm0(samples) >= self._threshold_dbm0
        self._recent.append((at_ns, active))
        if self._open is not None:
            if active:
                self._open = Span(self._open.first_ns, at_ns)
            elif at_ns - self._open.last_ns > self._hangover_ns:
                self._close()
            return
        recent = [time_ns for time_ns, was_active in self._recent if was_active]
        if active and len(recent) >= OPEN_PACKETS:
            self._open = Span(recent[0], at_ns)

    def _close(self) -> None:
        if self._open is not None:
            self._closed.append(self._open)
            self._open = None
            self._recent.clear()

    def flush(self) -> None:
        """The call is over: close the span that is still open."""
        self._close()

    @property
    def current(self) -> Span | None:
        """The span that is open, if any."""
        return self._open

    @property
    def spans(self) -> tuple[Span, ...]:
        """All spans so far, the open one last."""
        return (*self._closed, self._open) if self._open is not None else tuple(self._closed)

    def active_ms_since(self, since_ns: int) -> float:
        """Milliseconds of spans that lie after a time, each counted with its last packet."""
        return sum(
            (span.last_ns - max(span.first_ns, since_ns)) / 1e6 + 20
            for span in self.spans
            if span.last_ns > since_ns
        )


def active_bounds(samples: Samples, threshold_dbm0: float = ACTIVE_DBM0) -> tuple[int, int] | None:
    """First and last active 20 ms frame of samples; None where there is none."""
    levels = [level_dbm0(samples[at : at + 160]) for at in range(0, len(samples), 160)]
    active = [index for index, level in enumerate(levels) if level >= threshold_dbm0]
    return (active[0], active[-1]) if active else None
