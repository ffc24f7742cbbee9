"""What the box does after a call, however it ended: the safety net behind every flow.

    CallOver ──> WrapUps ──> WrapUp of each name that the flow lists under `wrap_up`

A wrap-up sees what the call learned and did, and finds what is missing: a callback that nobody
created, a card for the operator. It may run twice for one call (a crash in the middle, a retry
after a locked database), so everything it does is keyed by the call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import Any, Protocol

import structlog

from appliance.dialogue.turn import HandoffNote
from appliance.errors import ApplianceError, SourceError, StoreError
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
        facts: all that the call learned, private facts too: never log them.
        deeds: tools in the order that they were called, each with its outcome.
        notes: the notes for whoever took over, in order.
        takeaways: what the flow's `takeaways` say, rendered.
        recovered: told by the record, after a crash: private facts, notes and takeaways are gone,
            and what was written of the call before knows more.
        unsettled: of a recovered call: tool and key of what was begun, with no word that it is
            stored.
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
    recovered: bool = False
    unsettled: tuple[tuple[str, str], ...] = ()


WrapUp = Callable[[CallOver], None]
"""Blocking. Raises ApplianceError where it could not be done; it is then tried again."""


class PaperBook(Protocol):
    """Where a wrap-up keeps what it writes of a call: `store.papers.Papers`; raises StoreError."""

    def put(self, call: str, at: datetime, content: Mapping[str, Any]) -> None:
        """Write the paper of a call that began then; one that was there before is replaced."""
        ...

    def find(self, call: str) -> Mapping[str, Any] | None:
        """The paper of a call, if there is one."""
        ...


class _Came(Enum):
    """What came of running one."""

    OVER = auto()
    REFUSED = auto()
    """By the store, which may be well in a moment."""
    UNREACHED = auto()
    """By the helpdesk, after a deadline; other calls wait for this thread."""


@dataclass(slots=True)
class _Left:
    """What is still to be done for a call, and what follows it; `told`: its refusal is logged."""

    names: list[str]
    over: CallOver
    done: Callable[[], object]
    told: bool = False


class WrapUps:
    """Runs wrap-ups; what the store refuses is kept and tried again. Use from one worker thread."""

    def __init__(self, by_name: Mapping[str, WrapUp], always: Sequence[str] = ()) -> None:
        """`always`: names of those that come after every call, before the others."""
        self._by_name = by_name
        self._always = always
        self._undone: list[_Left] = []

    def run(
        self, names: Iterable[str], over: CallOver, done: Callable[[], object] = lambda: None
    ) -> None:
        """Run these wrap-ups for a call; never raises.

        What cannot be stored is tried again later, by `catch_up`. A name that the box does not
        have is reported.

        Args:
            names: those that its flows name.
            over: the call.
            done: called once nothing of it waits any more; again, if it raises StoreError. A box
                that is killed before that must run them again.
        """
        self.catch_up()
        refused = [name for name in (*self._always, *names) if not self._tried(name, over)]
        left = _Left(refused, over, done)
        if refused or not self._finished(left):
            self._undone.append(left)

    def catch_up(self) -> None:
        """Do what could not be done before; the first that fails ends it, and is the last then."""
        while self._undone:
            left = self._undone[0]
            while left.names and self._done(left.names[0], left.over):
                del left.names[0]
            if left.names or not self._finished(left):
                # One that is always refused must not keep the others from their turn.
                self._undone.append(self._undone.pop(0))
                return
            del self._undone[0]

    @property
    def behind(self) -> bool:
        """Whether something waits to be done."""
        return bool(self._undone)

    def close(self) -> None:
        """Do what could not be done before; what fails again is reported by its call."""
        self.catch_up()
        for left in self._undone:
            _log.error("wrap-up not done; done at next start", call=left.over.call,
                       wrap_ups=left.names)  # fmt: skip

    def _tried(self, name: str, over: CallOver) -> bool:
        for attempt in range(1, _TRIES + 1):
            came = self._came(name, over)
            if came is not _Came.REFUSED:
                return came is _Came.OVER
            time.sleep(_WAIT_S * attempt)
        return False

    def _finished(self, left: _Left) -> bool:
        """Whether what follows is done, too."""
        try:
            left.done()
        except StoreError as error:
            if not left.told:
                _log.warning("call not recorded; will retry", call=left.over.call, why=str(error))
            left.told = True
            return False
        return True

    def _done(self, name: str, over: CallOver) -> bool:
        """Whether there is nothing more to do."""
        return self._came(name, over) is _Came.OVER

    def _came(self, name: str, over: CallOver) -> _Came:
        """Run it once: what store or helpdesk refused is worth a retry."""
        log = _log.bind(call=over.call, wrap_up=name)
        wrap_up = self._by_name.get(name)
        if wrap_up is None:
            log.error("no such wrap-up")
            return _Came.OVER
        try:
            wrap_up(over)
        except (StoreError, SourceError) as error:
            log.warning("wrap-up not stored", why=str(error))
            return _Came.REFUSED if isinstance(error, StoreError) else _Came.UNREACHED
        except ApplianceError as error:
            log.error("wrap-up failed", why=str(error))  # noqa: TRY400 (the cause is in the text)
        except Exception:  # boundary: no call, and no start of the box, fails by it
            log.exception("wrap-up failed by a bug")
        return _Came.OVER
