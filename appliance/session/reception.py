"""Takes the calls that arrive, has each led, and brings them to an end when the agent is to end.

told to end ─> no new calls ─> those under way go on, for drain_s ─> parting words ─> all over
cancelled ───> all are hung up at once, and write their records
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from appliance.health.readiness import Readiness
from appliance.notify import Notifier
from appliance.telephony.call import LineCall
from appliance.telephony.switch import Switch

PARTING_S, END_S = 25.0, 35.0
"""The longest that parting words take; the same with all that is to be stored and closed."""

_HANG_UP_S = 2.0
_log = structlog.get_logger()


class Reception:
    """Of one agent; used from its event loop only."""

    def __init__(self, drain_s: float, readiness: Readiness, notifier: Notifier) -> None:
        """`drain_s`: how long calls may go on once the agent is to end."""
        self._drain_s, self._readiness, self._notifier = drain_s, readiness, notifier
        self._told = asyncio.Event()
        self._sessions: dict[asyncio.Task[None], LineCall] = {}

    def __len__(self) -> int:
        """Calls that are being led."""
        return len(self._sessions)

    @property
    def drains(self) -> bool:
        """Whether new calls are to be refused."""
        return self._told.is_set()

    def drain(self) -> None:
        """Bring `run` to its end, politely."""
        self._told.set()

    async def run(
        self, switch: Switch, lead: Callable[[LineCall], Coroutine[Any, Any, None]]
    ) -> None:
        """Have every call led, as a task of its own, until told to end or cancelled."""
        taking = asyncio.create_task(self._take(switch, lead), name="taking calls")
        told = asyncio.create_task(self._told.wait())
        try:
            await asyncio.wait({taking, told}, return_when=asyncio.FIRST_COMPLETED)
            if taking.done():
                taking.result()  # a bug
            await self._drain(switch)
        finally:
            for task in (taking, told):
                task.cancel()
            await asyncio.gather(taking, told, return_exceptions=True)
            await self._end()

    async def _take(
        self, switch: Switch, lead: Callable[[LineCall], Coroutine[Any, Any, None]]
    ) -> None:
        async for call in switch.calls():
            task = asyncio.create_task(lead(call), name=f"call {call.key}")
            self._sessions[task] = call
            task.add_done_callback(self._sessions.pop)

    async def _drain(self, switch: Switch) -> None:
        _log.info("draining", calls=len(self), at_most_s=self._drain_s)
        self._readiness.hold("draining", "the agent is about to end")
        self._notifier.stopping(f"draining {len(self)} calls", self._drain_s + END_S)
        switch.drain()
        if not await self._over(self._drain_s):
            _log.warning("calls are ended with the parting words", calls=len(self))
            for call in self._sessions.values():
                call.part()
            await switch.until_idle(PARTING_S)

    async def _over(self, within_s: float) -> bool:
        """Wait until all calls are over; False if they are not by then."""
        if self._sessions:
            await asyncio.wait(list(self._sessions), timeout=within_s)
        return not self._sessions

    async def _end(self) -> None:
        """Hang up, and let every call write its record; one that takes too long is cancelled."""
        for call in self._sessions.values():
            call.hang_up()
        if not await self._over(_HANG_UP_S):
            late = list(self._sessions)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
