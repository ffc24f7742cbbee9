"""A call by text: the dialogue with its host's part played here, without audio or side effects.

    call = TextCall(flow, understand)          # understand(text, slot asked) -> Understanding
    call.starts()                              # each yields a Turn
    call.says("nine oh two one oh")

For `appliance chat`, scenarios and tests. Actions are left to the caller of it to look at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Digits, Event, Heard, HungUp, NoInput, ToolDone
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import State, Turn
from appliance.types import Understanding

Understand = Callable[[str, Slot | None], Understanding]


@dataclass
class TextCall:
    """One call; `now` is a source of local time, `turns` and `events` are its history."""

    flow: CallFlow
    understand: Understand
    now: Callable[[], datetime]
    turns: list[Turn] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def state(self) -> State:
        """Where the call stands."""
        return self.turns[-1].state if self.turns else self.flow.open()

    def take(self, event: Event) -> Turn:
        """Step the dialogue by any event."""
        turn = step(self.flow, self.state, event, self.now())
        self.turns.append(turn)
        self.events.append(event)
        return turn

    def starts(self) -> Turn:
        """The call is up."""
        return self.take(CallStarted())

    def says(self, text: str) -> Turn:
        """The caller says something, in the context of what was asked."""
        slot = self.turns[-1].listen.slot if self.turns else None
        return self.take(Heard(self.understand(text, slot)))

    def types(self, digits: str) -> Turn:
        """The caller types digits."""
        return self.take(Digits(digits))

    def is_silent(self) -> Turn:
        """The caller says nothing."""
        return self.take(NoInput())

    def tool(self, name: str, outcome: str) -> Turn:
        """The host reports on an action."""
        return self.take(ToolDone(name, outcome))

    def hangs_up(self) -> Turn:
        """The caller is gone."""
        return self.take(HungUp())
