"""What an event comes to in a state. The order is the safety of the engine.

    1. universal intents and keys, in the order the flow lists them (the first is protected most)
    2. the state's check, where the reply holds what it reads
    3. the state's own keys and intents, by confidence
    4. unclear

While an action waits for its tool, only universal intents are heard, those that it `hears`, and
none that would start the same action again; a terminal state hears nothing any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from appliance.dialogue.checks import CONFIDENT, NOTHING, CheckInput
from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
)
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.schema import ActionState, Decision, Terminal
from appliance.dialogue.signals import IGNORED, START, STOP, Signal, universals_in
from appliance.dialogue.turn import State
from appliance.types import Understanding


class Reader:
    """Reads one event; `checked` is what checks found on the way, for the log."""

    def __init__(self, flow: CallFlow, state: State, event: Event, now: datetime) -> None:
        self._flow, self._state, self._event, self._now = flow, state, event, now
        self._spec = flow.flow.spec
        self.checked: list[Checked] = []
        self.gave: tuple[tuple[str, str], ...] = ()
        """The facts that a tool gave, if they are those that it declares."""

    @property
    def intents(self) -> tuple[str, ...]:
        """The intents that count, best first."""
        if not isinstance(self._event, Heard):
            return ()
        found = self._event.understanding.intents
        return tuple(each.name for each in found if each.confidence >= CONFIDENT)

    @property
    def stops_late(self) -> bool:
        """Whether the caller asks, for the first time, to be left alone when it is all over."""
        over = isinstance(self._spec.states.get(self._state.current), Terminal)
        return over and STOP in self.intents and self._state.last_intent != STOP

    def signal(self) -> Signal:
        """What the event comes to."""
        here = self._spec.states.get(self._state.current)
        match self._event:
            case CallStarted():
                return START if here is None else IGNORED
            case Heard() | Digits():
                return self._reply(here)
            case ToolDone():
                return self._tool(self._event)
            case HungUp():
                return Signal("hung_up")
            case NoInput() | EngineFailed() if isinstance(here, Decision):
                silent = isinstance(self._event, NoInput)
                return Signal("silence" if silent else "engine_failed")
        return IGNORED

    def _tool(self, event: ToolDone) -> Signal:
        """An outcome counts where it is waited for; an older action's does not."""
        here = self._spec.states.get(self._state.current)
        if not isinstance(here, ActionState | Terminal) or not self._state.doing:
            return IGNORED
        awaited = here.do[self._state.doing - 1].tool == event.tool
        if not awaited or (event.key and event.key != self._state.awaiting):
            return IGNORED
        if event.outcome not in self._spec.tools[event.tool].outcomes or not self._fits(event):
            return Signal("tool", f"{event.tool}.failed")
        self.gave = event.facts
        return Signal("tool", f"{event.tool}.{event.outcome}")

    def _fits(self, event: ToolDone) -> bool:
        """Whether a tool gives just the facts that it declares, and each of its kind."""
        tool, facts = self._spec.tools[event.tool], dict(event.facts)
        always = set(tool.produces.get(event.outcome, ()))
        sometimes = set(tool.may_produce.get(event.outcome, ()))
        if not always <= set(facts) <= always | sometimes:
            return False
        return all(self._flow.flow.can_be(name, value) for name, value in facts.items())

    def _reply(self, here: object) -> Signal:
        said = {*self.intents, *self._keys()}
        for name in universals_in(self._spec, self._state.current):
            if name in said:
                return Signal("universal", name)
        return self._answer(here) if isinstance(here, Decision) else IGNORED

    def _keys(self) -> tuple[str, ...]:
        return (f"key.{self._event.text}",) if isinstance(self._event, Digits) else ()

    def _answer(self, here: Decision) -> Signal:
        """A reply to a question: its check, then keys and intents, then unclear."""
        if here.listen.check:
            checked = self.check(here.listen.check, self._state.facts)
            if checked.outcome != NOTHING:
                return Signal("check", f"{checked.check}.{checked.outcome}")
        for key in self._keys():
            if key in here.on:
                return Signal("key", key)
        for intent in self.intents:
            if intent in here.on:
                return Signal("intent", intent)
        return Signal("unclear")

    def check(self, name: str, facts: Mapping[str, bool | str]) -> Checked:
        """A check's finding: as found or recorded before, else computed."""
        for earlier in self.checked:
            if earlier.check == name:
                return earlier
        found = self._recorded(name) or self._computed(name, facts)
        self.checked.append(found)
        return found

    def _recorded(self, name: str) -> Checked | None:
        return next((each for each in self._event.checked if each.check == name), None)

    def _computed(self, name: str, facts: Mapping[str, bool | str]) -> Checked:
        check, event = self._flow.flow.checks[name], self._event
        understanding = event.understanding if isinstance(event, Heard) else Understanding("")
        typed = event.text if isinstance(event, Digits) else ""
        account = self._flow.vault.for_checks()
        passages = self._flow.flow.passages.get(self._state.language, {})
        result = check.run(
            CheckInput(
                account, understanding, facts, self._now, typed, passages, self._flow.flow.data,
                self._flow.texts(facts, self._state.language),
            )
        )  # fmt: skip
        missing, surplus = check.undeclared(str(result.outcome), result.facts)
        odd = [
            fact
            for fact, value in result.facts.items()
            if fact not in surplus and not self._flow.flow.can_be(fact, value)
        ]
        if missing or surplus or odd or result.outcome not in list(check.outcomes):
            raise AssertionError(
                f"check {name}: {result.outcome} without {missing}, with {[*surplus, *odd]},"
                f" which it does not declare so"
            )
        return Checked(name, str(result.outcome), tuple(sorted(result.facts.items())))
