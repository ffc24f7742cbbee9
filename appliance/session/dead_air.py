"""Fills the silence where a caller waits for the appliance, and tells when he is not there.

    what he waits for ── a tool ─────┐
                      ── a reading ──┼─> silent for `hold_ms` ──> holding ──> every `hold_again_s`
                      ── a transfer ─┘                            another: still there, still at it
    nothing comes from him for `no_media_s` ──> the call is over

What is waited for has its own deadline (the tool's `timeout_s`, `[hearing] deadline_s`), and the
flow says what happens then; so a wait ends, and politely. What is said here are prompts of the
flow that belong to no turn: they change nothing, are proven to be fit for any time when the flow
loads, and are rendered before any call. A sentence that is late is the speaker's own affair.
"""

from __future__ import annotations

from typing import Literal, Protocol

from appliance.config import CallConfig
from appliance.types import FRAME_MS

Wait = Literal["tool", "reading", "transfer"]
Phrase = Literal["holding", "holding_again", "transferring"]

_AT_MOST = 20
"""Phrases in one wait: past them it is the wait's own deadline that is at fault."""


class Owner(Protocol):
    """What it asks of the call."""

    def hold_on(self, phrase: Phrase, wait: Wait) -> None:
        """Say this phrase if the flow has one, for this is waited for."""
        ...


class DeadAir:
    """One call's silences; used from the event loop only."""

    def __init__(self, config: CallConfig, owner: Owner) -> None:
        self._config, self._owner = config, owner
        self._wait: Wait | None = None
        self._silent_ms = 0
        self._said = 0
        self._lost_ms = 0

    def tick(self, wait: Wait | None, *, quiet: bool) -> None:
        """20 ms have passed.

        Args:
            wait: what the caller waits for, if it is not his turn.
            quiet: neither he nor the appliance is speaking.
        """
        if wait != self._wait:
            self._wait, self._silent_ms, self._said = wait, 0, 0
        if wait is None or not quiet:
            self._silent_ms = 0
            return
        self._silent_ms += FRAME_MS
        if self._silent_ms >= self._due_ms and self._said < _AT_MOST:
            self._silent_ms = 0
            self._said += 1
            self._owner.hold_on(self._phrase(wait), wait)

    @property
    def _due_ms(self) -> float:
        """The silence after which something is said; who is transferred was told so already."""
        first = self._said == 0 and self._wait != "transfer"
        return self._config.hold_ms if first else self._config.hold_again_s * 1000

    def _phrase(self, wait: Wait) -> Phrase:
        if wait == "transfer":
            return "transferring"
        return "holding" if self._said == 1 else "holding_again"

    def lost(self, *, received: bool) -> bool:
        """20 ms have passed; whether nothing has come from the caller for too long, once.

        `received`: something comes from him, be it silence (`Audio.received`).
        """
        limit_ms = self._config.no_media_s * 1000
        before, self._lost_ms = self._lost_ms, 0 if received else self._lost_ms + FRAME_MS
        return bool(limit_ms) and before < limit_ms <= self._lost_ms
