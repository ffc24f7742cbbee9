"""Feeds systemd's watchdog while the agent gets on; when it does not, systemd starts it anew.

    this task runs ──────────────────────── the event loop turns ─┐
    a probe comes back from each worker ─── none of them hangs ───┼─> WATCHDOG=1
    a decode can still end ──────────────── somebody hears ───────┘

Lines are looked after elsewhere: `LineKeeper` replaces one that hangs, or whose calls have no clock
any more. Threads that may wait for the world outside (helpdesks, mail servers) are not watched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future

import structlog

from appliance.clock import Clock
from appliance.notify import Notifier
from appliance.session.metered import Apart

HUNG_S = 60.0
"""A sentence or a write to the database takes less; both have deadlines of a few seconds."""

HEARING = "hearing"
_LOOK_S = 5.0
_log = structlog.get_logger()


class Vigil:
    """Knows which parts of the agent that calls need have done nothing for HUNG_S.

    Args:
        workers: threads that are given a small piece of work now and then, by name.
        deaf: whether no decode can end any more, as far as is known.
    """

    def __init__(
        self, workers: Mapping[str, Executor], deaf: Callable[[], bool], clock: Clock
    ) -> None:
        self._workers, self._deaf, self._clock = workers, deaf, clock
        self._probes: dict[str, Future[object]] = {}
        self._waits_since_ns: dict[str, int] = {}

    def hung(self) -> tuple[str, ...]:
        """Their names; to be asked every few seconds."""
        waits = {name for name, worker in self._workers.items() if not self._returned(name, worker)}
        if self._deaf():
            waits.add(HEARING)
        now_ns = self._clock.monotonic_ns()
        self._waits_since_ns = {
            name: self._waits_since_ns.get(name, now_ns) for name in sorted(waits)
        }
        since = self._waits_since_ns.items()
        return tuple(name for name, since_ns in since if now_ns - since_ns > HUNG_S * 1e9)

    def _returned(self, name: str, worker: Executor) -> bool:
        """Whether the last probe came back; then another is sent."""
        probe = self._probes.get(name)
        if probe is not None and not probe.done():
            return False
        self._probes[name] = worker.submit(Apart(_nothing))
        return True


class Watchdog:
    """Tells systemd about one agent; `status` is what the agent is doing, in a line."""

    def __init__(self, notifier: Notifier, vigil: Vigil, status: Callable[[], str]) -> None:
        self._notifier, self._vigil, self._status = notifier, vigil, status
        self._hung: tuple[str, ...] = ()

    async def run(self) -> None:
        """Look until cancelled; to be run in the loop that the calls are served in."""
        every_s = min(_LOOK_S, self._notifier.watchdog_s / 4 or _LOOK_S)
        while True:
            self.look()
            await asyncio.sleep(every_s)

    def look(self) -> None:
        """Feed the watchdog, or say why not."""
        hung = self._vigil.hung()
        if hung and hung != self._hung:
            _log.error("hangs: the watchdog is not fed any more", workers=hung)
        self._hung = hung
        if hung:
            self._notifier.status(f"hangs: {', '.join(hung)}")
        else:
            self._notifier.alive()
            self._notifier.status(self._status())


def _nothing() -> None:
    pass
