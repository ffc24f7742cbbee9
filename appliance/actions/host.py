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

    def perform(self, call: str, account: str, action: Action) -> str:
        """Execute an action and say how it went: DONE (now or before) or FAILED.

        Args:
            call: key of the call.
            account: the operator's own id of the account; empty if unknown.
            action: what to do; its key makes it happen once.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                self._store.add(
                    key=action.key,
                    call=call,
                    name=action.name,
                    account=account,
                    args=dict(action.args),
                    at=self._clock.now(),
                )
            except StoreError as error:
                _log.error("action not stored", call=call, action=action.name, attempt=attempt,
                           error=str(error))  # fmt: skip
                time.sleep(_WAIT_S * attempt)
            else:
                return DONE
        return FAILED

    def close(self) -> None:
        """Release the store."""
        self._store.close()
