"""A flow as a picture: what a compliance officer looks at, before it is put in any language.

    Flow ── _Ways ──> what leads where ── draft ──> Diagram ── flows/drawing.py ──> Mermaid, DOT

What leads to a place from everywhere is drawn once, so that the picture is readable and still
exact: universal routes and fallbacks from a node "any state", and what all questions of a phase
have in common from a node of that phase. Texts have `[name]` in place of variables: no picture
holds a value of an account.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from appliance.dialogue.flow import Flow
from appliance.dialogue.routes import prompts_of_state, routes
from appliance.dialogue.schema import REASON, ActionState, AnyState, Decision, Route, Terminal

NodeKind = Literal["start", "any", "decision", "action", "terminal", "note"]
EdgeKind = Literal["plain", "opens", "past"]

_COMMON = 3  # questions that a phase must have before what they share is drawn apart
_ANY = "any state"


@dataclass(frozen=True, slots=True)
class Node:
    """A box: `id` is of letters, digits and `_`; everything else is text as the flow has it."""

    id: str
    kind: NodeKind
    title: str
    state: AnyState | None = None
    about: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    must_hear: tuple[str, ...] = ()
    outcome: str = ""
    stays: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow: it opens a condition, or is taken past a limit. `label` has a line per remark."""

    source: str
    target: str
    kind: EdgeKind = "plain"
    label: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes in a frame: a phase, the endings; without one if it has no title."""

    id: str
    title: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """What every language of pictures draws."""

    groups: tuple[Group, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class _Way:
    """What leads where. Ways that differ in nothing but what is said are the same way."""

    cause: str
    target: str
    kind: EdgeKind = "plain"
    remarks: tuple[str, ...] = ()
    prompts: tuple[str, ...] = field(default=(), compare=False)


class _Ways:
    """Reads routes: every way that one may go on, and what leads there."""

    def __init__(self, flow: Flow) -> None:
        self._spec = spec = flow.spec
        self._conditions = {fact for secret in spec.secrets.values() for fact in secret.after}
        for texts in flow.templates.values():
            self._conditions.update(fact for each in texts.values() for fact in each.after)
        self._counted_by = defaultdict[str, set[str]](set)
        for at, route in routes(spec):
            if route.count:
                self._counted_by[route.count].add(at[1] if at[0] == "states" else _ANY)

    def of(self, name: str) -> list[_Way]:
        """The ways out of a state, and those that stay: they have it as their target."""
        state = self._spec.states[name]
        starts = [(_short(key, state), route) for key, route in state.on.items()]
        if isinstance(state, ActionState | Decision) and state.then:
            starts.append(("then", state.then))
        return [way for key, route in starts for way in self._go(_Way(key, name), route)]

    def of_any_state(self) -> list[_Way]:
        """Universal routes, fallbacks, and the limits that several states share."""
        spec = self._spec
        starts = [(_Way(key, _ANY), route) for key, route in spec.universal.items()]
        starts += [(_Way(key, _ANY), route) for key, route in spec.fallbacks]
        for name, counter in spec.counters.items():
            if counter.past and len(self._counted_by[name]) > 1:
                starts.append((_Way(nth(counter.limit, name), _ANY, "past"), counter.past))
        starts.append((_Way(nth(spec.max_turns, "turn"), _ANY, "past"), spec.out_of_turns))
        return [way for start, route in starts for way in self._go(start, route)]

    def _go(self, at: _Way, route: Route) -> Iterator[_Way]:
        at = self._remarked(at, route)
        if route.count:
            counter = self._spec.counters[route.count]
            limit = nth(counter.limit, route.count)
            if route.past:
                past = replace(at, cause=f"{at.cause}, {limit}", kind="past")
                yield from self._go(past, route.past)
            elif counter.past and len(self._counted_by[route.count]) == 1:
                yield from self._go(replace(at, cause=limit, kind="past"), counter.past)
            at = replace(at, remarks=(*at.remarks, f"+1 {route.count}"))
        if route.otherwise:
            lacking = replace(at, cause=f"{at.cause}, without {route.language}")
            yield from self._go(lacking, route.otherwise)
        for key, inner in route.on.items():
            yield from self._go(replace(at, cause=f"{at.cause}, {key}"), inner)
        if not route.on:
            prompts = (*route.say, *((route.ask,) if route.ask else ()))
            yield replace(at, target=route.goto or at.target, prompts=prompts)

    def _remarked(self, at: _Way, route: Route) -> _Way:
        true = [fact for fact, value in route.set.items() if value is True]
        opened = [f"opens {fact}" for fact in true if fact in self._conditions]
        reason = [f"reason {route.reason}"] if route.reason else []
        note = [f"note {route.note}"] if route.note else []
        note += ["even if not all was heard"] if route.anyway else []
        kind: EdgeKind = "opens" if opened else at.kind
        return replace(at, remarks=(*at.remarks, *opened, *reason, *note), kind=kind)


class _Draft:
    """Draws one flow."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._spec = flow, flow.spec
        reading = _Ways(flow)
        self._ways = {name: reading.of(name) for name in flow.spec.states}
        self._anywhere = reading.of_any_state()
        self._ids = {name: _safe(name, at) for at, name in enumerate(flow.spec.states)}
        self._edges = [Edge("start", self._ids[flow.spec.start])]

    def diagram(self) -> Diagram:
        """The whole picture."""
        phases = defaultdict[str, list[str]](list)
        for name, state in self._spec.states.items():
            phases["endings" if isinstance(state, Terminal) else state.phase].append(name)
        groups = [Group("around", "", tuple(self._everywhere()))]
        for at, (phase, names) in enumerate(phases.items()):
            groups.append(Group(f"group_{at}", phase, tuple(self._phase(at, phase, names))))
        return Diagram(tuple(groups), tuple(self._edges))

    def _phase(self, at: int, phase: str, names: list[str]) -> Iterator[Node]:
        asking = [name for name in names if isinstance(self._spec.states[name], Decision)]
        common: set[_Way] = set()
        if len(asking) >= _COMMON:
            common = set.intersection(*(set(self._ways[name]) for name in asking))
        if common:
            title, hub = f"each question of {phase}", f"each_{at}"
            yield Node(hub, "any", title, about=(", ".join(asking),))
            self._connect(hub, [way for n in asking for way in self._ways[n] if way in common])
        for name in names:
            own = [way for way in self._ways[name] if way not in common]
            self._connect(self._ids[name], [way for way in own if way.target != name])
            yield self._state(name, _label(way for way in own if way.target == name))

    def _connect(self, source: str, ways: Iterable[_Way]) -> None:
        merged = defaultdict[tuple[str, EdgeKind], list[_Way]](list)
        for way in ways:
            merged[self._ids[way.target], way.kind].append(way)
        for (target, kind), same in merged.items():
            self._edges.append(Edge(source, target, kind, _label(same), _said(same)))

    def _everywhere(self) -> Iterator[Node]:
        yield Node("start", "start", "start", about=tuple(self._spec.entry))
        self._connect("any_state", [way for way in self._anywhere if way.target != _ANY])
        stays = _label(way for way in self._anywhere if way.target == _ANY)
        said = _said(self._anywhere)
        yield Node(
            "any_state", "any", _ANY, secrets=self._secrets(said), must_hear=self._owed(said),
            stays=stays,
        )  # fmt: skip

    def _state(self, name: str, stays: tuple[str, ...]) -> Node:
        state, own = self._spec.states[name], prompts_of_state(self._spec.states[name])
        args = [] if isinstance(state, Decision) else [call.args.values() for call in state.do]
        named = (value for values in args for value in values if value.startswith("$"))
        given = {value[1:].removesuffix("?") for value in named}
        return Node(
            self._ids[name],
            state.kind,
            name,
            state=state,
            secrets=self._secrets((*own, *_said(self._ways[name])), given),
            must_hear=self._owed((*own, *_said(self._ways[name]))),
            outcome=self._outcome(state) if isinstance(state, Terminal) else "",
            stays=stays,
            prompts=own,
        )

    def _outcome(self, state: Terminal) -> str:
        reasons = dict.fromkeys(route.reason for _, route in routes(self._spec) if route.reason)
        return " | ".join(reasons) if state.outcome == REASON else state.outcome

    def _owed(self, prompts: Iterable[str]) -> tuple[str, ...]:
        """The prompts among these that must be heard."""
        said = set(prompts)
        return tuple(name for name in self._flow.obligations.all if name in said)

    def _secrets(self, prompts: Iterable[str], given: Iterable[str] = ()) -> tuple[str, ...]:
        """The secrets in what is said, and among what tools are given; a share of one is one."""
        texts = [each[prompt] for prompt in prompts for each in self._flow.templates.values()]
        names = {*given, *(name for each in texts for name in each.variables)}
        variables = [self._spec.variables[name] for name in names & self._spec.variables.keys()]
        names.update(each.share_of for each in variables if each.share_of)
        return tuple(sorted(names & self._spec.secrets.keys()))


def draft(flow: Flow) -> Diagram:
    """The picture of a flow."""
    return _Draft(flow).diagram()


def nth(count: int, what: str) -> str:
    """`3rd silence`."""
    ending = "th" if 10 < count % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending} {what}"


def _said(ways: Iterable[_Way]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(prompt for way in ways for prompt in way.prompts))


def _label(ways: Iterable[_Way]) -> tuple[str, ...]:
    """What leads there; causes with the same remarks are on one line."""
    causes = defaultdict[tuple[str, ...], dict[str, None]](dict)
    for way in ways:
        causes[way.remarks][way.cause] = None
    return tuple(
        " | ".join(each) + (f" ({', '.join(remarks)})" if remarks else "")
        for remarks, each in causes.items()
    )


def _short(key: str, state: AnyState) -> str:
    """An outcome without the name of its check or tool, where the node has only that one."""
    only = {state.listen.check} if isinstance(state, Decision) else {call.tool for call in state.do}
    owner, dot, outcome = key.partition(".")
    return f".{outcome}" if dot and only == {owner} else key


def _safe(name: str, position: int) -> str:
    """A name that is a word, and no reserved one, in every language of pictures."""
    return f"s_{name}" if re.fullmatch(r"\w+", name, re.ASCII) else f"n_{position}"
