"""The dialogue engine: one pure function from state and event to turn.

    step(flow: CallFlow, state: State, event: Event, now: datetime) -> Turn

    Event ── read ──> Signal ── Walk ──> Control' ──> Turn(state', say, actions, …)

No I/O, no clock, no randomness: the same arguments give the same turn, so a turn may be computed
on a guess and thrown away, and a call replays from its log (`replay`). What an event comes to is
decided in reading.py, where it leads in walk.py; here the walk's host renders prompts and fills in
the arguments of tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from appliance.dialogue.control import Control
from appliance.dialogue.events import Checked, Event, Heard, HungUp
from appliance.dialogue.faults import UnknownError
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.reading import Reader
from appliance.dialogue.schema import REASON, ActionState, Decision, Route, Terminal
from appliance.dialogue.signals import STOP, Signal
from appliance.dialogue.turn import WITHHELD, Action, HandoffNote, NextFlow, Prompt, State, Turn
from appliance.dialogue.walk import Walk
from appliance.types import Language

HANDED_OVER = "handed_over"


def step(flow: CallFlow, state: State, event: Event, now: datetime) -> Turn:
    """Take one event.

    Args:
        flow: the flow bound to this call.
        state: from `flow.open()` or the turn before.
        event: what happened.
        now: the local wall time, for dates.

    Raises:
        ValueError: the state belongs to another flow or another version of it.
    """
    if state.flow_hash != flow.flow.hash:
        raise ValueError(f"state of {state.flow} {state.flow_hash}, flow is {flow.flow.hash}")
    reader = Reader(flow, state, event, now)
    if reader.stops_late and STOP in flow.flow.spec.universal:
        return _Turning(flow, state, event, reader).stop_late(flow.flow.spec.universal[STOP])
    if state.ended:
        return Turn(state, listen=flow.listen(state), reply="already_closed")
    signal = reader.signal()
    forced = None
    if state.turns + signal.takes_turn >= flow.flow.spec.max_turns:
        dry = _Turning(flow, state, event, reader, dry=True).take(signal)
        if dry.listen.expects_reply:  # there is no turn left to hear the reply in
            forced = flow.flow.spec.out_of_turns
    return _Turning(flow, state, event, reader).take(signal, forced)


def replay(flow: CallFlow, entries: Iterable[tuple[datetime, Event]]) -> Iterator[Turn]:
    """Run a call again from its log: each event (`parse_event`) with its time."""
    state = flow.open()
    for now, event in entries:
        turn = step(flow, state, event, now)
        yield turn
        state = turn.state


class _Turning:
    """The host of a walk that gathers what becomes the turn."""

    def __init__(
        self, flow: CallFlow, before: State, event: Event, reader: Reader, *, dry: bool = False
    ) -> None:
        """`dry`: only see where the walk comes to; nothing is rendered, called or written."""
        self._dry = dry
        self._flow = flow
        self._before = before
        self._event = event
        self._reader = reader
        self._control = control_of(before)
        self._step = before.step + 1
        self._checked: list[Checked] = list(reader.checked)
        self._say: list[Prompt] = []
        self._actions: list[Action] = []
        self._notes: list[HandoffNote] = []
        self._taken: list[str] = []
        self._next: NextFlow | None = None

    def take(self, signal: Signal, forced: Route | None = None) -> Turn:
        """Walk, and put the turn together."""
        spec, control = self._flow.flow.spec, self._control
        intent = self._before.last_intent
        if isinstance(self._event, Heard):
            for each in self._reader.intents:
                control.facts.update(spec.observe.get(each, {}))
            intent = next(iter(self._reader.intents), intent)
        owed = self._flow.flow.obligations.owed(self._event.unheard, control.question)
        Walk(spec, control, self, owed).take(signal, forced)
        here = spec.states.get(control.current)
        ended = control.outcome is not None
        waits = self._actions and not ended and control.doing
        state = self._before.model_copy(
            update={
                "language": control.language,
                "current": control.current,
                "phase": _phase(here),
                "step": self._step,
                "turns": self._before.turns + signal.takes_turn,
                "doing": control.doing,
                "awaiting": self._awaiting(bool(waits)),
                "counters": control.counters,
                "facts": control.facts,
                "notes": (*self._before.notes, *self._notes),
                "reason": control.reason,
                "last_intent": intent,
                "last_question": control.question,
                "times_asked": control.asked,
                "ended": ended,
                "outcome": control.outcome,
            }
        )
        return Turn(
            state=state,
            say=tuple(self._say),
            actions=tuple(self._actions),
            listen=self._flow.listen(state),
            checked=tuple(self._checked),
            taken=tuple(self._taken),
            next_flow=self._next,
            reply="continue" if not ended else "handed_over" if self._next else "ended",
        )

    def stop_late(self, route: Route) -> Turn:
        """A stop request when all is said: what it does is done, and nothing else changes."""
        spec, control, before = self._flow.flow.spec, self._control, self._before
        self.took(route)
        control.facts.update(route.set)
        here = spec.states.get(route.goto or "")
        if isinstance(here, ActionState):
            for position, each in enumerate(here.do):
                if control.holds(each.when):
                    self.call(here, position)
        told = {"step": self._step, "facts": control.facts, "last_intent": STOP}
        state = before.model_copy(update=told)
        return Turn(
            state, actions=tuple(self._actions), listen=self._flow.listen(state),
            taken=tuple(self._taken), reply="ended" if before.ended else "continue",
        )  # fmt: skip

    def _awaiting(self, begun: bool) -> str | None:
        """The key of the action that is waited for."""
        if begun:
            return self._actions[-1].key
        return self._before.awaiting if self._control.doing else None

    # What the walk asks for

    def check(self, name: str) -> str:
        """Run a check, or take what it found before: it runs once an event."""
        checked = self._reader.check(name, self._control.facts)
        if checked not in self._checked:
            self._checked.append(checked)
        self._control.facts.update(checked.facts)
        return checked.outcome

    def learn(self, tool: str, outcome: str) -> None:  # noqa: ARG002 (the reader knows)
        """Take the facts that a tool gives; those that do not fit made it fail (`Reader`)."""
        self._control.facts.update(self._reader.gave)

    def speaks(self, language: str) -> bool:
        """Whether the box can go on in a language."""
        return language in self._flow.languages

    def took(self, route: Route) -> None:
        """Note the route for people and for coverage."""
        self._taken.append(self._flow.flow.route_paths[id(route)])

    def entered(self, state: str) -> None:
        """Note the state, for the same."""
        self._taken.append(f"states.{state}")

    def say(self, prompt: str) -> None:
        """Render a prompt with what is known at this point of the walk, where it applies."""
        control = self._control
        if not self._dry and self._flow.applies(prompt, control.facts, _language(control)):
            self._say.append(self._rendered(prompt))

    def ask(self, prompt: str) -> None:
        """A question is a prompt like any other."""
        self.say(prompt)

    def withheld(self) -> None:
        """Note it for people; the event has led somewhere all the same."""
        self._taken.append(WITHHELD)

    def insist(self, prompt: str) -> None:
        """The same prompt, but to its end."""
        said = len(self._say)
        self.say(prompt)
        self._say[said:] = (replace(each, uninterruptible=True) for each in self._say[said:])

    def _rendered(self, prompt: str) -> Prompt:
        control = self._control
        return self._flow.render(
            prompt, control.facts, _language(control), state=control.current, step=self._step
        )

    def call(self, state: ActionState | Terminal, position: int) -> None:
        """Make the action with its arguments filled in."""
        if self._dry:
            return
        listed = state.do[position]
        given = listed.given(self._control.facts.get)
        args = {name: self._filled(value) for name, value in given}
        key = f"{self._flow.call_id}:{self._step}:{listed.tool}"
        taken = sum(each.name == listed.tool for each in self._actions)
        self._actions.append(Action(state, position, args, f"{key}:{taken}" if taken else key))

    def _filled(self, value: str) -> str:
        if value == REASON:
            if self._control.reason is None:
                raise UnknownError("no reason was given on the way here")
            return self._control.reason
        if not value.startswith("$"):
            return value
        if value[1:] in self._flow.flow.spec.texts:
            return self._flow.text(value[1:], self._control.facts, _language(self._control))
        return str(self._flow.value(value[1:], self._control.facts))

    def write(self, note: str) -> None:
        """Write a note from what the call has learned."""
        if self._dry:
            return
        declared, facts = self._flow.flow.spec.notes[note], self._control.facts
        self._notes.append(
            HandoffNote(
                to=declared.to,
                by=self._flow.flow.voice_of(self._control.current) or self._flow.flow.name,
                summary=" ".join(self._noted(declared.summary)),
                key_facts={name: facts[name] for name in declared.facts if name in facts},
                open_questions=tuple(n for n in declared.open_questions if n not in facts),
                recommendations=self._noted(declared.recommendations),
            )
        )

    def _noted(self, prompts: tuple[str, ...]) -> tuple[str, ...]:
        control = self._control
        return tuple(
            self._rendered(prompt).text
            for prompt in prompts
            if self._flow.applies(prompt, control.facts, _language(control))
        )

    def end(self, state: Terminal, outcome: str) -> None:
        """End the call, or this flow's part of it; nobody is handed over who has hung up."""
        if self._dry:
            return
        if state.handover is None or isinstance(self._event, HungUp):
            key = f"{self._flow.call_id}:{self._step}:end_call"
            self._actions.append(Action(state, None, {"reason": outcome}, key))
            return
        if state.handover.note:
            self.write(state.handover.note)
        note = self._notes[-1] if state.handover.note else None
        self._next = NextFlow(state.handover.flow, note)


def control_of(state: State) -> Control:
    """The finite part of a state, to walk on."""
    return Control(
        current=state.current,
        language=state.language,
        doing=state.doing,
        question=state.last_question,
        asked=state.times_asked,
        reason=state.reason,
        outcome=state.outcome,
        counters=dict(state.counters),
        facts=dict(state.facts),
    )


def _language(control: Control) -> Language:
    return "es" if control.language == "es" else "en"


def _phase(here: Decision | ActionState | Terminal | None) -> str:
    if here is None:
        return ""
    return "ended" if isinstance(here, Terminal) else here.phase
