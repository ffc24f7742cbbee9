"""Who is decoded next: all calls' recognition goes through one queue and a few threads.

    final    a turn that is over, or may be ──── earliest deadline first ────┐
    partial  what a caller has said so far ── only when no final waits or ───┴─> worker threads
             runs, one at a time; a call's newer replaces its older; none under load

A final is never dropped; one that nobody waits for any more (the caller went on, the call ended)
is skipped. A decode under way runs to its end: engines cannot be stopped. One that does not end by
its deadline is late, and its thread counts as lost until it does.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import structlog

from appliance.clock import Clock
from appliance.stt.load import Load

T = TypeVar("T")
_log = structlog.get_logger()


@dataclass(order=True, slots=True)
class _Job(Generic[T]):
    """A decode that was asked for; sorts by its due time, then by age."""

    due_ns: int
    number: int
    call: str = field(compare=False)
    speech_s: float = field(compare=False)
    work: Callable[[], T] = field(compare=False)
    future: Future[T | None] = field(compare=False)

    def run(self) -> Callable[[], None]:
        """Do the work; returns what tells its result to whoever waits for it."""
        try:
            return partial(self.future.set_result, self.work())
        except Exception as error:  # noqa: BLE001 (handed to whoever awaits the future)
            return partial(self.future.set_exception, error)


class Scheduler:
    """Hands decodes to an executor's threads, the most urgent first. Thread-safe.

    Attributes:
        load: what the decodes cost; says whether one more call can be taken.
    """

    def __init__(self, executor: Executor, clock: Clock, load: Load) -> None:
        """`executor`'s threads do nothing else; their number is that of decodes at once."""
        self.load = load
        self._executor, self._clock = executor, clock
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._finals: list[_Job[Any]] = []
        self._partials: dict[str, _Job[Any]] = {}
        self._running_finals: dict[Future[Any], _Job[Any]] = {}
        self._hanging: set[Future[Any]] = set()
        self._partial_runs = False

    def final(self, call: str, speech_s: float, due_ns: int, work: Callable[[], T]) -> Future[T]:
        """Decode what a caller said.

        Args:
            call: names the call.
            speech_s: length of the utterance, seconds.
            due_ns: when the turn ends at the earliest, on the clock's monotonic time.
            work: does it, in a worker's thread.

        Returns:
            The result of `work`. Cancelled while it waits, the work is not done.
        """
        future: Future[Any] = Future()
        with self._lock:
            job = _Job(due_ns, next(self._numbers), call, speech_s, work, future)
            heapq.heappush(self._finals, job)
            crowded = bool(self._running_finals)
            dropped = self._take_partials() if crowded else self._take_partials(call)
        for each in dropped:
            _drop(each)
        self._executor.submit(self._work)
        return future

    def partial(self, call: str, speech_s: float, work: Callable[[], T]) -> Future[T | None]:
        """Decode what a caller has said so far, if there is time for that.

        Returns:
            The result of `work`; None where the decode was dropped.
        """
        future: Future[Any] = Future()
        now_ns = self._clock.monotonic_ns()
        job = _Job(now_ns, next(self._numbers), call, speech_s, work, future)
        light = self.load.is_light(now_ns)
        with self._lock:
            dropped = self._take_partials(call)
            if light and not self._finals:
                self._partials[call] = job
            else:
                dropped.append(job)
        for each in dropped:
            _drop(each)
        if job not in dropped:
            self._executor.submit(self._work)
        return future

    def give_up(self, decode: Future[T], due_ns: int) -> None:
        """A final did not come by its deadline, and nobody waits for it any more.

        Args:
            decode: what `final` returned; cancelled if it never began.
            due_ns: when it was due.
        """
        now_ns = self._clock.monotonic_ns()
        with self._lock:
            job = self._running_finals.get(decode)
            if job is not None:
                self._hanging.add(decode)
            elif not decode.cancelled():
                return  # it has ended meanwhile, and told how late it was
            self.load.hang(len(self._hanging))
        self.load.answered((now_ns - due_ns) / 1e9, now_ns)
        if job is not None:
            _log.error("a decode hangs", call=job.call, speech_s=round(job.speech_s, 1))

    def forget(self, call: str) -> None:
        """What a caller had said so far is of no more use."""
        with self._lock:
            dropped = self._take_partials(call)
        for each in dropped:
            _drop(each)

    def close(self) -> None:
        """Wait for what runs and drop what waits."""
        with self._lock:
            finals, self._finals = self._finals, []
            dropped = self._take_partials()
        for job in finals:
            job.future.cancel()
        for job in dropped:
            _drop(job)
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _work(self) -> None:
        """In a worker: whatever may run now, until there is nothing."""
        while True:
            with self._lock:
                job, is_final = self._next()
            if job is None:
                return
            started_ns = self._clock.monotonic_ns()
            tell = job.run()
            ended_ns = self._clock.monotonic_ns()
            with self._lock:
                told = job.future in self._hanging
                if is_final:
                    del self._running_finals[job.future]
                    self._hanging.discard(job.future)
                    self.load.hang(len(self._hanging))
                else:
                    self._partial_runs = False
            if is_final:
                self.load.decoded(job.speech_s, (ended_ns - started_ns) / 1e9, ended_ns)
            if is_final and not told:
                self.load.answered((ended_ns - job.due_ns) / 1e9, ended_ns)
            tell()

    def _next(self) -> tuple[_Job[Any] | None, bool]:
        """What is to run now, taken out of its queue; and whether it is a final."""
        while self._finals:
            job = heapq.heappop(self._finals)
            if job.future.set_running_or_notify_cancel():
                self._running_finals[job.future] = job
                return job, True
        while self._partials and not self._running_finals and not self._partial_runs:
            job = self._partials.pop(next(iter(self._partials)))
            if job.future.set_running_or_notify_cancel():
                self._partial_runs = True
                return job, False
        return None, False

    def _take_partials(self, call: str | None = None) -> list[_Job[Any]]:
        """Waiting partials of one call, or all of them, out of their queue."""
        if call is None:
            taken, self._partials = list(self._partials.values()), {}
            return taken
        job = self._partials.pop(call, None)
        return [job] if job is not None else []


def _drop(job: _Job[Any]) -> None:
    """Tell who waits for a partial that it will not come."""
    if job.future.set_running_or_notify_cancel():
        job.future.set_result(None)
