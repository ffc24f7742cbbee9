"""Short calls of several kinds, one after the other and some at once, and what became of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from appliance.errors import PeerError
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.peer import Speech
from appliance.testing.speech import CallerVoice

KINDS = ("answers", "hangs_up_at_once", "presses_keys", "interrupts", "listens")
"""What a caller does, in turn: each leaves something else behind if anything does."""


@dataclass
class Tally:
    """What became of the calls. `refused` by status; `failures` in words."""

    answered: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @property
    def placed(self) -> int:
        """All calls."""
        return self.answered + sum(self.refused.values()) + len(self.failures)


class ShortCalls:
    """Places them; call number n is of kind n modulo their number, at a target that has room."""

    def __init__(self, targets: Sequence[str], voice: CallerVoice, at_once: int) -> None:
        self._free: asyncio.Queue[str] = asyncio.Queue()
        for number in range(at_once):
            self._free.put_nowait(targets[number % len(targets)])
        self._yes: Speech = voice.speak("yes, this is she")
        self._what: Speech = voice.speak("what did you say")
        self._numbers = 0
        self._kinds: dict[str, Callable[[ScriptedCaller], Awaitable[None]]] = {
            "answers": self._answers,
            "hangs_up_at_once": self._hangs_up_at_once,
            "presses_keys": self._presses_keys,
            "interrupts": self._interrupts,
            "listens": self._listens,
        }
        self.tally = Tally()

    async def place(self, count: int) -> None:
        """Place so many calls; returns when all are over."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(self._one(self._numbers))
                self._numbers += 1

    async def _one(self, number: int) -> None:
        kind = KINDS[number % len(KINDS)]
        target = await self._free.get()
        try:
            async with ScriptedCaller(target) as caller:
                await caller.call()
                await self._kinds[kind](caller)
                await caller.hang_up()
            self.tally.answered += 1
        except CallRefused as refused:
            self.tally.refused[refused.code] += 1
        except PeerError as error:
            self.tally.failures.append(f"call {number} ({kind}): {error}")
        finally:
            self._free.put_nowait(target)

    async def _answers(self, caller: ScriptedCaller) -> None:
        """Says who they are, and hangs up while the next prompt is said."""
        await caller.talk_over(self._yes, after_ms=1200, timeout_s=30)
        await caller.pause(2500)

    async def _hangs_up_at_once(self, caller: ScriptedCaller) -> None:
        await caller.pause(100)

    async def _presses_keys(self, caller: ScriptedCaller) -> None:
        await caller.pause(600)
        await caller.digits("12")
        await caller.pause(600)

    async def _interrupts(self, caller: ScriptedCaller) -> None:
        """Talks over the greeting, and hangs up while that is being recognized."""
        await caller.talk_over(self._what, after_ms=600)
        await caller.pause(150)

    async def _listens(self, caller: ScriptedCaller) -> None:
        await caller.pause(1500)
