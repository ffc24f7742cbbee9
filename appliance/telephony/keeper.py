"""One line process kept alive, and the calls that it carries.

    LineProcess ─ messages ─> LineKeeper ─ new calls ─> Switch
         └ died: CallDown to its calls, start again  └ the rest ─> LineCall.inbox()

Each line process has a keeper of its own: one that dies is started again while the others go on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import structlog

from appliance.clock import Clock
from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.call import LineCall
from appliance.telephony.messages import (
    DIALLED_CALLS,
    Alive,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Dial,
    Digit,
    Elsewhere,
    FromAgent,
    Held,
    Hello,
    Message,
    Registration,
    Resumed,
    TransferResult,
)
from appliance.telephony.process import SILENCE_CHECK_S, LineProcess

FIRST_BACK_OFF_S, LONGEST_BACK_OFF_S = 0.2, 5.0
HEALTHY_NS = 10_000_000_000
"""A line that ran this long starts its back-off anew."""


class LineKeeper:
    """Starts one line process, starts it again when it dies, and hands out its calls.

    Args:
        config: the line's own section (`LineConfig.of_process`).
        arrive: gets each call that comes in.
        changed: called when the number of calls has changed, or the line came or went.

    Attributes:
        registration: the registrar's last answer; None before the first or without registrar.
        hello: what the running line said about itself.
        statistics: what the running line last counted as dropped.
        restarts: how often a dead line was started again.
    """

    def __init__(
        self,
        config: LineConfig,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
        arrive: Callable[[LineCall], None],
        changed: Callable[[], None],
    ) -> None:
        self._config = config
        self._changed = changed
        self._elsewhere = ""
        self._unread = 0  # frames of calls that are over
        self._clock = clock
        self._log = log
        self._arrive = arrive
        self._line: LineProcess | None = None
        self._calls: dict[int, LineCall] = {}
        self._keeping: asyncio.Task[None] | None = None
        self._next_dialled = DIALLED_CALLS
        self.registration: Registration | None = None
        self.hello: Hello | None = None
        self.statistics: Alive | None = None
        self.restarts = 0

    @property
    def pid(self) -> int:
        """Process id of the line; 0 while none is ready for calls."""
        return self._line.pid if self._line and not self._line.gone.is_set() else 0

    @property
    def uri(self) -> str:
        """The SIP URI that calls reach this line by."""
        host = self._config.public_address or self._config.address
        return f"sip:appliance@{host}:{self._config.port}"

    @property
    def has_room(self) -> bool:
        """Whether the line would take a call now."""
        return bool(self.pid) and len(self._calls) < self._config.max_calls

    @property
    def dropped_frames(self) -> int:
        """Frames of callers and for them that were dropped on any way so far.

        Counted anew by a line that was started again.
        """
        by_line = self.statistics.dropped_frames if self.statistics is not None else 0
        to_line = self._line.dropped_frames if self._line is not None else 0
        unread = sum(call.dropped_frames for call in self._calls.values())
        return by_line + to_line + self._unread + unread

    @property
    def open_calls(self) -> int:
        """Calls that have arrived or were dialled and are not over."""
        return len(self._calls)

    async def start(self) -> None:
        """Start the line, and keep it running from now on.

        Raises:
            ConfigError: it cannot start as configured (port taken, password file missing).
        """
        await self._start_line()
        self._keeping = asyncio.create_task(self._keep_line())

    async def stop(self) -> None:
        """Hang up, unregister and end the line; open calls get their `CallDown`."""
        if self._keeping is not None:
            self._keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeping
        if self._line is not None:
            await self._line.stop()
        self._end_calls("the appliance ends")

    def send_elsewhere(self, target: str) -> None:
        """Say where calls are sent that find the line full: a SIP URI, or nowhere ("", 486)."""
        if target != self._elsewhere:
            self._elsewhere = target
            self._send(Elsewhere(target))

    def dial(self, uri: str) -> LineCall:
        """Place a call; `CallUp` or `CallDown` follows in its inbox."""
        number = self._next_dialled
        self._next_dialled += 1
        call = LineCall(CallArrived(number, "", "", uri, ""), self._send)
        self._calls[number] = call
        if self.pid:
            self._send(Dial(number, uri))
        else:
            self._receive(CallDown(number, 503, "no line process", "line"))
        self._changed()
        return call

    def _send(self, message: FromAgent) -> None:
        if self._line is not None:
            self._line.send(message)

    async def _start_line(self) -> None:
        line = LineProcess(self._receive)
        self.hello = await line.start(self._config)
        self._line, self._elsewhere = line, ""
        self._changed()
        self._log.info(
            "line ready",
            pid=line.pid,
            sip=f"{self._config.address}:{self._config.port}",
            realtime=self.hello.realtime,
            fast_frames=self.hello.fast_frames,
        )

    async def _keep_line(self) -> None:
        """Start the line again whenever it dies, with back-off while it keeps dying."""
        back_off_s = FIRST_BACK_OFF_S
        while True:
            started_ns = self._clock.monotonic_ns()
            await self._wait_for_death()
            if self._clock.monotonic_ns() - started_ns > HEALTHY_NS:
                back_off_s = FIRST_BACK_OFF_S
            while True:
                await asyncio.sleep(back_off_s)
                back_off_s = min(2 * back_off_s, LONGEST_BACK_OFF_S)
                self.restarts += 1
                try:
                    await self._start_line()
                except ConfigError as error:
                    self._log.error("line does not start", why=str(error), again_s=back_off_s)
                else:
                    break

    async def _wait_for_death(self) -> None:
        line = self._line
        assert line is not None
        while not line.gone.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(line.gone.wait(), SILENCE_CHECK_S)
            line.check_silence()
        open_calls = len(self._calls)
        self._end_calls("the line process died")
        await line.kill()
        self._log.error(
            "line died",
            pid=line.pid,
            how=await line.exit_status(),
            fault=line.fault,
            calls_lost=open_calls,
        )

    def _end_calls(self, reason: str) -> None:
        self.registration = None
        calls, self._calls = self._calls, {}
        for number, call in calls.items():
            call.deliver(CallDown(number, 503, reason, "line"))
        self._changed()

    def _receive(self, message: Message) -> None:
        """One message of the line; those about calls we do not know are late and void."""
        match message:
            case Audio() | CallUp() | Digit() | Held() | Resumed() | TransferResult():
                call = self._calls.get(message.call)
                if call is not None:
                    call.deliver(message)
            case CallArrived():
                arrived = LineCall(message, self._send)
                self._calls[message.call] = arrived
                self._changed()
                self._log.info("call arrived", call=arrived.key, peer=arrived.peer)
                self._arrive(arrived)
            case Registration():
                self.registration = message
                self._log.info("registration", code=message.code, expires_s=message.expires_s)
            case CallDown():
                ended = self._calls.pop(message.call, None)
                self._changed()
                if ended is not None:
                    self._unread += ended.dropped_frames
                    ended.deliver(message)
                    self._log.info("call down", call=ended.key, code=message.code, by=message.by)
            case Alive():
                self.statistics = message
            case _:
                self._log.error("the line sent what only an agent sends", kind=message.KIND)
