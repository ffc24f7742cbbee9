"""The callers of a storm: so many at once, one call after another, whatever becomes of it.

A caller whose line has died hears nothing any more and hangs up, as a PBX does for him. What he
heard after his last word is kept: it may be a promise.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from appliance.errors import PeerError
from appliance.testing.caller import ScriptedCaller
from appliance.testing.dialogue_script import Rendered, load_script, perform, render_script
from appliance.testing.g711 import Samples
from appliance.testing.recording import place
from appliance.testing.speech import CallerVoice
from appliance.testing.storm.errands import Errand

_ANSWER_S = 3.0
"""Nobody answers while the box starts: the next try finds it up sooner than a repeated INVITE."""
_REST_S = 0.7
_DEAD_NS = 1_500_000_000
"""A line sends a frame every 20 ms, in silence too."""
_LOOK_S = 0.3


@dataclass(slots=True)
class Told:
    """One call that was answered, as its caller saw it.

    Attributes:
        errand: what he wanted.
        sip_call_id: finds its log.
        said_all: whether he came to say the last word of his script.
        after: what he heard from then on, int16 at 8 kHz; empty before.
        why: what ended it early; empty where the script came to its end.
    """

    errand: Errand
    sip_call_id: str
    said_all: bool = False
    after: Samples = field(default_factory=lambda: np.zeros(0, np.int16))
    why: str = ""


class StormCallers:
    """Runs them. `told` grows by each call that was answered; `refused` counts the others."""

    def __init__(
        self,
        targets: Sequence[str],
        errands: Sequence[Errand],
        voice: CallerVoice,
        at_once: int,
        seed: int,
    ) -> None:
        """Render all that they say. `targets`: SIP URIs, which they share."""
        self._targets, self._errands, self._at_once = targets, errands, at_once
        self._scripts = {e.script: render_script(load_script(e.path), voice) for e in errands}
        self._chance = random.Random(seed)
        self._numbers = seed * 10_000
        self._closing: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._deciding = asyncio.Event()
        self._decided_at = ""
        self.told: list[Told] = []
        self.refused = 0
        self.talking = 0

    async def run(self) -> None:
        """Call until `stop`; returns when the last call is over."""
        async with asyncio.TaskGroup() as tasks:
            for lane in range(self._at_once):
                tasks.create_task(self._lane(self._targets[lane % len(self._targets)]))
        await asyncio.gather(*self._closing)

    def stop(self) -> None:
        """Begin no further call."""
        self._stopping = True

    async def someone_decides(self) -> str:
        """Wait until somebody has said his last word; the SIP URI that he called."""
        self._deciding.clear()
        await self._deciding.wait()
        return self._decided_at

    async def _lane(self, target: str) -> None:
        while not self._stopping:
            await self._call(target, self._chance.choice(self._errands))
            await asyncio.sleep(_REST_S)

    async def _call(self, target: str, errand: Errand) -> None:
        self._numbers += 1
        stack = contextlib.AsyncExitStack()
        caller = await stack.enter_async_context(
            ScriptedCaller(target, number=f"+1555{self._numbers:07d}")
        )
        try:
            await caller.call(_ANSWER_S)
        except PeerError:
            self.refused += 1
        else:
            await self._converse(caller, errand, target)
        finally:
            self._close(stack)

    async def _converse(self, caller: ScriptedCaller, errand: Errand, target: str) -> None:
        told = Told(errand, caller.call_id)
        self.told.append(told)
        self.talking += 1
        speaking = asyncio.create_task(self._speak(caller, told, target))
        try:
            while not speaking.done() and not _dead(caller):
                await asyncio.wait({speaking}, timeout=_LOOK_S)
            if not speaking.done():
                told.why = "dead air"
        finally:
            self.talking -= 1
            speaking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await speaking

    async def _speak(self, caller: ScriptedCaller, told: Told, target: str) -> None:
        steps = self._scripts[told.errand.script]
        left, since_ns = _utterances(steps), 0
        try:
            async for said in perform(caller, steps):
                left -= 1
                if not left:
                    told.said_all, since_ns = True, said.span.last_ns
                    self._decided_at = target
                    self._deciding.set()
        except PeerError as error:
            told.why = str(error)
        finally:
            if told.said_all:
                told.after = _heard_since(caller, since_ns)

    def _close(self, stack: contextlib.AsyncExitStack) -> None:
        """Beside the next call: a BYE to a dead line waits for seconds."""
        task = asyncio.create_task(stack.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _utterances(steps: Sequence[Rendered]) -> int:
    return sum(bool(step.say or step.spell or step.talk_over) for step, _ in steps)


def _dead(caller: ScriptedCaller) -> bool:
    """Whether no audio has come for long."""
    received = caller.media.received
    last_ns = received[-1].at_ns if received else caller.connected_ns
    return last_ns is not None and time.monotonic_ns() - last_ns > _DEAD_NS


def _heard_since(caller: ScriptedCaller, since_ns: int) -> Samples:
    packets = [packet for packet in caller.packets_received if packet.at_ns >= since_ns]
    return place(packets, since_ns) if packets else np.zeros(0, np.int16)
