"""What a call's tools could not write to the desk, kept until the call is over.

    tool ── refused ──> owe(call, write) ──> wrap-up `inquiry`: pay(call) ── refused ──> tried again

Only what nobody waits for: notes, whose conversation it is, what a caller has heard already. A
message that somebody would get is not among it: people are told that it was not delivered. In
memory, as all that waits for the store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock

import structlog

from appliance.errors import ApplianceError

Write = Callable[[], object]
_REMEMBERED = 1000  # calls that are over; a tool is late by seconds
_log = structlog.get_logger()


class Owed:
    """Used from any thread."""

    def __init__(self) -> None:
        self._writes: dict[str, list[Write]] = {}
        self._over: deque[str] = deque(maxlen=_REMEMBERED)
        self._lock = Lock()

    def owe(self, call: str, write: Write) -> None:
        """To be written when the call is over; it must be keyed, for it may be written twice.

        Where the call is over already (its tool was late), it is written now, or reported.
        """
        with self._lock:
            is_over = call in self._over
            if not is_over:
                self._writes.setdefault(call, []).append(write)
        if is_over:
            try:
                write()
            except ApplianceError as error:
                _log.error("not written to the desk", call=call, why=str(error))

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
                    self._over.append(call)
                    return
            left[0]()
            del left[0]
