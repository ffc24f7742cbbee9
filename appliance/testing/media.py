"""The audio of one test call: a thread that sends a packet every 20 ms and stamps every arrival.

    say / digits -> queue of ticks -> [pacing thread] -> RTP out   (absolute deadlines)
                                             ^---------- RTP in    (kernel's arrival time)
                    recorded packets <-------'  `-> ActivityDetector -> waiters in the event loop

The thread always sends: silence (or a noise floor) where nobody speaks. Deadlines are absolute,
start + n x 20 ms on the monotonic clock, so a late packet does not delay the next. Arrivals carry
the kernel's receive time (SO_TIMESTAMPNS) moved to the monotonic clock, so that a late thread
does not make the appliance look late.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np

from appliance.errors import PeerError
from appliance.testing.activity import ActivityDetector, Span, active_bounds
from appliance.testing.echoes import LineEcho
from appliance.testing.g711 import PAYLOAD_TYPES, Codec, Samples, decode, encode
from appliance.testing.ports import arrival_ns, bind_pair
from appliance.testing.rtp import (
    RtpPacket,
    TelephoneEvent,
    parse_event,
    parse_packet,
    serialize_event,
    serialize_packet,
)
from appliance.types import FRAME_MS, FRAME_SAMPLES

FRAME_NS = FRAME_MS * 1_000_000
_SILENCE = np.zeros(FRAME_SAMPLES, np.int16)
EVENT_MS, EVENT_GAP_MS = 100, 100
"""Length of a key press and of the pause behind it."""


class CallEnded(PeerError):  # noqa: N818 (what happened, not a failure of this code)
    """The call was over before the step was."""


@dataclass(frozen=True, slots=True)
class WirePacket:
    """One audio packet as it passed: `timestamp` is RTP's, `samples` are decoded."""

    at_ns: int
    timestamp: int
    samples: Samples


@dataclass(slots=True)
class _Item:
    """What one `play` or `press` asked for: ticks of audio or of key presses."""

    ticks: deque[Samples | TelephoneEvent]
    done: Future[Span]
    text: str
    active: tuple[int, int] | None
    sent: int = 0
    first_ns: int = 0
    last_ns: int = 0


class RtpStream:
    """One RTP port with its pacing thread.

    `sent` and `received` hold all audio packets; `digits` the keys pressed at the far end;
    `malformed` counts datagrams that were no RTP packet of this call; `late_ticks` counts
    packets sent more than 5 ms after their deadline, `worst_late_ms` the worst of them.
    `sending` is false while the call is held: time goes on, but no packet goes out. `echo`: what
    this telephone gives back of what it hears.
    """

    def __init__(self, address: str, codec: Codec, on_tick: Callable[[], None]) -> None:
        self.sent: list[WirePacket] = []
        self.received: list[WirePacket] = []
        self.spoken: list[Span] = []
        self.heard = ActivityDetector()
        self.digits = ""
        self.malformed = 0
        self.late_ticks = 0
        self.worst_late_ms = 0.0
        self.codec: Codec = codec
        self.event_type: int | None = 101
        self.remote: tuple[str, int] | None = None
        self.noise: Samples | None = None
        self.echo: LineEcho | None = None
        self.sending = True
        self._on_tick = on_tick
        self._queue: deque[_Item] = deque()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._socket, self._control = bind_pair(address)
        self._event_seen: int | None = None
        self._out = RtpPacket(
            PAYLOAD_TYPES[codec], secrets.randbits(15), secrets.randbits(31), secrets.randbits(32),
            b"",
        )  # fmt: skip
        self._event_start = 0

    @property
    def port(self) -> int:
        """The local RTP port."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Begin to send and receive; a second start does nothing."""
        if self._thread is None and not self._ended.is_set():
            self._thread = threading.Thread(target=self._run, name="rtp-pacing", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the thread, fail what was still to be played, release the ports. Idempotent."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        while self._queue:
            self._fail(self._queue.popleft())
        self.heard.flush()
        self._socket.close()
        self._control.close()

    def play(self, samples: Samples, text: str = "") -> Future[Span]:
        """Queue int16 samples at 8 kHz, padded to whole packets.

        The result is the span from its first to its last active packet, once the last packet is
        out; it fails with `CallEnded` where the call ends before.
        """
        whole = np.pad(samples, (0, -len(samples) % FRAME_SAMPLES))
        frames: deque[Samples | TelephoneEvent] = deque(whole.reshape(-1, FRAME_SAMPLES))
        return self._enqueue(frames, text, active_bounds(samples))

    def press(self, digits: str) -> Future[Span]:
        """Queue key presses as telephone events (RFC 4733), with a pause behind each.

        Raises:
            ValueError: a digit is unknown, or the far end takes no telephone events.
        """
        if self.event_type is None:
            raise ValueError("the far end takes no telephone events")
        ticks: deque[Samples | TelephoneEvent] = deque()
        for digit in digits:
            press = TelephoneEvent(digit, 0)
            serialize_event(press)
            count = EVENT_MS // FRAME_MS
            for tick in range(1, count + 3):  # the end goes out three times (RFC 4733, 2.5.1.4)
                duration = min(tick, count) * FRAME_SAMPLES
                ticks.append(replace(press, duration=duration, end=tick >= count))
            ticks.extend([_SILENCE] * (EVENT_GAP_MS // FRAME_MS))
        return self._enqueue(ticks, digits, None)

    def _enqueue(
        self,
        ticks: deque[Samples | TelephoneEvent],
        text: str,
        active: tuple[int, int] | None,
    ) -> Future[Span]:
        item = _Item(ticks, Future(), text, active)
        if self._thread is None or self._ended.is_set() or not ticks:
            self._fail(item)
        else:
            self._queue.append(item)
        return item.done

    def _fail(self, item: _Item) -> None:
        if item.done.running() or item.done.set_running_or_notify_cancel():
            item.done.set_exception(
                CallEnded("there is no call, or it ended before all of it was played")
            )

    def _run(self) -> None:
        """The pacing thread."""
        with contextlib.suppress(OSError):  # not permitted: the ordinary priority has to do
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        start_ns, tick = time.monotonic_ns(), 0
        while not self._ended.is_set():
            deadline_ns = start_ns + tick * FRAME_NS
            self._receive_until(deadline_ns)
            late_ms = (time.monotonic_ns() - deadline_ns) / 1e6
            self.worst_late_ms = max(self.worst_late_ms, late_ms)
            self.late_ticks += late_ms > 5
            self._send_tick()
            tick += 1
            self._on_tick()

    def _send_tick(self) -> None:
        """Send the next packet of the queue, or background."""
        item = self._queue[0] if self._queue else None
        if item is not None and item.sent == 0 and not item.done.set_running_or_notify_cancel():
            self._queue.popleft()
            item = None
        part = item.ticks.popleft() if item is not None else _SILENCE
        if isinstance(part, TelephoneEvent):
            at_ns = self._send_event(part)
        else:
            at_ns = self._send_audio(part)
        if item is not None:
            self._account(item, at_ns)

    def _account(self, item: _Item, at_ns: int) -> None:
        """Note the times of an item's first and last active packets; settle it at its end."""
        first, last = item.active or (0, item.sent + len(item.ticks))
        if item.sent == first:
            item.first_ns = at_ns
        if item.sent <= last:
            item.last_ns = at_ns
        item.sent += 1
        if not item.ticks:
            self._queue.popleft()
            span = Span(item.first_ns, item.last_ns, item.text)
            if item.active is not None:
                self.spoken.append(span)
            item.done.set_result(span)

    def _send_audio(self, samples: Samples) -> int:
        samples = self._with_background(samples)
        packet = replace(self._out, payload=encode(samples, self.codec), marker=not self.sent)
        at_ns = self._send(packet)
        self.sent.append(WirePacket(at_ns, packet.timestamp, samples))
        return at_ns

    def _with_background(self, samples: Samples) -> Samples:
        if self.noise is None and self.echo is None:
            return samples
        mixed = samples.astype(np.float64)
        if self.noise is not None:
            at = len(self.sent) * FRAME_SAMPLES % (len(self.noise) - FRAME_SAMPLES)
            mixed += self.noise[at : at + FRAME_SAMPLES]
        if self.echo is not None:
            mixed += self.echo.frame()
        return np.clip(np.rint(mixed), -32768, 32767).astype(np.int16)

    def _send_event(self, event: TelephoneEvent) -> int:
        """An event's packets all carry the timestamp of its beginning (RFC 4733, 2.2.1)."""
        first = event.duration == FRAME_SAMPLES
        if first:
            self._event_start = self._out.timestamp
        packet = replace(
            self._out,
            payload_type=self.event_type if self.event_type is not None else 101,
            timestamp=self._event_start,
            payload=serialize_event(event),
            marker=first,
        )
        return self._send(packet)

    def _send(self, packet: RtpPacket) -> int:
        """Send to the remote, if it is known yet; returns the time."""
        at_ns = time.monotonic_ns()
        if self.remote is not None and self.sending:
            with contextlib.suppress(OSError):  # ICMP of an earlier packet; the call goes on
                self._socket.sendto(serialize_packet(packet), self.remote)
        self._out = replace(
            self._out,
            sequence=(self._out.sequence + 1) & 0xFFFF,
            timestamp=(self._out.timestamp + FRAME_SAMPLES) & 0xFFFFFFFF,
        )
        return at_ns

    def _receive_until(self, deadline_ns: int) -> None:
        """Take what arrives before the next packet is due, and at least once what is there."""
        while True:
            wait_s = max(0.0, (deadline_ns - time.monotonic_ns()) / 1e9)
            ready, _, _ = select.select([self._socket], [], [], wait_s)
            if not ready:
                return
            with contextlib.suppress(OSError):
                data, ancillary, _, _ = self._socket.recvmsg(2048, 64)
                self._take(data, arrival_ns(ancillary))

    def _take(self, data: bytes, at_ns: int) -> None:
        """One datagram from the far end."""
        try:
            packet = parse_packet(data)
            if packet.payload_type == self.event_type:
                self._take_event(packet)
                return
            if packet.payload_type != PAYLOAD_TYPES[self.codec] or not packet.payload:
                raise ValueError(f"payload type {packet.payload_type} was not agreed on")  # noqa: TRY301
        except ValueError:
            self.malformed += 1
            return
        samples = decode(packet.payload, self.codec)
        self.received.append(WirePacket(at_ns, packet.timestamp, samples))
        self.heard.push(samples, at_ns)
        if self.echo is not None:
            self.echo.take(samples)

    def _take_event(self, packet: RtpPacket) -> None:
        """A key counts once, however many packets tell of it."""
        event = parse_event(packet.payload)
        if packet.timestamp != self._event_seen:
            self._event_seen = packet.timestamp
            self.digits += event.digit
