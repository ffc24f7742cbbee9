"""One telephone call as the agent holds it: commands out, events in."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable

from appliance.telephony.messages import (
    Answer,
    Audio,
    CallArrived,
    CallDown,
    CallUp,
    Digit,
    Flush,
    FromAgent,
    HangUp,
    Held,
    Part,
    Play,
    Redirect,
    Reject,
    Resumed,
    SendDigits,
    Transfer,
    TransferResult,
)

LineEvent = CallUp | Audio | Digit | Held | Resumed | TransferResult | CallDown

MAX_WAITING_FRAMES = 100
"""Two seconds: an agent that stalls longer has lost the conversation anyway."""


class Inbox:
    """Events in order; bounded by dropping the oldest audio, never a control event."""

    def __init__(self) -> None:
        self._events: deque[LineEvent] = deque()
        self._frames = 0
        self._filled = asyncio.Event()
        self.dropped_frames = 0

    def put(self, event: LineEvent) -> None:
        """Append; makes room for audio by dropping the oldest audio."""
        if isinstance(event, Audio):
            if self._frames >= MAX_WAITING_FRAMES:
                self._drop_oldest_frame()
            self._frames += 1
        self._events.append(event)
        self._filled.set()

    async def get(self) -> LineEvent:
        """The next event, when there is one."""
        while not self._events:
            self._filled.clear()
            await self._filled.wait()
        event = self._events.popleft()
        if isinstance(event, Audio):
            self._frames -= 1
        return event

    def __len__(self) -> int:
        return len(self._events)

    def _drop_oldest_frame(self) -> None:
        for index, event in enumerate(self._events):
            if isinstance(event, Audio):
                del self._events[index]
                self._frames -= 1
                self.dropped_frames += 1
                return


class LineCall:
    """A call that arrived (or that `Switch.dial` placed).

    Commands to a call that is over do nothing: its `CallDown` may still be in the inbox.

    Attributes:
        key: unique across restarts of line and agent; names the call in every log and record.
        peer: IP address that the call came from.
        from_uri: the caller, as the peer gave it: unverified.
        to_uri: what was dialled.
        sip_call_id: the Call-ID header.
        is_up: whether the call is answered and not over: audio ticks.
        is_over: whether `CallDown` was received.
    """

    def __init__(self, arrived: CallArrived, send: Callable[[FromAgent], None]) -> None:
        self._number = arrived.call
        self._send = send
        self._inbox = Inbox()
        self.key = uuid.uuid4().hex
        self.peer = arrived.peer
        self.from_uri = arrived.from_uri
        self.to_uri = arrived.to_uri
        self.sip_call_id = arrived.sip_call_id
        self.is_up = self.is_over = False

    @property
    def dropped_frames(self) -> int:
        """Frames of the caller lost because the agent did not read in time."""
        return self._inbox.dropped_frames

    def answer(self) -> None:
        """Accept the call; `CallUp` follows when the caller has confirmed."""
        self._command(Answer(self._number))

    def reject(self, code: int) -> None:
        """Refuse the call with a SIP status of 300..699, e.g. 486 for busy."""
        self._command(Reject(self._number, code))

    def redirect(self, target: str) -> None:
        """Refuse the call by sending it to a SIP URI (302)."""
        self._command(Redirect(self._number, target))

    def play(self, pcm: bytes) -> None:
        """Queue one 20 ms frame (FRAME_BYTES, s16le at LINE_RATE_HZ).

        The line keeps 300 ms and drops the oldest past that: send as `Audio` events tick.
        """
        self._command(Play(self._number, pcm))

    def flush(self) -> None:
        """Drop what was queued and has not gone out; `Audio.played` says how much did."""
        self._command(Flush(self._number))

    def hang_up(self) -> None:
        """End the call; `CallDown` follows."""
        self._command(HangUp(self._number))

    def part(self) -> None:
        """End the call with the parting words; for us it is over at once."""
        self._command(Part(self._number))
        self.deliver(CallDown(self._number, 503, "the appliance ends", "agent"))

    def transfer(self, target: str) -> None:
        """Send the caller to a SIP URI; `TransferResult` follows, and `CallDown` on success."""
        self._command(Transfer(self._number, target))

    def send_digits(self, digits: str) -> None:
        """Press keys (0-9, *, #, A-D) towards the peer."""
        self._command(SendDigits(self._number, digits))

    async def inbox(self) -> AsyncIterator[LineEvent]:
        """All events in order; ends after `CallDown`. For one reader."""
        while True:
            event = await self._inbox.get()
            yield event
            if isinstance(event, CallDown):
                return

    def deliver(self, event: LineEvent) -> None:
        """For the switch: put an event into the inbox; nothing follows a `CallDown`."""
        if self.is_over:
            return
        self.is_over = isinstance(event, CallDown)
        self.is_up = not self.is_over and (self.is_up or isinstance(event, CallUp))
        self._inbox.put(event)

    def _command(self, message: FromAgent) -> None:
        if not self.is_over:
            self._send(message)
