"""Worker threads that tell how long work waited for them, and what CPU time it took."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from appliance.clock import Clock

P = ParamSpec("P")
T = TypeVar("T")
_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Apart:
    """Work that no call causes, and whose cost must not be taken for that of calls."""

    work: Callable[[], object]

    def __call__(self) -> object:
        """Do it."""
        return self.work()


class Meter:
    """What such threads measured. Thread-safe: they write, the event loop takes it away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy_s = self._apart_s = 0.0
        self._waits: deque[tuple[float, int]] = deque(maxlen=_KEPT)

    def began(self, wait_s: float, now_ns: int) -> None:
        """Work began that had waited so long."""
        with self._lock:
            self._waits.append((wait_s, now_ns))

    def ended(self, took_s: float) -> None:
        """Work took so long."""
        with self._lock:
            self._busy_s += took_s

    def ended_apart(self, took_s: float) -> None:
        """Work that no call causes took so long."""
        with self._lock:
            self._apart_s += took_s

    def take_apart(self) -> float:
        """Since the last time: seconds of work that no call causes."""
        with self._lock:
            apart_s, self._apart_s = self._apart_s, 0.0
        return apart_s

    def take(self) -> tuple[float, list[tuple[float, int]]]:
        """Since the last time: seconds of work, and how long each waited (seconds, when)."""
        with self._lock:
            busy_s, self._busy_s = self._busy_s, 0.0
            waits = list(self._waits)
            self._waits.clear()
        return busy_s, waits


class MeteredWorkers(ThreadPoolExecutor):
    """A pool of threads that tells a `Meter`."""

    def __init__(self, name: str, count: int, clock: Clock, meter: Meter) -> None:
        """`name` shows in a debugger."""
        super().__init__(max_workers=count, thread_name_prefix=name)
        self._clock, self._meter = clock, meter

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `Executor.submit`; `Apart` is measured apart."""
        asked_ns = self._clock.monotonic_ns()

        def measured() -> T:
            began_ns, began_s = self._clock.monotonic_ns(), time.thread_time()
            self._meter.began((began_ns - asked_ns) / 1e9, began_ns)
            try:
                return fn(*args, **kwargs)
            finally:
                ended = self._meter.ended_apart if isinstance(fn, Apart) else self._meter.ended
                ended(time.thread_time() - began_s)  # what others take shows in the waits

        return super().submit(measured)
