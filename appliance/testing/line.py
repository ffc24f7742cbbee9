"""A line without SIP: drives one session tick by tick, with no thread and no real time.

    FakeLine.tick(pcm) -> Audio -> session -> play/flush -> played frames

Engines run inline (`InlineExecutor`), so after each tick everything that it caused has happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import soundfile

from appliance.audio.level import to_pcm
from appliance.telephony.call import LineEvent
from appliance.telephony.messages import (
    Audio,
    CallDown,
    CallUp,
    Digit,
    Held,
    Resumed,
    TransferResult,
)
from appliance.testing.clock import VirtualClock
from appliance.types import FRAME_BYTES, FRAME_MS

P = ParamSpec("P")
T = TypeVar("T")

SILENCE = bytes(FRAME_BYTES)
_SETTLE_ROUNDS = 12  # hops of the event loop that the longest chain of callbacks takes


class InlineExecutor(Executor):
    """Runs everything at once, in the caller's thread."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run it and return the finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 (handed to whoever awaits the future)
            future.set_exception(error)
        return future


class FakeLine:
    """A `session.leg.Leg`; also what a test drives. One tick is 20 ms of a virtual clock."""

    def __init__(self, clock: VirtualClock, key: str = "call-1") -> None:
        self.key = key
        self.dropped_frames = 0
        self.transferred_to: list[str] = []
        self.played: list[bytes] = []
        self.is_down = False
        self.receiving = True  # whether packets come from the caller, be they silence
        self._clock = clock
        self._queue: list[bytes] = []
        self._inbox: asyncio.Queue[LineEvent] = asyncio.Queue()

    def answer(self) -> None:
        """See `Leg.answer`."""
        self._inbox.put_nowait(CallUp(1, "PCMU"))

    def play(self, pcm: bytes) -> None:
        """See `Leg.play`."""
        self._queue.append(pcm)

    def flush(self) -> None:
        """See `Leg.flush`."""
        self._queue.clear()

    def hang_up(self) -> None:
        """See `Leg.hang_up`."""
        self.bring_down(by="agent")

    def transfer(self, target: str) -> None:
        """See `Leg.transfer`; the test answers with `finish_transfer`."""
        self.transferred_to.append(target)

    async def inbox(self) -> AsyncIterator[LineEvent]:
        """See `Leg.inbox`."""
        while True:
            event = await self._inbox.get()
            yield event
            if isinstance(event, CallDown):
                return

    async def settle(self) -> None:
        """Let everything that is due happen."""
        for _ in range(_SETTLE_ROUNDS):
            await asyncio.sleep(0)

    async def tick(self, pcm: bytes = SILENCE) -> None:
        """20 ms pass."""
        self._clock.advance(FRAME_MS)
        ours = self._queue.pop(0) if self._queue else b""
        if ours:
            self.played.append(ours)
        at_ns = self._clock.monotonic_ns()
        self._inbox.put_nowait(Audio(1, at_ns, len(self.played), pcm, ours, self.receiving))
        await self.settle()

    async def quiet(self, ms: int) -> None:
        """The caller says nothing for a while."""
        for _ in range(ms // FRAME_MS):
            if not self.is_down:
                await self.tick()

    async def speak(self, ms: int = 600) -> None:
        """The caller speaks (the first second of a question, over and over)."""
        for at in range(ms // FRAME_MS):
            await self.tick(TALK[at % len(TALK)])

    async def press(self, digits: str) -> None:
        """The caller types."""
        for digit in digits:
            self._inbox.put_nowait(Digit(1, digit, "rfc4733"))
            await self.quiet(100)

    async def hold(self, held: bool) -> None:
        """The peer puts the call on hold, or takes it back."""
        self._inbox.put_nowait(Held(1) if held else Resumed(1))
        await self.settle()

    async def finish_transfer(self, code: int) -> None:
        """The transfer target answered, or did not."""
        self._inbox.put_nowait(TransferResult(1, code, ""))
        await self.settle()

    def bring_down(self, by: Any = "peer") -> None:
        """The call ends."""
        if not self.is_down:
            self.is_down = True
            self._inbox.put_nowait(CallDown(1, 200, "", by))


def _talk() -> list[bytes]:
    """One second of talk ("what do I owe you", by our own voice), in frames."""
    samples, _ = soundfile.read(Path(__file__).parent / "talk.wav", dtype="float32")
    pcm = to_pcm(samples)
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm), FRAME_BYTES)]


TALK = _talk()
"""What `FakeLine.speak` says."""
