"""What a tool of the box is: a function that does one thing for a call and says what came of it.

    Request ──> Tool(request, claim) ──> Result(outcome, facts)

A flow declares the tools that it calls with their outcomes; `host` finds the one of that name. A
tool runs in a worker thread and may take its time, but not more than the flow gives it: then the
caller hears of a failure, and nothing must be done any more. `Claim` decides that race once.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

DONE = "done"
FAILED = "failed"
"""The outcomes of a tool that only stores what it is given; every tool of a flow has `failed`."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a call wants done.

    Attributes:
        key: names this request and no other; the same key again is the same request.
        call: key of the call.
        tool: name of the tool, as the flow declares it.
        args: its arguments, as text.
        at: local time of the request.
        number: the caller's telephone number; empty if it is not known.
        account: the operator's own id of the account; empty if unknown.
        flow: name of the flow.
    """

    key: str
    call: str
    tool: str
    args: Mapping[str, str]
    at: datetime
    number: str = ""
    account: str = ""
    flow: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One of the outcomes that the flow declares, with the facts that come with it."""

    outcome: str
    facts: Mapping[str, str] = field(default_factory=dict)


class Claim:
    """Whether a request is still wanted: either the tool takes it or the call gives it up, once.

    A tool calls `take` right before what it does becomes lasting (in its transaction, before the
    commit) and undoes everything where that is False. It may `take` as often as it likes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = False
        self._given_up = False

    def take(self) -> bool:
        """Whether what was asked for may be done."""
        with self._lock:
            self._taken = not self._given_up
            return self._taken

    def give_up(self) -> bool:
        """No longer wanted; False where it is too late for that: the result will come."""
        with self._lock:
            self._given_up = not self._taken
            return self._given_up


class Tool(Protocol):
    """Blocking; called from a worker thread, by several calls at once.

    One that waits for other systems says so by an attribute `waits = True`: it then has a thread of
    its own, and holds up nobody who only wants to store something.
    """

    def __call__(self, request: Request, claim: Claim) -> Result:
        """Do it, and say what came of it.

        Raises:
            ApplianceError: it could not be done; the flow takes its route for `failed`.
        """
        ...
