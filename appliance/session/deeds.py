"""What a call's turns do, once each.

    Action ─> performed in a worker ───────────────────────────> ToolDone(outcome, facts)
           └> a request for a person, where one is configured:
              stored, then transferred once the last prompt has been played ─> ToolDone

A transfer that the dialogue has left before it began ("call me back instead") is not made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, Protocol

from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.dialogue.declarations import Tool
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import END_CALL, Action, State, Turn
from appliance.session.journal import Journal
from appliance.session.leg import Leg
from appliance.session.services import Services
from appliance.types import FRAME_MS

_TIMED_OUT = 408  # as SIP says it

ESCALATE = "escalate_to_human"
"""The tool that becomes a transfer where the operator configured a person's number."""


class Owner(Protocol):
    """What deeds ask of the call that they are done for."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        ...

    def deed_done(self, action: Action, result: Result) -> None:
        """An action came to its outcome."""
        ...


class Deeds:
    """One call's actions; used from the event loop only."""

    def __init__(
        self, leg: Leg, services: Services, journal: Journal, owner: Owner, number: str
    ) -> None:
        self._leg = leg
        self._number = number
        self._services = services
        self._journal = journal
        self._owner = owner
        self._account = self._flow = ""
        self._tools: Mapping[str, Tool] = {}
        self._timeout_ms = 0.0
        self._transferring_ms = 0
        self._asked_in = ""
        self.done: list[tuple[str, str]] = []
        """Each action that came to an outcome, with that outcome."""
        self._waiting: Action | None = None
        self._transferring: Action | None = None

    def take(self, turn: Turn, flow: CallFlow) -> None:
        """Begin the actions of a turn of a flow."""
        self._account, self._flow = flow.account_id, flow.flow.name
        self._tools = flow.flow.spec.tools
        self._leave(turn.state)
        for action in turn.actions:
            if action.name == END_CALL:
                # Carried out by the call itself, when the last prompt has been played.
                self._note(action, DONE)
            elif action.name == ESCALATE and self._transferring is not None:
                self._transferring = action  # asked for again: it is under way
                self._owner.spawn(self._store(self._request(action)))
            elif action.name == ESCALATE and self._services.call.human:
                self._timeout_ms = self._tools[ESCALATE].timeout_s * 1000
                self._waiting, self._asked_in = action, turn.state.current
                self._owner.spawn(self._store(self._request(action)))
            else:
                limit_s = self._tools[action.name].timeout_s
                self._journal.begun(action)
                self._owner.spawn(self._perform(action, self._request(action), limit_s))

    @property
    def transferring(self) -> bool:
        """Whether the caller is being sent to a person."""
        return self._transferring is not None

    def tick(self, *, quiet: bool) -> None:
        """Begin a waiting transfer once nobody speaks."""
        target = self._services.call.human
        if self._waiting is not None and quiet and target is not None:
            self._transferring, self._waiting = self._waiting, None
            self._transferring_ms = 0
            self._leg.transfer(target)
        elif self._transferring is not None:
            self._transferring_ms += FRAME_MS
            if self._transferring_ms >= self._timeout_ms:
                self.transferred(_TIMED_OUT)

    def transferred(self, code: int) -> None:
        """The line says how the transfer ended, as a SIP status."""
        action, self._transferring = self._transferring, None
        if action is not None:
            self._finish(action, Result(DONE if 200 <= code < 300 else FAILED))

    def _leave(self, state: State) -> None:
        if self._waiting is not None and state.current != self._asked_in:
            self._note(self._waiting, FAILED)
            self._waiting = None

    async def _perform(self, action: Action, request: Request, limit_s: float) -> None:
        claim = Claim()
        work = self._begin(request, claim)
        try:
            async with asyncio.timeout(limit_s):
                result = await asyncio.shield(work)
        except TimeoutError:  # the caller is not kept waiting for it
            result = Result(FAILED) if claim.give_up() else await work
        # A request for a person is kept, but there is nobody to send the caller to.
        self._finish(action, Result(FAILED) if action.name == ESCALATE else result)

    async def _store(self, request: Request) -> None:
        await self._begin(request, Claim())

    def _request(self, action: Action) -> Request:
        """Of the flow that asks for it: by the time that it is performed there may be another."""
        return Request(
            key=action.key, call=self._leg.key, tool=action.name, args=action.args,
            at=self._services.clock.now(), number=self._number, account=self._account,
            flow=self._flow,
        )  # fmt: skip

    def _begin(self, request: Request, claim: Claim) -> asyncio.Future[Result]:
        services, loop = self._services, asyncio.get_running_loop()
        waits = services.actions.waits(request.tool)
        worker = services.outside_workers if waits else services.store_worker
        return loop.run_in_executor(worker, services.actions.perform, request, claim)

    def _finish(self, action: Action, result: Result) -> None:
        self._note(action, result.outcome)
        self._owner.deed_done(action, result)

    def _note(self, action: Action, outcome: str) -> None:
        self.done.append((action.name, outcome))
        self._journal.action(action, outcome)
