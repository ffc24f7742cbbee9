"""The wrap-up behind every flow: a call is settled once what it decided is stored.

    call is over ── something of it waits for the store ──> refused: no record until it is there
    call that a crash cut off ── a stop request was begun ──> stored now, under the key it had

A record is the sign that nothing is left to be done for a call. Without this a box whose disk is
full would write the record, hold the stop request in memory, and forget it when it is killed:
"your request is in the record of this call" would be all that is left of it.

Only stop requests are done again: they need no words of the caller's, which no log holds, and who
made one must never be called, even where the crash came before he heard an answer. Other actions
that a crash cut off were confirmed to nobody.
"""

from __future__ import annotations

from typing import Protocol

from appliance.actions.tools import Request
from appliance.actions.wrapup import CallOver
from appliance.errors import StoreError

SETTLE = "settle"
"""Its name among the wrap-ups."""

STOP = "mark_do_not_contact"
"""The tool of a caller who wants no more calls, in every flow."""


class Deeds(Protocol):
    """What the calls did: `actions.host.ActionHost`. Used from any thread."""

    def owes(self, call: str) -> bool:
        """Whether something of a call waits to be stored."""
        ...


class Ledger(Protocol):
    """Where stop requests are kept: `store.actions.ActionStore`."""

    def add(self, request: Request) -> bool:
        """Keep it; False if its key was kept before. Raises StoreError."""
        ...


class Settle:
    """See the module. Running it again for the same call changes nothing."""

    def __init__(self, deeds: Deeds, ledger: Ledger) -> None:
        self._deeds = deeds
        self._ledger = ledger

    def __call__(self, over: CallOver) -> None:
        """See `WrapUp`."""
        if self._deeds.owes(over.call):
            raise StoreError("what the call decided waits to be stored")
        for tool, key in over.unsettled:
            if tool == STOP:
                self._ledger.add(_request(over, key))


def _request(over: CallOver, key: str) -> Request:
    """As the call made it, but for the account: no log holds whose it was. The number says it."""
    return Request(
        key=key, call=over.call, tool=STOP, args={}, at=over.started, number=over.number,
        flow=over.flow,
    )  # fmt: skip
