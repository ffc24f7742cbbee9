"""Whether the engines work: recognizer, understanding and voice, by how their last inputs went.

One failure is an input that an engine could not take; the dialogue has a way on. Several in a row,
with none that worked in between, are an engine that is broken. It is taken for broken only for
a while: were calls kept away for longer, nothing would ever show that it works again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from prometheus_client import CollectorRegistry, Counter

STAGES = ("stt", "nlu", "tts", "call")
"""`call`: the whole call failed, not an engine."""
ENGINES: dict[str, str] = {
    "stt": "the recognizer", "nlu": "the understanding of words", "tts": "the voice"
}  # fmt: skip

_IN_A_ROW = 3
_LASTS_S = 60.0


class Engines:
    """Counts what fails. Thread-safe."""

    def __init__(self, registry: CollectorRegistry, now_s: Callable[[], float] = monotonic) -> None:
        self._now_s = now_s
        self._lock = threading.Lock()
        self._failures: dict[str, list[float]] = {}
        self._count = Counter(
            "appliance_failures", "What could not be recognized, understood, spoken; calls that "
            "failed", ["stage"], registry=registry,
        )  # fmt: skip
        for stage in STAGES:
            self._count.labels(stage)

    def failed(self, stage: str) -> None:
        """One input could not be taken; `stage` is one of `STAGES`."""
        self._count.labels(stage if stage in STAGES else "call").inc()
        with self._lock:
            last = [*self._failures.get(stage, []), self._now_s()]
            self._failures[stage] = last[-_IN_A_ROW:]

    def worked(self, stage: str) -> None:
        """One was taken."""
        with self._lock:
            self._failures.pop(stage, None)

    @property
    def broken(self) -> str:
        """Which engines failed again and again lately, in words; empty if none did."""
        since_s = self._now_s() - _LASTS_S
        with self._lock:
            found = [
                name for stage, name in ENGINES.items()
                if len(last := self._failures.get(stage, [])) == _IN_A_ROW and last[0] > since_s
            ]  # fmt: skip
        return ", ".join(f"{name} fails" for name in found)
