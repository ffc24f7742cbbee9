"""The dialogue engine: one pure function from state and event to turn.

    step(flow: CallFlow, state: State, event: Event, now: datetime) -> Turn

    state, event -> choose a route -> follow it through states -> Turn(state', say, actions, …)

No I/O, no clock, no randomness: the same arguments give the same turn, so a turn may be computed
on a guess and thrown away, and a call replays from its log (`replay`). The stable names that a
host builds on: `CallFlow` and `Flow` (flow.py), `State`, `Turn`, `Prompt`, `Segment`, `Action`,
`Listen` (turn.py), the events with `serialize_event` / `parse_event` (events.py), `step` and
`replay` here. Which route an event takes is decided in routing.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
)
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.routing import Chosen, choose, run_check
from appliance.dialogue.schema import REASON, ActionState, Decision, Route, Terminal, ToolCall
from appliance.dialogue.turn import Action, Prompt, State, Turn

END_CALL = "end_call"
"""The action of every terminal state; its argument `reason` is the outcome."""


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
    if state.ended:
        return Turn(state, listen=flow.listen(state), reply="already_closed")
    turn = _take(flow, state, event, now)
    spec = flow.flow.spec
    if turn.state.turns >= spec.max_turns and turn.listen.expects_reply:
        return _take(flow, state, event, now, forced=spec.out_of_turns)
    return turn


def replay(flow: CallFlow, entries: Iterable[tuple[datetime, Event]]) -> Iterator[Turn]:
    """Run a call again from its log: each event (`parse_event`) with its time."""
    state = flow.open()
    for now, event in entries:
        turn = step(flow, state, event, now)
        yield turn
        state = turn.state


def _take(
    flow: CallFlow, state: State, event: Event, now: datetime, forced: Route | None = None
) -> Turn:
    walk = _Walk(flow, state, event, now)
    if isinstance(event, CallStarted):
        if not state.current:
            walk.enter(flow.flow.spec.start)
        return walk.turn()
    chosen = choose(flow, state, event, now)
    walk.begin(chosen)
    route = forced or chosen.route
    if route is not None:
        walk.follow(route)
    return walk.turn()


class _Walk:
    """The way of one event through the flow; gathers what becomes the turn."""

    def __init__(self, flow: CallFlow, state: State, event: Event, now: datetime) -> None:
        self._flow, self._spec = flow, flow.flow.spec
        self._before, self._event, self._now = state, event, now
        self._current, self._phase = state.current, state.phase
        self._counters, self._facts = dict(state.counters), dict(state.facts)
        self._reason, self._question = state.reason, state.last_question
        self._outcome: str | None = None
        self._turns = state.turns
        self._say: list[Prompt] = []
        self._calls: list[tuple[str, dict[str, str]]] = []
        self._checked: list[Checked] = []

    def begin(self, chosen: Chosen) -> None:
        """Note what the event itself changes: turn count, counters, the facts of its check."""
        waiting = not self._flow.listen(self._before).expects_reply
        if isinstance(self._event, Heard | Digits | NoInput | EngineFailed) and not waiting:
            self._turns += 1
        for name, counter in self._spec.counters.items():
            heard = isinstance(self._event, Heard | Digits) and counter.reset == "heard"
            if heard or (chosen.understood and counter.reset == "understood"):
                self._counters.pop(name, None)
        if chosen.checked:
            self._note(chosen.checked)

    def _note(self, checked: Checked) -> None:
        self._checked.append(checked)
        self._facts.update(checked.facts)

    def _check(self, name: str) -> Checked:
        for earlier in self._checked:  # a check runs once an event, so that one record replays it
            if earlier.check == name:
                return earlier
        self._note(run_check(self._flow, name, self._event, self._facts, self._now))
        return self._checked[-1]

    def follow(self, route: Route) -> None:
        """Do what a route says, in the order of `schema.Route`."""
        self._facts.update(dict.fromkeys(route.set, True))
        self._reason = route.reason or self._reason
        if route.count:
            count = self._counters[route.count] = self._counters.get(route.count, 0) + 1
            counter = self._spec.counters[route.count]
            past = route.past or counter.past
            if count >= counter.limit and past is not None:
                self.follow(past)
                return
        if route.check:
            checked = self._check(route.check)
            self.follow(route.on[f"{checked.check}.{checked.outcome}"])
            return
        self._speak(route.say)
        if route.goto:
            self.enter(route.goto, route.ask)
        else:
            self._stay(route.ask)

    def _stay(self, ask: str | None) -> None:
        here = self._spec.states[self._current]
        if isinstance(here, Decision):
            self._ask(ask or here.again or here.ask)

    def enter(self, name: str, ask: str | None = None) -> None:
        """Go to a state: speak its lines, then ask, act, or end."""
        self._current = name
        match self._spec.states[name]:
            case Decision() as decision:
                self._phase = decision.phase
                self._speak(decision.say)
                self._ask(ask or decision.ask)
            case ActionState() as action:
                self._phase = action.phase
                self._speak(action.say)
                self._calls += [(call.tool, self._arguments(call)) for call in action.do]
                if action.then is not None:
                    self.follow(action.then)
            case Terminal() as terminal:
                self._phase = "ended"
                self._speak(terminal.say)
                self._outcome = self._filled(terminal.outcome)
                self._calls.append((END_CALL, {"reason": self._outcome}))

    def _arguments(self, call: ToolCall) -> dict[str, str]:
        return {name: self._filled(value) for name, value in call.args.items()}

    def _filled(self, value: str) -> str:
        if value == REASON:
            assert self._reason is not None, f"no reason was given on the way to {self._current}"
            return self._reason
        return str(self._flow.value(value[1:], self._facts)) if value.startswith("$") else value

    def _speak(self, names: tuple[str, ...]) -> None:
        self._say += [self._flow.render(name, self._facts) for name in names]

    def _ask(self, name: str) -> None:
        self._speak((name,))
        self._question = name

    def turn(self) -> Turn:
        """What came of it."""
        step_number = self._before.step + 1
        state = self._before.model_copy(
            update={
                "current": self._current,
                "phase": self._phase,
                "step": step_number,
                "turns": self._turns,
                "counters": self._counters,
                "facts": self._facts,
                "reason": self._reason,
                "last_question": self._question,
                "ended": self._outcome is not None,
                "outcome": self._outcome,
            }
        )
        actions = tuple(
            Action(name, args, f"{self._flow.call_id}:{step_number}:{name}")
            for name, args in self._calls
        )
        return Turn(
            state=state,
            say=() if isinstance(self._event, HungUp) else tuple(self._say),
            actions=actions,
            listen=self._flow.listen(state),
            checked=tuple(self._checked),
            reply="ended" if state.ended else "continue",
        )
