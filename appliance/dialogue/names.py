"""The names of a flow: every one refers to something, and every outcome has a route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from appliance.dialogue.checks import NOTHING, Check
from appliance.dialogue.intents import INTENTS
from appliance.dialogue.schema import REASON, ActionState, Decision, FlowSpec, Route, Terminal

Where = tuple[str, ...]
Problem = tuple[Where, str]

SPECIAL = {"silence", "unclear", "engine_failed"}
"""Keys of `on` that are not intents."""


def find_name_problems(spec: FlowSpec, checks: Mapping[str, Check]) -> Iterator[Problem]:
    """Names that refer to nothing, and outcomes without a route."""
    yield from _declarations(spec)
    for at, route in _routes(spec):
        yield from _route_names(spec, checks, at, route)
    for name, state in spec.states.items():
        at = ("states", name)
        match state:
            case Decision():
                yield from _decision_names(checks, at, state)
            case ActionState():
                yield from _action_names(spec, at, state)
            case Terminal() if state.outcome not in (*spec.outcomes, REASON):
                yield (*at, "outcome"), f"{state.outcome} is not declared under outcomes"


def _declarations(spec: FlowSpec) -> Iterator[Problem]:
    if not isinstance(spec.states.get(spec.start), Decision | ActionState):
        yield ("start",), f"{spec.start} is not a decision or action state"
    for name, secret in spec.secrets.items():
        if name not in spec.variables:
            yield ("secrets", name), "is not declared under variables"
        if spec.facts.get(secret.after) != "flag":
            yield ("secrets", name, "after"), f"{secret.after} is not a flag under facts"
    for name, variable in spec.variables.items():
        if variable.source == "fact" and name not in spec.facts:
            yield ("variables", name), "has source fact, but is not declared under facts"
        whole = spec.variables.get(variable.share_of) if variable.share_of else None
        if variable.share_of and (whole is None or whole.type != "money"):
            yield ("variables", name, "share_of"), f"{variable.share_of} is no variable of money"
    for intent in spec.universal:
        if intent not in INTENTS:
            yield ("universal", intent), "is not an intent; see appliance/dialogue/intents.py"


def _decision_names(checks: Mapping[str, Check], at: Where, state: Decision) -> Iterator[Problem]:
    check = state.listen.check
    expected: set[str] = set()
    if check and check not in checks:
        yield (*at, "listen", "check"), f"no check {check}; there are: {', '.join(sorted(checks))}"
    elif check:
        expected = {f"{check}.{outcome}" for outcome in checks[check].outcomes}
        expected.discard(f"{check}.{NOTHING}")
    yield from _outcome_names(at, expected, set(state.on), INTENTS.keys() | SPECIAL)


def _outcome_names(
    at: Where, expected: set[str], routed: set[str], others: set[str]
) -> Iterator[Problem]:
    for name in sorted(expected - routed):
        yield (*at, "on"), f"the outcome {name} has no route"
    for name in sorted(routed - expected - others):
        yield (*at, "on", name), "is no intent, no event and no outcome that can come here"


def _action_names(spec: FlowSpec, at: Where, state: ActionState) -> Iterator[Problem]:
    if (state.then is None) == (not state.on):
        yield at, "needs either `then` or, to wait for a tool, `on`"
    tools = [call.tool for call in state.do]
    if len(set(tools)) < len(tools):
        yield (*at, "do"), "calls a tool twice; an idempotency key allows it once a turn"
    expected: set[str] = set()
    for call in state.do:
        tool = spec.tools.get(call.tool)
        if tool is None:
            yield (*at, "do"), f"{call.tool} is not declared under tools"
            continue
        for name, value in call.args.items():
            known = not value.startswith("$") or value == REASON or value[1:] in spec.facts
            if name not in tool.args or not known:
                yield (*at, "do"), f"{call.tool}: {name}: {value} is no argument or fact of it"
        expected |= {f"{call.tool}.{outcome}" for outcome in tool.outcomes}
    if state.on:
        yield from _outcome_names(at, expected, set(state.on), set())


def _route_names(
    spec: FlowSpec, checks: Mapping[str, Check], at: Where, route: Route
) -> Iterator[Problem]:
    if route.goto and route.goto not in spec.states:
        yield (*at, "goto"), f"no state {route.goto}"
    if route.reason and route.reason not in spec.outcomes:
        yield (*at, "reason"), f"{route.reason} is not declared under outcomes"
    for fact in route.set:
        if spec.facts.get(fact) != "flag":
            yield (*at, "set"), f"{fact} is not a flag under facts"
    if route.count and route.count not in spec.counters:
        yield (*at, "count"), f"{route.count} is not declared under counters"
    elif route.count and route.past is None and spec.counters[route.count].past is None:
        yield (*at, "count"), "says nowhere what happens past the limit: add `past`"
    if route.check and route.check not in checks:
        yield (*at, "check"), f"no check {route.check}; there are: {', '.join(sorted(checks))}"
    elif route.check:
        expected = {f"{route.check}.{outcome}" for outcome in checks[route.check].outcomes}
        yield from _outcome_names(at, expected, set(route.on), set())
    elif route.on:
        yield (*at, "on"), "belongs to a `check`"


def _routes(spec: FlowSpec) -> Iterator[tuple[Where, Route]]:
    """Every route of the flow with its place, nested ones too."""
    roots: list[tuple[Where, Route]] = [(("out_of_turns",), spec.out_of_turns)]
    roots += [(("universal", name), route) for name, route in spec.universal.items()]
    roots += [(("fallbacks", name), route) for name, route in spec.fallbacks]
    roots += [(("counters", n, "past"), c.past) for n, c in spec.counters.items() if c.past]
    for name, state in spec.states.items():
        if isinstance(state, Terminal):
            continue
        roots += [(("states", name, "on", key), route) for key, route in state.on.items()]
        if isinstance(state, ActionState) and state.then:
            roots.append((("states", name, "then"), state.then))
    while roots:
        at, route = roots.pop()
        yield at, route
        roots += [((*at, "on", key), inner) for key, inner in route.on.items()]
        if route.past:
            roots.append(((*at, "past"), route.past))
