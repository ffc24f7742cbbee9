"""Gives memory that is free back to the system while no call is on.

glibc keeps what was freed for later, one heap for each of a dozen threads. What the calls of an
hour leave there is of no use to the next ones, which leave some more elsewhere: measured, 30 KiB a
call for a thousand calls, all of it free, all of it given back by one call of `malloc_trim`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

EVERY_S = 60.0
"""It takes some milliseconds, in which nobody gets memory."""


def trim() -> None:
    """Give back what is free (malloc_trim(3)); nothing where the C library is not glibc."""
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)


class Heap:
    """Trims at idle moments, not too often. Time is handed in."""

    def __init__(self, trim: Callable[[], None] = trim) -> None:
        self._trim = trim
        self._next_ns = 0

    def idle(self, now_ns: int) -> None:
        """No call is on now."""
        if now_ns >= self._next_ns:
            self._next_ns = now_ns + int(EVERY_S * 1e9)
            self._trim()
