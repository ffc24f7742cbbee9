"""Steps of the dialogue, one of which may be taken ahead of time.

    pause in a turn ─> Reading ─> prepare: step(flow, state, Heard, now) ─> first sound rendered
    end of the turn ─> turn: is it that which was prepared?
                             ├─ yes ─> that one, committed
                             └─ no ──> the prepared one is void; another step, now

What is prepared. When a caller pauses, what he has said so far is read. If that counts as a turn
here, the step that it would lead to is computed from the flow and the state as they are, and the
sound of the first sentence that varies is rendered. At most one turn is prepared at a time. It
changes nothing that can be noticed: no state, no log, no sound on the line, no action.

When it is thrown away. It is void as soon as anything happens to the call: the caller goes on or
begins again, a key is pressed, a tool answers, an engine fails, the line is put on hold or taken
back, the call ends, another turn is stepped. It is also void if at the end of the turn it was read
otherwise, or counts otherwise, for what is being said is another; and if the minute has passed in
which it was computed, so that no turn of yesterday is committed today. A rendering that has not
begun then is not begun; one under way runs out in its thread, and its sound is dropped unheard.
Nothing of it is written to disk.

What is committed. A prepared turn is committed at the end of the caller's turn if flow, state and
reading are the same objects and the event is equal. `step` is pure, so it is then the turn that
would be computed now, but for the time: it was given that of the pause, and that is what the log
says (`at`), so that a replay gives the same turn bit for bit. The caller of `turn` logs and begins
its actions; a prepared turn is given out once at most, and its actions begin nowhere else.

So a call that speculates and one that does not hold the same dialogue; the one is faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from appliance.clock import Clock
from appliance.dialogue.engine import step
from appliance.dialogue.events import Event
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Prompt, State, Turn
from appliance.session.ear import Reading


class Voice(Protocol):
    """What can have sound ready before it is wanted: `speaker.Speaker`."""

    def prepare(self, prompts: tuple[Prompt, ...]) -> None:
        """Render ahead what could not begin at once, should this be said next."""
        ...

    def drop_prepared(self) -> None:
        """What was prepared will not be said."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Stepped:
    """A turn with the time that `step` was given; `ahead` if it had been prepared."""

    turn: Turn
    at: datetime
    ahead: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """A turn, and what it was computed from."""

    flow: CallFlow
    state: State
    event: Event
    reading: Reading
    turn: Turn
    at: datetime

    def is_of(self, flow: CallFlow, state: State, event: Event, reading: Reading | None) -> bool:
        same = self.flow is flow and self.state is state and self.reading is reading
        return same and self.event == event


class Speculation:
    """One call's steps; used from the event loop only."""

    def __init__(self, voice: Voice, clock: Clock, *, on: bool) -> None:
        """`on`: whether anything is prepared at all."""
        self._voice, self._clock, self._on = voice, clock, on
        self._ahead: _Prepared | None = None
        self._prepared = self._committed = 0

    @property
    def counts(self) -> dict[str, int]:
        """For the log: how many turns were `prepared`, and how many of them were `void`."""
        return {"prepared": self._prepared, "void": self._prepared - self._committed}

    def prepare(self, flow: CallFlow, state: State, event: Event, reading: Reading) -> None:
        """The caller's turn would be this event, read so, if he says no more."""
        self.void()
        if not self._on:
            return
        now = self._clock.now()
        turn = step(flow, state, event, now)
        self._ahead = _Prepared(flow, state, event, reading, turn, now)
        self._prepared += 1
        self._voice.prepare(turn.say)

    def void(self) -> None:
        """Something happened: what was prepared is not what follows."""
        self._ahead = None
        self._voice.drop_prepared()

    def turn(
        self, flow: CallFlow, state: State, event: Event, reading: Reading | None = None
    ) -> Stepped:
        """Take one event for good; `reading` is what it was read from, if the caller said it."""
        now, ahead = self._clock.now(), self._ahead
        fresh = ahead is not None and _minute(now) == _minute(ahead.at)
        if ahead is not None and fresh and ahead.is_of(flow, state, event, reading):
            self._ahead = None
            self._committed += 1
            return Stepped(ahead.turn, ahead.at, ahead=True)
        self.void()
        return Stepped(step(flow, state, event, now), now)


def _minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)
