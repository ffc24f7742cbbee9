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
from appliance.dialogue.events import Checked
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import event_for, recorded, sample_call
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
        random = Random(f"{seed}:{number}")
        state = _walk(flow, random, walks, f"simulated-{seed}-{number}")
        walks.calls += 1
        walks.turns += state.turns
        walks.outcomes[state.outcome or ""] += 1
        progress(number + 1)
    return walks


def _walk(flow: Flow, random: Random, walks: Walks, call_id: str) -> State:
    language = random.choice(flow.languages)
    spoken = random.choice(((language,), flow.languages))
    entry = {
        name: _entry_value(flow, random, name)
        for name, need in flow.spec.entry.items()
        if need == "required" or random.random() < 0.7
    }
    call = sample_call(flow, language, spoken, entry, call_id)
    state = call.open()
    signal = START
    for _ in range(_STEPS):
        turn = step(call, state, event_for(signal, _findings(flow, state, signal, random)), NOON)
        walks.coverage.add(turn)
        _assert_lawful(call, state, turn)
        state = turn.state
        if state.ended:
            return state
        signal = _signal(flow, state, random)
    raise AssertionError(f"{call_id} does not end; it is in {state.current}")


def _entry_value(flow: Flow, random: Random, name: str) -> bool | str:
    kind = flow.spec.facts[name]
    if isinstance(kind, tuple):
        return random.choice(kind)
    return random.random() < 0.5 if kind == "flag" else "known"


def _signal(flow: Flow, state: State, random: Random) -> Signal:
    signals = list(signals_at(flow.spec, flow.checks, control_of(state)))
    return random.choices(signals, [_WEIGHTS[each.kind] for each in signals])[0]


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
