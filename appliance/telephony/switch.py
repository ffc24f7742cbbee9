"""The agent's telephone exchange: all lines together, and the calls that they bring.

    callers ⇄ line processes ⇄ LineKeeper (one each) → Switch.calls() → session

The lines are children of the agent, or services of their own that come to it (`lobby`); nothing
but their source differs. The agent never imports pjsua2; whatever happens in a line, this side gets
a message or an end of file. A PBX or an edge spreads calls over the lines' ports: docs/capacity.md.
A full line refuses by itself; what it says then is decided here, where it is known whether another
has room.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

import structlog

from appliance.clock import Clock
from appliance.config import LineConfig
from appliance.telephony.call import LineCall
from appliance.telephony.connection import LineSource
from appliance.telephony.keeper import LineKeeper
from appliance.telephony.lobby import Lobby
from appliance.telephony.messages import Alive, Hello, Registration
from appliance.telephony.process import LineStarter


class Switch:
    """Calls in, calls out, `processes` lines.

    Use as an async context manager: entering waits until every line takes calls, but for those
    that come by themselves and do not come.

    Attributes:
        lines: their keepers, in the order of their ports.
    """

    def __init__(
        self, config: LineConfig, clock: Clock, log: structlog.typing.FilteringBoundLogger
    ) -> None:
        self._arrived: asyncio.Queue[LineCall] = asyncio.Queue()
        self._idle = asyncio.Event()
        self._config = config
        self._lobby = Lobby(config.attach, config.processes, log) if config.attach else None
        self.lines: tuple[LineKeeper, ...] = ()
        self.lines = tuple(
            LineKeeper(
                config.of_process(index),
                self._source(index),
                clock,
                log,
                self._arrived.put_nowait,
                self._changed,
            )
            for index in range(config.processes)
        )

    @property
    def line_pid(self) -> int:
        """Process id of the first line; 0 while it is not ready for calls."""
        return self.lines[0].pid

    @property
    def registration(self) -> Registration | None:
        """The registrar's last answer: the first line is the one that registers."""
        return self.lines[0].registration

    @property
    def hello(self) -> Hello | None:
        """What the first line said about itself."""
        return self.lines[0].hello

    @property
    def line_statistics(self) -> Alive | None:
        """What all running lines last counted, in sum; None before the first count."""
        known = [line.statistics for line in self.lines if line.statistics is not None]
        if not known:
            return None
        return Alive(
            sum(each.dropped_frames for each in known),
            sum(each.dropped_requests for each in known),
            sum(each.cpu_ms for each in known),
            sum(each.refused_full for each in known),
            sum(each.refused_closed for each in known),
        )

    @property
    def line_cpu_s(self) -> float:
        """CPU time of all running lines so far, seconds, as they say once a second."""
        counted = self.line_statistics
        return counted.cpu_ms / 1000 if counted is not None else 0.0

    @property
    def missing(self) -> tuple[int, ...]:
        """Which lines are not there, by index: calls that go to them are lost."""
        return tuple(index for index, line in enumerate(self.lines) if not line.pid)

    @property
    def restarts(self) -> int:
        """How often dead lines were started again."""
        return sum(line.restarts for line in self.lines)

    @property
    def dropped_frames(self) -> int:
        """Frames of callers and for them that were dropped on any way, by all lines."""
        return sum(line.dropped_frames for line in self.lines)

    @property
    def open_calls(self) -> int:
        """Calls that have arrived or were dialled and are not over."""
        return sum(line.open_calls for line in self.lines)

    async def __aenter__(self) -> Self:
        """Start the lines, all at once, or let them in.

        Raises:
            ConfigError: one cannot start as configured (port taken, password file missing), or
                `line.attach` is no place to listen.
        """
        if self._lobby is not None:
            self._lobby.open()
        try:
            started = await asyncio.gather(
                *(line.start() for line in self.lines), return_exceptions=True
            )
        except asyncio.CancelledError:
            await self._stop()
            raise
        for result in started:
            if isinstance(result, BaseException):
                await self._stop()
                raise result
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the lines, or let them go; open calls get their `CallDown`."""
        await self._stop()

    async def calls(self) -> AsyncIterator[LineCall]:
        """Each call that arrives, from now on; runs until cancelled."""
        while True:
            call = await self._arrived.get()
            if not call.is_over:
                yield call

    def part_with(self, words: bytes) -> None:
        """What is said before calls are ended that cannot go on: s16le, 8 kHz; b"": nothing."""
        for line in self.lines:
            line.part_with(words)

    def drain(self) -> None:
        """No new calls from now on: they are refused (503), or go to `line.overflow`."""
        for line in self.lines:
            line.drain(self._config.overflow or "")

    async def until_idle(self, within_s: float) -> None:
        """Wait until no line has a call any more, or until it has taken too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.open_calls:
                    self._idle.clear()
                    await self._idle.wait()

    def dial(self, uri: str) -> LineCall:
        """Place a call; `CallUp` or `CallDown` follows in its inbox.

        A PBX takes calls from who is registered: with a registrar it is the first line. Without
        one it is the least busy line that runs.
        """
        running = [line for line in self.lines if line.pid]
        if self._config.registrar is not None or not running:
            return self.lines[0].dial(uri)
        return min(running, key=lambda line: line.open_calls).dial(uri)

    def _changed(self) -> None:
        """A call came or went, or a line did."""
        self._idle.set()
        self._spread()

    def _spread(self) -> None:
        """Tell every line where its calls go once it is full: busy, to another, or away."""
        free = [line for line in self.lines if line.has_room]
        for line in self.lines:
            others = [each for each in free if each is not line]
            if not free:
                line.send_elsewhere(self._config.overflow or "")
            elif others and self._config.spread == "redirect":
                line.send_elsewhere(min(others, key=lambda each: each.open_calls).uri)
            else:
                line.send_elsewhere("")

    def _source(self, index: int) -> LineSource:
        if self._lobby is not None:
            return self._lobby.seats[index]
        return LineStarter(self._config.of_process(index), index)

    async def _stop(self) -> None:
        if self._lobby is not None:
            self._lobby.close()
        await asyncio.gather(*(line.stop() for line in self.lines))
