"""Every route and every prompt that a flow's file has, without following any."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.dialogue.schema import ActionState, Decision, FlowSpec, Route, Terminal


def routes(spec: FlowSpec) -> Iterator[tuple[tuple[str, ...], Route]]:
    """Every route of a flow with its place in the file, nested ones too."""
    roots: list[tuple[tuple[str, ...], Route]] = [(("out_of_turns",), spec.out_of_turns)]
    roots += [(("universal", name), route) for name, route in spec.universal.items()]
    roots += [(("fallbacks", name), route) for name, route in spec.fallbacks]
    roots += [(("counters", n, "past"), c.past) for n, c in spec.counters.items() if c.past]
    for name, state in spec.states.items():
        roots += [(("states", name, "on", key), route) for key, route in state.on.items()]
        if isinstance(state, ActionState | Decision) and state.then:
            roots.append((("states", name, "then"), state.then))
    while roots:
        at, route = roots.pop()
        yield at, route
        roots += [((*at, "on", key), inner) for key, inner in route.on.items()]
        roots += [
            ((*at, key), inner)
            for key, inner in (("past", route.past), ("otherwise", route.otherwise))
            if inner is not None
        ]


def waiting_prompts(spec: FlowSpec) -> Iterator[str]:
    """The prompts that no turn says: the host does, where something takes long or breaks."""
    names = (spec.holding, spec.holding_again, spec.transferring, spec.cut_off)
    yield from (each for each in names if each)


def asked_prompts(spec: FlowSpec) -> Iterator[str]:
    """Every prompt that is asked somewhere, by a state or by a route."""
    yield from (route.ask for _, route in routes(spec) if route.ask)
    for state in spec.states.values():
        if isinstance(state, Decision):
            yield from state.prompts


def questions_in(spec: FlowSpec, state: str) -> frozenset[str]:
    """The questions that may stand while a call is in a state: its own, and those of routes."""
    here = spec.states[state]
    found = set(here.prompts) if isinstance(here, Decision) else set()
    for at, route in routes(spec):
        elsewhere = at[0] == "states" and at[1] != state
        if route.ask and (route.goto == state or not (route.goto or elsewhere)):
            found.add(route.ask)
    return frozenset(found)


def ways_of_asking(spec: FlowSpec, state: str, question: str | None) -> frozenset[str]:
    """All the prompts that ask, in this state, for what this question asks for."""
    here = spec.states.get(state)
    if question is None or not isinstance(here, Decision):
        return frozenset()
    groups = [each.prompts for each in here.asks]
    groups += [tuple(each for each in (here.ask, here.again) if each)]
    return frozenset(next((each for each in groups if question in each), (question,)))


def prompts_of_state(state: Decision | ActionState | Terminal) -> tuple[str, ...]:
    """The prompts that a state names itself."""
    return (*state.say, *(state.prompts if isinstance(state, Decision) else ()))
