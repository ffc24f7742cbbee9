"""How many threads training may use while others work on the same machine.

Training fills a night or a pause; it must not slow a call loop or another training down. So the
load of everybody else is measured now and then, and only cores that they leave idle are taken.
Linux only (``/proc/stat``).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Courtesy:
    """Advises on threads between 1 and ``most`` from the load of other processes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._last = (time.monotonic(), time.process_time(), _busy_s())

    def threads(self) -> int:
        """Threads to use until the next question, judged by the time since the last one.

        Call it every ten seconds or so; a shorter interval gives noise.
        """
        now = (time.monotonic(), time.process_time(), _busy_s())
        wall, own, busy = (after - before for after, before in zip(now, self._last, strict=True))
        self._last = now
        others = max(0.0, (busy - own) / max(wall, 1e-3))
        spare = (os.cpu_count() or 1) - others
        # A core that is mostly taken makes every thread of a step wait for the slowest one.
        return max(1, min(self._most, int(spare + 0.35)))


def _busy_s() -> float:
    """Core-seconds of work on the machine since its start."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    idle = fields[3] + fields[4]  # idle and iowait, see proc(5)
    return (sum(fields[:8]) - idle) / _TICKS_A_SECOND
