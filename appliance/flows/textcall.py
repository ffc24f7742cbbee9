"""A call by text: the dialogue with its host's part played here, without audio or side effects.

    call = TextCall(flow, understand, now)     # understand(text, Listen) -> Understanding
    call.starts()                              # each yields a Turn
    call.says("nine oh two one oh")

For `appliance chat`, scenarios and tests. Actions are left to the caller of it to look at. Where a
turn hands the call over, `goes_on` continues it in the next flow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Digits, Event, Heard, HungUp, NoInput, ToolDone
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.said_digits import SaidDigits
from appliance.dialogue.turn import HandoffNote, Listen, State, Turn
from appliance.types import Understanding

Understand = Callable[[str, Listen], Understanding]


@dataclass
class TextCall:
    """One call; `now` is a source of local time, `turns` and `events` are its history."""

    flow: CallFlow
    understand: Understand
    now: Callable[[], datetime]
    turns: list[Turn] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _state: State | None = None
    _said: SaidDigits = field(default_factory=SaidDigits)

    @property
    def state(self) -> State:
        """Where the call stands."""
        if self._state is None:
            self._state = self.flow.open()
        return self._state

    def take(self, event: Event) -> Turn:
        """Step the dialogue by any event."""
        turn = step(self.flow, self.state, event, self.now())
        self._state = turn.state
        self.turns.append(turn)
        self.events.append(event)
        return turn

    def goes_on(self, flow: CallFlow, notes: tuple[HandoffNote, ...]) -> Turn:
        """Continue in another flow, which begins with these notes."""
        self.flow, self._state = flow, flow.open(notes)
        return self.starts()

    def stands_at(self, state: State) -> None:
        """Go on from where a call of this flow stood."""
        self._state = state

    def skips_to_last_turn(self) -> None:
        """Use up the flow's turns but one: for rehearsing what happens at the limit."""
        used = self.flow.flow.spec.max_turns - 1
        self._state = self.state.model_copy(update={"turns": used})

    def starts(self) -> Turn:
        """The call is up."""
        return self.take(CallStarted())

    def says(self, text: str, unheard: tuple[str, ...] = ()) -> Turn:
        """The caller says something, in the context of what was asked.

        `unheard`: prompts that must be heard, of which he has not heard all (`Event.unheard`).
        """
        understanding = self.understand(text, self._said.listen(self.flow.listen(self.state)))
        self._said.heard(understanding)
        return self.take(Heard(understanding, unheard=unheard))

    def types(self, digits: str) -> Turn:
        """The caller types digits."""
        self._said.typed()
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
