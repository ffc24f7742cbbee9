"""Which route an event takes. The order is the safety of the engine.

    1. universal intents, in the order the flow lists them (the first is the most protected)
    2. the state's check, where the reply holds what it reads
    3. the state's own intents, by confidence
    4. the fallback: unclear, silence, engine failure, hang-up

While an action waits for its tool, only universal intents are heard, and none that would start
the same action again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from appliance.dialogue.checks import NOTHING, CheckInput
from appliance.dialogue.events import (
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
from appliance.dialogue.schema import ActionState, Decision, Route
from appliance.dialogue.turn import State
from appliance.types import Understanding

CONFIDENT = 0.5
"""An intent below this is not acted on. The rule layer scores guesses below it."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The route to take, if any, and the check outcome that led to it."""

    route: Route | None
    understood: bool = False
    checked: Checked | None = None


def choose(flow: CallFlow, state: State, event: Event, now: datetime) -> Chosen:
    """Find the route for an event in the current state."""
    spec = flow.flow.spec
    here = spec.states.get(state.current)
    if isinstance(event, HungUp):
        return Chosen(spec.fallbacks.hung_up)
    if isinstance(event, Heard) and here is not None:
        universal = _universal(flow, state, event.understanding)
        if universal is not None:
            return Chosen(universal, understood=True)
    if isinstance(here, Decision):
        return _decide(flow, state, here, event, now)
    if isinstance(event, ToolDone) and isinstance(here, ActionState):
        return Chosen(here.on.get(f"{event.tool}.{event.outcome}"))
    return Chosen(None)


def _decide(flow: CallFlow, state: State, here: Decision, event: Event, now: datetime) -> Chosen:
    fallbacks = flow.flow.spec.fallbacks
    match event:
        case NoInput():
            return Chosen(here.on.get("silence", fallbacks.silence))
        case EngineFailed():
            return Chosen(here.on.get("engine_failed", fallbacks.engine_failed))
        case Heard() | Digits():
            return _replied(flow, state, here, event, now)
    return Chosen(None)


def _universal(flow: CallFlow, state: State, heard: Understanding) -> Route | None:
    said = {intent.name for intent in heard.intents if intent.confidence >= CONFIDENT}
    for name, route in flow.flow.spec.universal.items():
        if name in said:
            here = flow.flow.spec.states.get(state.current)
            again = isinstance(here, ActionState) and route.goto == state.current
            return None if again else route
    return None


def _replied(
    flow: CallFlow, state: State, here: Decision, event: Heard | Digits, now: datetime
) -> Chosen:
    """A reply in a decision state: its check, then its intents, then unclear."""
    checked: Checked | None = None
    if here.listen.check:
        checked = run_check(flow, here.listen.check, event, state.facts, now)
        if checked.outcome != NOTHING:
            return Chosen(here.on[f"{checked.check}.{checked.outcome}"], True, checked)
    if isinstance(event, Heard):
        for intent in event.understanding.intents:
            if intent.confidence >= CONFIDENT and intent.name in here.on:
                return Chosen(here.on[intent.name], True, checked)
    return Chosen(here.on.get("unclear", flow.flow.spec.fallbacks.unclear), False, checked)


def run_check(
    flow: CallFlow, name: str, event: Event, facts: Mapping[str, bool | str], now: datetime
) -> Checked:
    """A check's finding: as recorded in the event, else computed."""
    if isinstance(event, Heard | Digits):
        for recorded in event.checked:
            if recorded.check == name:
                return recorded
    check = flow.flow.checks[name]
    understanding = event.understanding if isinstance(event, Heard) else Understanding("")
    typed = event.text if isinstance(event, Digits) else ""
    result = check.run(CheckInput(flow.account, understanding, facts, now, typed))
    missing = set(check.produces.get(result.outcome, ())) - set(result.facts)
    unknown = set(result.facts) - set(flow.flow.spec.facts)
    assert not missing, f"check {name}: {result.outcome} without {missing}"
    assert not unknown, f"check {name}: undeclared facts {unknown}"
    return Checked(name, str(result.outcome), tuple(sorted(result.facts.items())))
