"""What a test does during a call: say, wait, talk over, press keys.

Common to caller and callee. Waiting is driven by the media clock: conditions are looked at after
every 20 ms tick, and at the end of the call.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from appliance.errors import PeerError
from appliance.testing.activity import Span
from appliance.testing.g711 import Codec, Samples
from appliance.testing.leg import CallLeg, PeerOptions
from appliance.testing.media import CallEnded, WirePacket
from appliance.testing.recording import write_recording

QUIET_MS = 700
MIN_REPLY_MS = 200
"""A reply is at least this much speech, and over after this much silence."""


@dataclass(frozen=True, slots=True)
class Speech:
    """An utterance: int16 samples at 8 kHz, and its words for transcripts and scripts."""

    samples: Samples
    text: str = ""


@dataclass
class _Waiter:
    """A condition that a step waits for."""

    holds: Callable[[], bool]
    future: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class CallPeer(CallLeg):
    """A call with a voice. Use as an async context manager; leaving it hangs up."""

    def __init__(self, address: str, codec: Codec, user: str, options: PeerOptions) -> None:
        super().__init__(address, codec, user, options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiters: list[_Waiter] = []
        self._mark_ns = 0

    async def __aenter__(self) -> Self:
        """Bind the SIP port."""
        self._loop = asyncio.get_running_loop()
        return await super().__aenter__()

    @property
    def sent(self) -> tuple[Span, ...]:
        """What this side said, one span for each `say`."""
        return tuple(self._stream.spoken)

    @property
    def received(self) -> tuple[Span, ...]:
        """When the far end spoke."""
        return self._stream.heard.spans

    @property
    def packets_received(self) -> tuple[WirePacket, ...]:
        """All audio packets of the far end, in the order of their arrival."""
        return tuple(self._stream.received)

    @property
    def digits_received(self) -> str:
        """Keys pressed at the far end."""
        return self._stream.digits + self.info_digits

    @property
    def malformed(self) -> int:
        """Datagrams that were neither SIP nor RTP of this call; they are ignored."""
        return self._endpoint.malformed + self._stream.malformed

    async def say(self, speech: Speech | Samples | bytes) -> Span:
        """Speak; returns when the last packet is out.

        Args:
            speech: int16 samples at 8 kHz, the same as s16le bytes, or a `Speech`.

        Raises:
            CallEnded: the call ended before the end of it.
        """
        utterance = _as_speech(speech)
        span = await asyncio.wrap_future(self._stream.play(utterance.samples, utterance.text))
        self._mark_ns = span.last_ns
        return span

    async def pause(self, pause_ms: int) -> None:
        """Say nothing for a while, by the monotonic clock; returns early at the call's end."""
        end_ns = time.monotonic_ns() + pause_ms * 1_000_000
        await self._until(lambda: time.monotonic_ns() >= end_ns, pause_ms / 1000 + 5, "a pause")

    async def wait_reply(self, timeout_s: float = 15.0, quiet_ms: int = QUIET_MS) -> Span:
        """Wait until the far end has spoken since our last word, and then been silent.

        A hang-up by the far end ends a reply as silence does. Returns the reply's span.

        Raises:
            PeerError: nothing was heard within `timeout_s`, or the call ended without a reply.
        """
        since_ns = self._mark_ns
        heard = self._stream.heard

        def over() -> bool:
            if heard.active_ms_since(since_ns) < MIN_REPLY_MS:
                return False
            quiet_ns = time.monotonic_ns() - heard.spans[-1].last_ns
            return quiet_ns >= quiet_ms * 1_000_000 or self.hung_up_ns is not None

        await self._until(over, timeout_s, "a reply")
        if not over():
            raise CallEnded("the call ended without a reply")
        reply = [span for span in heard.spans if span.last_ns > since_ns]
        self._mark_ns = time.monotonic_ns()
        return Span(max(reply[0].first_ns, since_ns), reply[-1].last_ns)

    async def talk_over(
        self, speech: Speech | Samples | bytes, after_ms: int = 500, timeout_s: float = 15.0
    ) -> Span:
        """Speak as soon as the far end has spoken for `after_ms`.

        Raises:
            PeerError: it did not speak within `timeout_s`.
        """
        since_ns = self._mark_ns

        def speaking() -> bool:
            current = self._stream.heard.current
            return current is not None and (
                current.last_ns - max(current.first_ns, since_ns) >= after_ms * 1_000_000
            )

        await self._until(speaking, timeout_s, "speech to talk over")
        return await self.say(speech)

    async def digits(self, digits: str, by_info: bool = False) -> None:
        """Press keys, as telephone events (RFC 4733) or as SIP INFO (application/dtmf-relay).

        Raises:
            ValueError: a digit is unknown.
            CallEnded: the call ended before.
        """
        if not by_info:
            self._mark_ns = (await asyncio.wrap_future(self._stream.press(digits))).last_ns
            return
        for digit in digits:
            body = f"Signal={digit}\r\nDuration=160\r\n".encode()
            headers = (("Content-Type", "application/dtmf-relay"),)
            await self._in_dialog("INFO", headers, body)
            await self.pause(100)
        self._mark_ns = time.monotonic_ns()

    async def wait_hangup(self, timeout_s: float = 15.0) -> None:
        """Wait until the far end hangs up.

        Raises:
            PeerError: it did not within `timeout_s`.
        """
        await self._until(lambda: self.hung_up_ns is not None, timeout_s, "the far end's BYE")

    def save_recording(self, path: Path) -> None:
        """Write both sides as a stereo WAV: left this side, right the far end (8 kHz, s16)."""
        write_recording(path, self._stream.sent, self._stream.received)

    def _over(self) -> None:
        super()._over()
        self._check_waiters()

    def _on_tick(self) -> None:
        """In the pacing thread: have the conditions looked at, where somebody waits."""
        if self._waiters and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closing down
                self._loop.call_soon_threadsafe(self._check_waiters)

    def _check_waiters(self) -> None:
        for waiter in self._waiters:
            if not waiter.future.done() and (waiter.holds() or self.hung_up_ns is not None):
                waiter.future.set_result(None)

    async def _until(self, holds: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Wait for a condition, or for the end of the call.

        Raises:
            PeerError: neither came within `timeout_s`.
        """
        if holds():
            return
        if self.hung_up_ns is not None:
            raise CallEnded(f"the call ended before {what}")
        waiter = _Waiter(holds)
        self._waiters.append(waiter)
        try:
            await asyncio.wait_for(waiter.future, timeout_s)
        except TimeoutError as error:
            raise PeerError(f"waited {timeout_s:g} s in vain for {what}") from error
        finally:
            self._waiters.remove(waiter)


def _as_speech(speech: Speech | Samples | bytes) -> Speech:
    if isinstance(speech, Speech):
        return speech
    if isinstance(speech, bytes):
        return Speech(np.frombuffer(speech, dtype="<i2").astype(np.int16))
    return Speech(speech)
