"""A dialogue by text that does by itself what needs no user: tools, and going on in another flow.

    turn ── follow ──> turn, turn, …     until the user is waited for, or all is over
              │  └─ handed over: the next flow begins
              └─ action ── perform ──> ToolDone

For `appliance chat` and for the agent that answers text messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from appliance.actions.tools import Result
from appliance.dialogue.events import ToolDone
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import END_CALL, Action, Turn
from appliance.errors import ApplianceError
from appliance.flows.shelf import FlowSet
from appliance.flows.textcall import TextCall
from appliance.session.afterwards import Story

Perform = Callable[[Action, CallFlow], Result]
_MAX_STEPS = 500


class EndlessError(ApplianceError):
    """The flow calls tools again and again without ever asking or ending."""


@dataclass
class TextWalk:
    """One dialogue; `entry` is what it began with, `story` what it learns and does."""

    call: TextCall
    flows: FlowSet
    perform: Perform
    entry: Mapping[str, bool | str]
    story: Story = field(default_factory=Story)

    def follow(self, turn: Turn) -> Iterator[Turn]:
        """A turn and all that follow without the user, each before its actions are performed.

        Raises:
            EndlessError: there is no end to it.
        """
        waiting = deque([turn])
        for _ in range(_MAX_STEPS):
            if not waiting:
                return
            turn = waiting.popleft()
            yield turn
            if turn.reply == "handed_over":
                waiting.append(self._go_on(turn))
            for action in turn.actions:
                if action.name != END_CALL:
                    waiting.extend(self._do(action, is_over=turn.state.ended))
        if waiting:
            raise EndlessError(
                f"flow {self.call.flow.flow.name}: {_MAX_STEPS} steps without the user"
            )

    def _do(self, action: Action, *, is_over: bool) -> Iterator[Turn]:
        """Perform it; where the flow still waits for the outcome, it hears of it."""
        result = self.perform(action, self.call.flow)
        self.story.deeds.append((action.name, result.outcome))
        if not is_over:
            facts = tuple(sorted(result.facts.items()))
            yield self.call.take(ToolDone(action.name, result.outcome, action.key, facts))

    def _go_on(self, turn: Turn) -> Turn:
        """The dialogue in the flow that it was handed over to, which is given the note."""
        assert turn.next_flow is not None
        flow = self.flows.after(self.call.flow.flow, turn.next_flow.flow)
        note = turn.next_flow.note
        self.entry = {**self.entry, **(note.key_facts if note else {})}
        self.story.leaves(self.call.flow, turn.state)
        bound = self.call.flow.hand_over(flow, turn.state.language, self.entry)
        return self.call.goes_on(bound, turn.state.notes)
