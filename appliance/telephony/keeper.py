"""One line kept in use, and the calls that it carries.

    LineSource ─> LineConnection ─ messages ─> LineKeeper ─ new calls ─> Switch
         ^─ gone: CallDown to its calls, the next one  └ the rest ─> LineCall.inbox()

Each line has a keeper of its own: one that dies is replaced while the others go on. Whether it is
started here or comes by itself is its source's matter.
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
from appliance.telephony.connection import SILENCE_CHECK_S, LineConnection, LineSource
from appliance.telephony.messages import (
    DIALLED_CALLS,
    Alive,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Dial,
    Digit,
    Drain,
    Elsewhere,
    FromAgent,
    Held,
    Hello,
    Message,
    PartingWords,
    Pulse,
    Registration,
    Resumed,
    TransferResult,
)
from appliance.telephony.packets import FRAMES_A_PIECE
from appliance.types import FRAME_BYTES

LONGEST_BACK_OFF_S = 5.0
HEALTHY_NS = 10_000_000_000
"""A line that ran this long starts its back-off anew."""

SOUNDLESS_CHECKS = 5
"""A call that is up ticks 50 times a second, on hold too; a line of which none does is broken."""


class LineKeeper:
    """Has one line, has another when it is gone, and hands out its calls.

    Args:
        config: the line's own section (`LineConfig.of_process`).
        source: where the lines come from.
        arrive: gets each call that comes in.
        changed: called when the number of calls has changed, or the line came or went.

    Attributes:
        registration: the registrar's last answer; None before the first or without registrar.
        hello: what the running line said about itself.
        statistics: what the running line last counted.
        restarts: how often another line was sought after one that was gone.
    """

    def __init__(
        self,
        config: LineConfig,
        source: LineSource,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
        arrive: Callable[[LineCall], None],
        changed: Callable[[], None],
    ) -> None:
        self._config, self._source = config, source
        self._changed = changed
        self._elsewhere = ""
        self._unread = 0  # frames of calls that are over
        self._clock = clock
        self._log = log
        self._arrive = arrive
        self._parting_words = b""
        self._drained_to: str | None = None
        self._frames, self._soundless_checks = 0, 0
        self._line: LineConnection | None = None
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
        """Have the line, and keep having one from now on.

        One that comes by itself may come later: the others are not kept waiting for it.

        Raises:
            ConfigError: it cannot start as configured (port taken, password file missing).
        """
        first = asyncio.create_task(self._obtain())
        try:
            await asyncio.wait({first}, timeout=self._source.patience_s)
        except asyncio.CancelledError:
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            raise
        if first.done():
            first.result()
        else:
            self._log.error("line missing: its calls are lost", sip=self._sip)
        self._keeping = asyncio.create_task(self._keep(first))

    async def stop(self) -> None:
        """End the line, or let go one that came by itself; open calls get their `CallDown`."""
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

    def part_with(self, words: bytes) -> None:
        """What is said before calls are ended that cannot go on: s16le, 8 kHz; b"": nothing.

        The line keeps it, and says it by itself when the agent is gone.
        """
        self._parting_words = words
        self._send_parting_words()

    def drain(self, target: str) -> None:
        """No new calls from now on: they are refused (503), or redirected to a SIP URI."""
        self._drained_to = target
        self._send(Drain(target))

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

    async def _obtain(self) -> None:
        line, self.hello = await self._source.obtain(self._receive)
        self._line, self._elsewhere, self._soundless_checks = line, "", 0
        self._send(Pulse())  # it is led from now on
        self._send_parting_words()
        if self._drained_to is not None:
            self._send(Drain(self._drained_to))
        self._changed()
        self._log.info(
            "line ready",
            pid=line.pid,
            sip=self._sip,
            realtime=self.hello.realtime,
            fast_frames=self.hello.fast_frames,
        )

    @property
    def _sip(self) -> str:
        return f"{self._config.address}:{self._config.port}"

    def _send_parting_words(self) -> None:
        piece, pcm = FRAMES_A_PIECE * FRAME_BYTES, self._parting_words
        pcm += bytes(-len(pcm) % FRAME_BYTES)
        for at in range(0, max(1, len(pcm)), piece):
            self._send(PartingWords(at + piece >= len(pcm), pcm[at : at + piece]))

    async def _keep(self, first: asyncio.Task[None]) -> None:
        """Have another line whenever one is gone, with back-off while they keep dying."""
        await first
        back_off_s = self._source.back_off_s
        while True:
            started_ns = self._clock.monotonic_ns()
            await self._wait_for_death()
            if self._clock.monotonic_ns() - started_ns > HEALTHY_NS:
                back_off_s = self._source.back_off_s
            while True:
                await asyncio.sleep(back_off_s)
                back_off_s = min(2 * back_off_s, LONGEST_BACK_OFF_S)
                self.restarts += 1
                try:
                    await self._obtain()
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
            self._check_sound(line)
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

    def _check_sound(self, line: LineConnection) -> None:
        """Once a second: a line whose calls have no clock any more is given up."""
        frames, self._frames = self._frames, 0
        ticks = frames or not any(call.is_up for call in self._calls.values())
        self._soundless_checks = 0 if ticks else self._soundless_checks + 1
        if self._soundless_checks > SOUNDLESS_CHECKS:
            line.give_up(f"no sound of calls for {SOUNDLESS_CHECKS * SILENCE_CHECK_S:.0f} s")

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
                self._frames += isinstance(message, Audio)
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
