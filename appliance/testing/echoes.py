"""A telephone that gives back what it hears: the test caller's echo of the appliance's voice.

    packets in -> queue of two -> delay -> response of the path -> weaker -> into what is sent

The queue is the jitter buffer that a real path has; where it runs empty or over, the echo slips by
a frame, as it does there. Used in the pacing thread: no lock, one deque operation at each end.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from appliance.testing.g711 import Samples
from appliance.types import FRAME_MS, FRAME_SAMPLES, LINE_RATE_HZ

_QUEUED, _MOST_QUEUED = 2, 5
_TAIL = 48
"""Samples of a hybrid's response: 6 ms."""


@dataclass(frozen=True, slots=True)
class EchoPath:
    """How the caller's telephone gives back what it hears.

    `delay_ms` from hearing to sending, over and above the packets' own way; `loss_db`: how much
    weaker; `seed` fixes the shape of the response. `change_s`: after so many seconds the echo
    comes by another way, 60 ms later.
    """

    delay_ms: int
    loss_db: float
    seed: int = 1
    change_s: float | None = None


class LineEcho:
    """One call's echo."""

    def __init__(self, path: EchoPath) -> None:
        self._path = path
        self._response = response(path.seed)
        self._heard: deque[NDArray[np.float64]] = deque()
        self._waiting = True
        self._before = np.zeros(len(self._response) - 1)
        self._line: deque[NDArray[np.float64]] = deque()
        self._lengthen(path.delay_ms)
        self._ticks = 0

    def take(self, samples: Samples) -> None:
        """A packet was heard; int16, [FRAME_SAMPLES]."""
        if len(self._heard) < _MOST_QUEUED:
            self._heard.append(samples.astype(np.float64))

    def frame(self) -> NDArray[np.float64]:
        """What is to be added to the packet that is sent now; [FRAME_SAMPLES], not rounded."""
        self._ticks += 1
        change_s = self._path.change_s
        if change_s is not None and self._ticks * FRAME_MS == int(change_s * 1000):
            self._lengthen(3 * FRAME_MS)
        self._line.append(self._next())
        sound = np.concatenate((self._before, self._line.popleft()))
        self._before = sound[FRAME_SAMPLES:]
        return np.convolve(sound, self._response, "valid") * 10 ** (-self._path.loss_db / 20)

    def _next(self) -> NDArray[np.float64]:
        if len(self._heard) >= _QUEUED:
            self._waiting = False
        if self._waiting or not self._heard:
            self._waiting = True
            return np.zeros(FRAME_SAMPLES)
        return self._heard.popleft()

    def _lengthen(self, ms: int) -> None:
        self._line.extend(np.zeros(FRAME_SAMPLES) for _ in range(ms // FRAME_MS))


def response(seed: int) -> NDArray[np.float64]:
    """A hybrid's response: some milliseconds that die away, of unit energy; [_TAIL]."""
    rng = np.random.default_rng(seed)
    at = np.arange(_TAIL)
    taps = rng.standard_normal(_TAIL) * np.exp(-at / (LINE_RATE_HZ * 0.001))
    taps[rng.integers(_TAIL // 4)] += 2.0
    return np.asarray(taps / np.sqrt(np.square(taps).sum()))
