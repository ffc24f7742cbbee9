"""Reads along while a caller speaks, so that others need not wait for the end of his turn.

    frames ── every partial_ms ──> Scheduler.partial ──> Agreement ──> Partial ──> the call
    a guess at a pause ─────────────────────────────────────┘

A partial is a luxury: the scheduler drops it when it has anything else to do. What is told here is
raw speech of the caller and goes into no log.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from appliance.dialogue.turn import Listen
from appliance.errors import EngineError
from appliance.session.hints import hint_of
from appliance.session.services import Services
from appliance.stt.agreement import Agreement, Partial
from appliance.types import BYTES_A_SECOND, FRAME_MS


class Audience(Protocol):
    """Who a caller is followed for: his call."""

    @property
    def key(self) -> str:
        """Names the call."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the caller may say, lower case."""
        ...

    def partial_heard(self, partial: Partial) -> None:
        """What the caller has said of a turn so far; empty when the turn is over."""
        ...


class Follower:
    """One call's reading along; used from the event loop only.

    Attributes:
        turn: counts the turns, so that what belongs to one that is over is told apart.
    """

    def __init__(self, services: Services, audience: Audience) -> None:
        self._services, self._audience = services, audience
        watched = services.live.is_on  # partials are for the viewer: nobody else reads them
        self._every = math.ceil(services.hearing.partial_ms / FRAME_MS) if watched else 0
        self._agreement = Agreement()
        self.turn = 0
        self._frames = 0
        self._told = False

    def begin(self) -> None:
        """A turn begins."""
        self.turn += 1
        self._agreement = Agreement()
        self._frames = 0

    def frame(self, so_far: Callable[[], bytes], listen: Listen) -> None:
        """One more frame of speech; `so_far` gives all of the turn."""
        self._frames += 1
        if self._every and self._frames % self._every == 0:
            self._ask(so_far(), listen)

    def heard(self, turn: int, text: str) -> None:
        """What a decode made of a turn so far; void if that turn is over."""
        if turn == self.turn:
            self._told = True
            self._audience.partial_heard(self._agreement.add(text))

    def end(self) -> None:
        """The turn is over: its transcript counts now."""
        self.turn += 1
        self._services.scheduler.forget(self._audience.key)
        if self._told:
            self._told = False
            self._audience.partial_heard(Partial())

    def _ask(self, pcm: bytes, listen: Listen) -> None:
        recognizer = self._services.recognizers[listen.language]
        hint = hint_of(listen, self._audience.names)
        decode = self._services.scheduler.partial(
            self._audience.key,
            len(pcm) / BYTES_A_SECOND,
            lambda: recognizer.recognize(pcm, hint, partial=True).text,
        )
        loop, turn = asyncio.get_running_loop(), self.turn
        decode.add_done_callback(
            lambda done: loop.call_soon_threadsafe(partial(self._take, turn, done))
        )

    def _take(self, turn: int, done: Future[str | None]) -> None:
        error = done.exception()
        if isinstance(error, EngineError):  # the turn's own decode will tell
            return
        text = done.result()
        if text is not None:
            self.heard(turn, text)
