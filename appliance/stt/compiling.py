"""Compiled functions whose code is kept on disk, where a disk has room and its files are whole.

    call -> code in memory -> code on disk -> compile, and keep it on disk
                              └ damaged: forget it, compile  └ no room: go on without

numba reads its files with pickle and trusts them to be whole; a power cut leaves them empty. The
appliance must start all the same, only later. Whoever can write to that folder runs code in the
appliance: it is `__pycache__` beside the module, or `NUMBA_CACHE_DIR`, or the user's own cache.
"""

# numba's cache has no types:
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function compiled at its first call, without the interpreter's lock while it runs.

    Warns, once for each reason, where compiled code cannot be kept or is damaged.
    """
    dispatcher: Any = numba.njit(nogil=True)(function)
    try:
        dispatcher._cache = _Cache(function)
    except (RuntimeError, OSError):  # numba found no folder to write to
        _warn("no folder for compiled code: the search compiles at every start")
    return dispatcher  # type: ignore[no-any-return]


class _Cache(FunctionCache):
    """numba's cache, with the faults of a disk survived."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """See numba; None where there is nothing to be had from the disk."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 (on a damaged file pickle may raise anything)
            _warn("compiled code on disk is damaged: the search is compiled anew")
            with contextlib.suppress(OSError):
                self.flush()  # an empty index: what it named is written over
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """See numba; the code stays in memory where it cannot be written."""
        try:
            super().save_overload(sig, data)
        except Exception:  # noqa: BLE001 (a damaged index is read here too)
            _warn("compiled code cannot be kept on disk: the search compiles at every start")


@functools.cache
def _warn(text: str) -> None:
    """Once for each text, as a dozen functions share a disk; numba resets Python's own count."""
    warnings.warn(text, RuntimeWarning, stacklevel=2)
