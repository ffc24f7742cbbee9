"""Executes what the dialogue decided, once each; the only place with side effects for a call.

    Request ──┬─ a tool of that name ──> Result with its facts
              ├─ a tool that is a ledger: an entry of its own, kept come what may
              └─ none: a durable entry in the ledger for the operator's own systems to act on

An escalation can also be a transfer, which the call itself performs on the line.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import structlog

from appliance.actions.tools import DONE, FAILED, Claim, Request, Result, Tool
from appliance.errors import ApplianceError, StoreError

_TRIES = 3
_WAIT_S = 0.1
_log = structlog.get_logger()


@runtime_checkable
class Ledger(Protocol):
    """Where requests are kept: `store.actions.ActionStore`, or a tool like `KeepRequest`."""

    def add(self, request: Request) -> bool:
        """Keep a request; False if its key was kept before. Raises StoreError."""
        ...


class ActionHost:
    """Blocking: call it from a worker thread."""

    def __init__(self, ledger: Ledger, tools: Mapping[str, Tool] | None = None) -> None:
        self._ledger = ledger
        self._tools = tools or {}
        self._unsaved: list[Request] = []

    def perform(self, request: Request, claim: Claim) -> Result:
        """Execute a request and say how it went.

        What is only kept for people and could not be kept is tried again later, by `catch_up`;
        what any other tool could not do is not done later.
        """
        tool = self._tools.get(request.tool)
        if tool is not None and self.waits(request.tool):  # in a thread where nothing is stored
            return self._done_by(tool, request, claim)
        self.catch_up()
        if tool is not None and not isinstance(tool, Ledger):
            return self._done_by(tool, request, claim)
        for attempt in range(1, _TRIES + 1):
            if self._saved(request):
                return Result(DONE)
            time.sleep(_WAIT_S * attempt)
        self._unsaved.append(request)
        return Result(FAILED)

    def idle(self, ledger: Ledger, results: Mapping[str, Result]) -> ActionHost:
        """One for a call that must leave nothing behind: the same tools, with nothing behind them.

        Args:
            ledger: where what is only kept for people goes instead.
            results: what a tool is to answer; one that is not here fails.
        """
        tools = {name: _Idle(results.get(name, Result(FAILED))) for name in self._tools}
        return ActionHost(ledger, tools)

    def waits(self, tool: str) -> bool:
        """Whether a tool may take seconds; see `Tool`."""
        return bool(getattr(self._tools.get(tool), "waits", False))

    def catch_up(self) -> None:
        """Store what could not be stored before, in order; the first that fails ends it."""
        while self._unsaved and self._saved(self._unsaved[0]):
            del self._unsaved[0]

    @property
    def behind(self) -> bool:
        """Whether something waits to be stored."""
        return bool(self._unsaved)

    def owes(self, call: str) -> bool:
        """Whether something that a call decided waits to be stored. From any thread."""
        return any(each.call == call for each in tuple(self._unsaved))

    def close(self) -> None:
        """Store what could not be stored before; what fails again is reported."""
        self.catch_up()
        for each in self._unsaved:
            _log.error("action lost", call=each.call, action=each.tool, key=each.key)

    def _done_by(self, tool: Tool, request: Request, claim: Claim) -> Result:
        try:
            return tool(request, claim)
        except ApplianceError as error:
            _log.warning("tool failed", call=request.call, tool=request.tool, why=str(error))
            return Result(FAILED)

    def _saved(self, request: Request) -> bool:
        tool = self._tools.get(request.tool)
        ledger = tool if isinstance(tool, Ledger) else self._ledger
        try:
            ledger.add(request)
        except StoreError as error:
            _log.warning("action not stored", call=request.call, action=request.tool,
                         why=str(error))  # fmt: skip
            return False
        return True


class _Idle:
    """A tool with nothing behind it."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (see `Tool`)
        """See `Tool`."""
        return self._result
