"""A caller who says anything: walks a flow at random, the same way for the same seed.

He means things rather than saying them (see `dialogue.rehearsal`), so understanding is not tested
here, and thousands of calls a second are possible. Every turn is held against what must hold of
all of them; the checker proves the same, this shows it on the engine itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from appliance.dialogue.checker.script import NOON
from appliance.dialogue.checks import NOTHING
from appliance.dialogue.engine import control_of, step
from appliance.dialogue.events import Checked, Event
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import KNOWN, Given, event_for, given, recorded, sample_call
from appliance.dialogue.schema import Decision
from appliance.dialogue.signals import START, Signal, signals_at
from appliance.dialogue.turn import State, Turn
from appliance.flows.coverage import Coverage

_WEIGHTS = {
    "check": 6.0, "intent": 4.0, "key": 2.0, "tool": 4.0, "universal": 0.5, "unclear": 1.0,
    "silence": 1.0, "engine_failed": 0.3, "hung_up": 0.3,
}  # fmt: skip
"""How often each kind of event comes; a caller mostly answers the question."""

_STEPS = 400


@dataclass
class Walks:
    """What a number of simulated calls came to."""

    coverage: Coverage
    calls: int = 0
    turns: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def simulate(flow: Flow, calls: int, seed: int, progress: Callable[[int], None]) -> Walks:
    """Walk through so many calls.

    Raises:
        AssertionError: a call did not end, or a turn is not lawful; the message has the call.
    """
    walks = Walks(Coverage(flow))
    for number in range(calls):
        caller = SimulatedCaller(flow, Random(f"{seed}:{number}"), f"simulated-{seed}-{number}")
        while not caller.ended:
            before = caller.state
            turn = caller.take(caller.next_event())
            walks.coverage.add(turn)
            _assert_lawful(caller.call, before, turn)
        walks.calls += 1
        walks.turns += caller.state.turns
        walks.outcomes[caller.state.outcome or ""] += 1
        progress(number + 1)
    return walks


class SimulatedCaller:
    """One call: what may happen next is chosen at random among all that can."""

    def __init__(self, flow: Flow, random: Random, call_id: str) -> None:
        self._flow, self._random = flow, random
        language = random.choice(flow.languages)
        spoken = random.choice(((language,), flow.languages))
        entry = {
            name: _entry_value(flow, random, name)
            for name, need in flow.spec.entry.items()
            if need == "required" or random.random() < 0.7
        }
        self.call = sample_call(flow, language, spoken, entry, call_id)
        self.state = self.call.open()
        self._steps = 0

    @property
    def ended(self) -> bool:
        """Whether the call is over."""
        return self.state.ended

    def next_event(self) -> Event:
        """What happens next; the first time, the call begins."""
        self._steps += 1
        assert self._steps <= _STEPS, f"{self.call.call_id} does not end: {self.state.current}"
        signal = START
        if self.state.current:
            control = control_of(self.state)
            signals = list(signals_at(self._flow.spec, self._flow.checks, control))
            weights = [_WEIGHTS[each.kind] for each in signals]
            signal = self._random.choices(signals, weights)[0]
        found = _findings(self._flow, self.state, signal, self._random)
        return event_for(signal, found, _gifts(self._flow, signal, self._random))

    def take(self, event: Event) -> Turn:
        """Step the dialogue."""
        turn = step(self.call, self.state, event, NOON)
        self.state = turn.state
        return turn


def _entry_value(flow: Flow, random: Random, name: str) -> bool | str:
    kind = flow.spec.facts[name]
    if isinstance(kind, tuple):
        return random.choice(kind)
    return random.random() < 0.5 if kind == "flag" else "known"


def _findings(flow: Flow, state: State, signal: Signal, random: Random) -> tuple[Checked, ...]:
    """What every check is to find, should it be asked; the state's own as the signal says."""
    here = flow.spec.states.get(state.current)
    own = here.listen.check if isinstance(here, Decision) else None
    found = []
    for name, check in flow.checks.items():
        outcome = str(random.choice(list(check.outcomes)))
        if name == own:
            outcome = signal.name.partition(".")[2] if signal.kind == "check" else NOTHING
            if outcome not in list(check.outcomes):
                continue
        sometimes = check.may_produce.get(outcome, ())
        facts = {fact: "known" for fact in sometimes if random.random() < 0.5}
        found.append(recorded(flow, name, outcome, _chosen(flow, facts, random)))
    return tuple(found)


def _gifts(flow: Flow, signal: Signal, random: Random) -> Given:
    """What a tool gives with its outcome."""
    if signal.kind != "tool":
        return ()
    name, _, outcome = signal.name.partition(".")
    tool = flow.spec.tools[name]
    sometimes = [n for n in tool.may_produce.get(outcome, ()) if random.random() < 0.5]
    names = (*tool.produces.get(outcome, ()), *sometimes)
    return given(flow, name, outcome, _chosen(flow, dict.fromkeys(names, KNOWN), random))


def _chosen(flow: Flow, facts: dict[str, str], random: Random) -> dict[str, str]:
    kinds = {name: flow.spec.facts[name] for name in facts}
    return {n: random.choice(k) if isinstance(k, tuple) else facts[n] for n, k in kinds.items()}


def _assert_lawful(call: CallFlow, before: State, turn: Turn) -> None:
    """What must hold of every turn, whatever the flow."""
    state, spec = turn.state, call.flow.spec
    where = f"{call.call_id}: {before.current} -> {state.current}"
    assert state.ended == (state.outcome is not None), where
    assert not state.ended or state.outcome in spec.outcomes, where
    assert state.turns <= spec.max_turns or not turn.listen.expects_reply, where
    assert state.times_asked <= spec.repeat_limit, where
    assert not before.ended, where
