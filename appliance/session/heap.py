"""Keeps the memory of an agent that runs for months flat.

Two things let it grow by 30 KiB a call for a thousand calls, though nothing was kept:

- Python collects what refers to itself in full only when it has grown by a quarter of all there
  is, and models, flows and prompts are much. So what is loaded is set aside once (`settle`): full
  collections then come often, and look at the calls alone, which takes no time.
- glibc keeps what was freed for later, one heap for each of a dozen threads. It goes back to the
  system at idle moments.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable

IDLE_EVERY_S, BUSY_EVERY_S = 5.0, 600.0
"""It takes some milliseconds, in which nobody gets memory: often only while no call is on."""


def settle() -> None:
    """Set aside all that there is now; for a process that has loaded what it needs for good."""
    gc.collect()
    gc.freeze()
    gc.collect()  # so that "a quarter" is of what comes from now on


def trim() -> None:
    """Collect, and give back what is free (malloc_trim(3)); the latter with glibc only."""
    gc.collect()
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)


class Heap:
    """Trims at idle moments, and sometimes where there are none. Time is handed in."""

    def __init__(self, trim: Callable[[], None] = trim) -> None:
        self._trim = trim
        self._last_ns: int | None = None

    def look(self, idle: bool, now_ns: int) -> None:
        """Trim if it is time to; `idle`: no call is on."""
        every_s = IDLE_EVERY_S if idle else BUSY_EVERY_S
        if self._last_ns is None or now_ns - self._last_ns >= every_s * 1e9:
            self._last_ns = now_ns
            self._trim()
