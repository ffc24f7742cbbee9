"""Executes what the dialogue decided, once each; the only place with side effects for a call.

In this version every tool of a flow is a durable entry for the operator's own systems to act
on; an escalation can also be a transfer, which the call itself performs on the line.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Protocol

import structlog

from appliance.clock import Clock
from appliance.dialogue.turn import Action
from appliance.errors import StoreError

DONE = "done"
FAILED = "failed"
"""The outcomes that every tool of a flow declares."""

_TRIES = 3
_WAIT_S = 0.1
_log = structlog.get_logger()


class Ledger(Protocol):
    """Where actions are kept: `store.actions.ActionStore`."""

    def add(
        self, *, key: str, call: str, name: str, account: str, args: dict[str, Any], at: datetime
    ) -> bool:
        """Keep an action; False if its key was kept before. Raises StoreError."""
        ...

    def close(self) -> None:
        """Release it."""
        ...


class ActionHost:
    """Blocking: call it from a worker thread."""

    def __init__(self, store: Ledger, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._unsaved: list[dict[str, Any]] = []

    def perform(self, call: str, account: str, action: Action) -> str:
        """Execute an action and say how it went: DONE (now or before) or FAILED.

        One that FAILED is kept and tried again with the next action and at `close`.

        Args:
            call: key of the call.
            account: the operator's own id of the account; empty if unknown.
            action: what to do; its key makes it happen once.
        """
        self._catch_up()
        entry = {
            "key": action.key,
            "call": call,
            "name": action.name,
            "account": account,
            "args": dict(action.args),
            "at": self._clock.now(),
        }
        for attempt in range(1, _TRIES + 1):
            if self._saved(entry):
                return DONE
            time.sleep(_WAIT_S * attempt)
        self._unsaved.append(entry)
        return FAILED

    def close(self) -> None:
        """Store what could not be stored before, and release the store."""
        self._catch_up()
        for entry in self._unsaved:
            _log.error("action lost", call=entry["call"], action=entry["name"], key=entry["key"])
        self._store.close()

    def _catch_up(self) -> None:
        self._unsaved = [entry for entry in self._unsaved if not self._saved(entry)]

    def _saved(self, entry: dict[str, Any]) -> bool:
        try:
            self._store.add(**entry)
        except StoreError as error:
            _log.warning("action not stored", call=entry["call"], action=entry["name"],
                         why=str(error))  # fmt: skip
            return False
        return True
