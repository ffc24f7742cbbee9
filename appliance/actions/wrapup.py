"""What the box does after a call, however it ended: the safety net behind every flow.

    CallOver ──> WrapUps ──> WrapUp of each name that the flow lists under `wrap_up`

A wrap-up sees what the call learned and did, and finds what is missing: a callback that nobody
created, a card for the operator. It may run twice for one call (a crash in the middle, a retry
after a locked database), so everything it does is keyed by the call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from appliance.dialogue.turn import HandoffNote
from appliance.errors import ApplianceError, StoreError
from appliance.types import Language

_TRIES = 3
_WAIT_S = 0.1
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class CallOver:
    """A call that has ended, as its wrap-ups see it.

    Attributes:
        call: key of the call.
        number: the caller's telephone number; empty if it is not known.
        flow: name of the flow that it ended in.
        outcome: one of the flow's outcomes, or `interrupted`.
        ended_by: who ended it, as the record says it.
        started: local time of its beginning.
        language: the language that it ended in.
        turns: turns of the caller.
        facts: all that the call learned, private facts too: never log them. Empty after a crash.
        deeds: tools in the order that they were called, each with its outcome.
        notes: the notes for whoever took over, in order. Empty after a crash.
        takeaways: what the flow's `takeaways` say, rendered.
    """

    call: str
    number: str
    flow: str
    outcome: str
    ended_by: str
    started: datetime
    language: Language
    turns: int
    facts: Mapping[str, str | bool] = field(default_factory=dict)
    deeds: tuple[tuple[str, str], ...] = ()
    notes: tuple[HandoffNote, ...] = ()
    takeaways: tuple[str, ...] = ()


WrapUp = Callable[[CallOver], None]
"""Blocking. Raises ApplianceError where it could not be done; it is then tried again."""


class WrapUps:
    """Runs wrap-ups; what the store refuses is kept and tried again. Use from one worker thread."""

    def __init__(self, by_name: Mapping[str, WrapUp]) -> None:
        self._by_name = by_name
        self._undone: list[tuple[str, CallOver]] = []

    def run(self, names: Iterable[str], over: CallOver) -> None:
        """Run these wrap-ups for a call; never raises.

        What cannot be stored is tried again later, by `catch_up`. A name that the box does not
        have is reported.
        """
        self.catch_up()
        for name in names:
            if name not in self._by_name:
                _log.error("no such wrap-up", call=over.call, wrap_up=name)
            elif not self._tried(name, over):
                self._undone.append((name, over))

    def catch_up(self) -> None:
        """Do what could not be done before, in order; the first that fails ends it."""
        while self._undone and self._done(*self._undone[0]):
            del self._undone[0]

    @property
    def behind(self) -> bool:
        """Whether something waits to be done."""
        return bool(self._undone)

    def close(self) -> None:
        """Do what could not be done before; what fails again is reported by its call."""
        self.catch_up()
        for name, over in self._undone:
            _log.error("wrap-up lost", call=over.call, wrap_up=name)

    def _tried(self, name: str, over: CallOver) -> bool:
        for attempt in range(1, _TRIES + 1):
            if self._done(name, over):
                return True
            time.sleep(_WAIT_S * attempt)
        return False

    def _done(self, name: str, over: CallOver) -> bool:
        """Whether there is nothing more to do: only what the store refused is worth a retry."""
        try:
            self._by_name[name](over)
        except StoreError as error:
            _log.warning("wrap-up not stored", call=over.call, wrap_up=name, why=str(error))
            return False
        except ApplianceError as error:
            _log.error("wrap-up failed", call=over.call, wrap_up=name, why=str(error))
        return True
