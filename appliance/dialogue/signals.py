"""What an event comes to, as far as routing is concerned, and the route that it takes.

    Event ── read (engine) ──> Signal ── route_for ──> Route

A signal has no words, digits or slots in it, so there are finitely many in each state
(`signals_at`): those are what the checker tries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from appliance.dialogue.checks import NOTHING, Check
from appliance.dialogue.control import Control
from appliance.dialogue.schema import ActionState, Decision, FlowSpec, Route, Terminal

Kind = Literal[
    "start", "universal", "check", "intent", "key", "unclear", "silence", "engine_failed",
    "tool", "hung_up", "ignored",
]  # fmt: skip

_UNDERSTOOD = frozenset({"universal", "check", "intent", "key"})
_ANSWERS = frozenset({"check", "intent", "key"})
_HEARD = _UNDERSTOOD | {"unclear"}
_FALLBACKS = frozenset({"unclear", "silence", "engine_failed"})

SPECIAL = _FALLBACKS | {"repeated", "hung_up"}
"""Keys of `on` that are no intents."""


STOP = "stop_request"
"""The intent that counts even when the dialogue is over: "stop calling me" over the goodbye."""


@dataclass(frozen=True, slots=True)
class Signal:
    """An event without its data. `name` is the intent, `check.outcome`, `key.N`, `tool.outcome`."""

    kind: Kind
    name: str = ""

    @property
    def understood(self) -> bool:
        """Whether the caller said or typed something that leads somewhere."""
        return self.kind in _UNDERSTOOD

    @property
    def heard(self) -> bool:
        """Whether the caller said or typed something."""
        return self.kind in _HEARD

    @property
    def answers(self) -> bool:
        """Whether it is an answer to the question; what is universal may come at any time."""
        return self.kind in _ANSWERS

    @property
    def takes_turn(self) -> bool:
        """Whether this counts towards the flow's limit of turns."""
        return self.kind in _HEARD | {"silence", "engine_failed"}


START = Signal("start")
IGNORED = Signal("ignored")


def route_for(spec: FlowSpec, current: str, signal: Signal) -> Route | None:
    """The route that a signal takes in a state; None where nothing happens."""
    here = spec.states.get(current)
    if signal.kind == "universal":
        return spec.universal[signal.name]
    if signal.kind == "hung_up":
        own = here.on.get("hung_up") if isinstance(here, Decision | ActionState) else None
        return own or spec.fallbacks.hung_up
    if isinstance(here, Decision):
        if signal.kind in _FALLBACKS:
            fallback: Route = getattr(spec.fallbacks, signal.kind)
            return here.on.get(signal.kind, fallback)
        return here.on.get(signal.name)
    if signal.kind == "tool" and isinstance(here, ActionState | Terminal):
        return here.on.get(signal.name)
    return None


def universals_in(spec: FlowSpec, current: str) -> Iterator[str]:
    """The universal intents that are heard in a state, the most protected first.

    An action hears those that it lists, and none that would begin it again; a terminal none.
    """
    here = spec.states.get(current)
    for name, route in spec.universal.items():
        if isinstance(here, Decision) or (
            isinstance(here, ActionState)
            and current not in _targets(route)
            and (here.hears is None or name in here.hears)
        ):
            yield name


def _targets(route: Route) -> set[str]:
    """The states that a route can lead to itself, whatever it branches on."""
    inner = (*route.on.values(), route.past, route.otherwise)
    found = {route.goto} if route.goto else set()
    return found.union(*(_targets(each) for each in inner if each is not None))


def signals_at(spec: FlowSpec, checks: Mapping[str, Check], control: Control) -> Iterator[Signal]:
    """Every signal that can come while a call stands there."""
    here = spec.states[control.current]
    yield Signal("hung_up")
    for name in universals_in(spec, control.current):
        yield Signal("universal", name)
    if isinstance(here, Decision):
        yield Signal("silence")
        yield Signal("engine_failed")
        yield from _replies(checks, here)
    elif control.doing:
        tool = here.do[control.doing - 1].tool
        for outcome in spec.tools[tool].outcomes:
            yield Signal("tool", f"{tool}.{outcome}")


def _replies(checks: Mapping[str, Check], here: Decision) -> Iterator[Signal]:
    """What a reply to a question can come to: its check first, then intents and keys."""
    check = here.listen.check
    outcomes = [str(each) for each in checks[check].outcomes] if check else [NOTHING]
    for outcome in outcomes:
        if outcome != NOTHING:
            yield Signal("check", f"{check}.{outcome}")
    if NOTHING not in outcomes:
        return
    yield Signal("unclear")
    for key in here.on:
        name, _, rest = key.partition(".")
        if name == "key":
            yield Signal("key", key)
        elif not rest and key not in SPECIAL:
            yield Signal("intent", key)
