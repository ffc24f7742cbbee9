"""What a call's tools could not write to the desk, kept until the call is over.

    tool ── refused ──> owe(call, write) ──> wrap-up `inquiry`: pay(call) ── refused ──> tried again

Only what nobody waits for: notes, whose conversation it is, what a caller has heard already. A
message that somebody would get is not among it: people are told that it was not delivered. In
memory, as all that waits for the store.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Write = Callable[[], object]


class Owed:
    """Used from any thread."""

    def __init__(self) -> None:
        self._writes: dict[str, list[Write]] = {}
        self._lock = Lock()

    def owe(self, call: str, write: Write) -> None:
        """To be written when the call is over; it must be keyed, for it may be written twice."""
        with self._lock:
            self._writes.setdefault(call, []).append(write)

    def pay(self, call: str) -> None:
        """Write what is owed for a call, in order.

        Raises:
            SourceError, StoreError: it was refused again; that, and what follows it, is still owed.
        """
        while True:
            with self._lock:
                left = self._writes.get(call)
                if not left:
                    self._writes.pop(call, None)
                    return
            left[0]()
            del left[0]
