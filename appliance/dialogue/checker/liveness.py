"""Which counters and facts can still matter in a state: the others are forgotten.

A register that is written again before anything reads it, on every way from here, makes no two
calls behave differently, so states that differ in it alone are explored once. This is the live
variable analysis of compilers, over routes: reads are overestimated (limits are ignored, every
tool of a list counts), writes are only those that surely happen.

    resting in a state ── a route's reads, its writes ──> entering the next ── its reads ──> resting
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from appliance.dialogue.flow import Flow
from appliance.dialogue.routes import questions_in
from appliance.dialogue.schema import REASON, ActionState, Decision, Route, Terminal
from appliance.dialogue.signals import SPECIAL, universals_in

State = Decision | ActionState | Terminal
Names = frozenset[str]
_NONE: Names = frozenset()
REASON_REGISTER = "reason"


@dataclass(frozen=True, slots=True)
class _Way:
    """What a route reads before it writes it, what it surely writes, and where it comes to."""

    reads: Names = _NONE
    writes: Names = _NONE
    target: str | None = None
    gave_way: bool = False
    complete: bool = False

    def read(self, names: Names) -> _Way:
        return replace(self, reads=self.reads | (names - self.writes))

    def write(self, names: Names) -> _Way:
        return replace(self, writes=self.writes | names)


def live_registers(flow: Flow) -> Mapping[str, Names]:
    """By state, the registers (and the reason) that matter while it waits."""
    return _Liveness(flow).run()


def variable_reads(flow: Flow, name: str) -> Iterator[str]:
    """The facts that a variable or fact needs, and those that must hold before it may be known."""
    spec = flow.spec
    variable = spec.variables.get(name)
    secret = spec.secrets.get((variable.share_of if variable else None) or name)
    yield from (f"fact {fact}" for fact in (secret.after if secret else ()))
    if variable is None or variable.source == "fact":
        yield f"fact {name}"


class _Liveness:
    def __init__(self, flow: Flow) -> None:
        self._flow, self._spec = flow, flow.spec
        self._resting: dict[str, Names] = dict.fromkeys(flow.spec.states, _NONE)
        self._entering: dict[str, Names] = dict.fromkeys(flow.spec.states, _NONE)
        self._prompts: dict[str, Names] = {}
        self._ways = {name: tuple(self._leaving(name)) for name in flow.spec.states}
        self._entries = {name: tuple(self._coming(name)) for name in flow.spec.states}

    def run(self) -> Mapping[str, Names]:
        """Iterate to the fixpoint."""
        changed = True
        while changed:
            changed = False
            for name in self._spec.states:
                resting = self._before(self._ways[name], name)
                entering = self._before(self._entries[name], name) | resting
                changed |= (resting, entering) != (self._resting[name], self._entering[name])
                self._resting[name], self._entering[name] = resting, entering
        return self._resting

    def _before(self, ways: tuple[_Way, ...], here: str) -> Names:
        live: set[str] = set()
        for way in ways:
            after = self._entering[way.target] if way.target else self._resting[here]
            live |= way.reads | (after - way.writes)
        return frozenset(live)

    # The ways from a state, and into it

    def _leaving(self, name: str) -> Iterator[_Way]:
        spec, state = self._spec, self._spec.states[name]
        heard = self._resets("heard")
        understood = heard | self._resets("understood")
        if not isinstance(state, Terminal):
            for intent in universals_in(spec, name):
                way = _Way(writes=understood)
                yield from self._along(spec.universal[intent], way, state)
            yield from self._along(state.on.get("hung_up", spec.fallbacks.hung_up), _Way(), state)
        else:  # who hangs up does not stop it
            yield from self._working(state, _Way())
        yield from self._along(spec.out_of_turns, _Way(), state)
        yield from self._asking_again(name)
        if isinstance(state, Decision):
            fallbacks: dict[str, Route] = dict(spec.fallbacks)
            for key in ("unclear", "silence", "engine_failed"):
                way = _Way(writes=heard if key == "unclear" else _NONE)
                yield from self._along(state.on.get(key, fallbacks[key]), way, state)
        for key, route in state.on.items():
            if key in SPECIAL:
                continue
            if not isinstance(state, Decision):
                for way in self._along(route, _Way(writes=self._produced(key)), state):
                    yield way
                    if way.target is None:  # the next tool begins
                        yield from self._working(state, way)
            else:
                produced = self._produced(key)
                yield from self._along(route, _Way(writes=understood | produced), state)

    def _asking_again(self, name: str) -> Iterator[_Way]:
        """Something was not heard: whatever was asked is asked again."""
        state = self._spec.states[name]
        if isinstance(state, Decision) and self._flow.obligations:
            questions = tuple(questions_in(self._spec, name))
            yield from self._asking(state, _Way().read(self._said(questions)))

    def _coming(self, name: str) -> Iterator[_Way]:
        state = self._spec.states[name]
        way = _Way().read(self._said(state.say))
        if isinstance(state, Decision):
            yield from self._asking(state, way)
        else:
            yield from self._working(state, way)

    def _working(self, state: ActionState | Terminal, way: _Way) -> Iterator[_Way]:
        """Going on with the tools of a state, and after them."""
        reads = {f"fact {fact}" for call in state.do for fact in call.when}
        for call in state.do:
            for value in call.args.values():
                if value == REASON:
                    reads.add(REASON_REGISTER)
                elif value.startswith("$"):
                    name = value[1:].removesuffix("?")
                    prompts = self._spec.texts.get(name)
                    reads.update(variable_reads(self._flow, name) if prompts is None
                                 else self._said(prompts))  # fmt: skip
        if isinstance(state, Terminal) and state.outcome == REASON:
            reads.add(REASON_REGISTER)
        if isinstance(state, Terminal) and state.handover and state.handover.note:
            reads |= self._note(state.handover.note)
        way = way.read(frozenset(reads))
        yield way
        if isinstance(state, ActionState) and state.then:
            yield from self._along(state.then, way, state)

    def _along(self, route: Route, way: _Way, state: State) -> Iterator[_Way]:
        """Every way that a route can take, in the order of the walk."""
        way = way.write(frozenset(f"fact {fact}" for fact in (*route.forget, *route.set)))
        if route.reason:
            way = way.write(frozenset({REASON_REGISTER}))
        if route.count:
            counter = frozenset({f"count {route.count}"})
            way = way.read(counter).write(counter)
            past = route.past or self._spec.counters[route.count].past
            if past is not None:
                yield from self._along(past, way, state)
        if route.otherwise:
            yield from self._along(route.otherwise, way, state)
        if route.branch:
            way = way.read(frozenset({f"fact {route.branch}"}))
        if route.on:
            for key, inner in route.on.items():
                produced = self._produced(key) if route.check else _NONE
                yield from self._along(inner, way.write(produced), state)
            return
        asked = (route.ask,) if route.ask else ()
        way = way.read(self._said((*route.say, *asked)))
        if route.note:
            way = way.read(self._note(route.note))
        yield from self._arriving(route, way, state)

    def _arriving(self, route: Route, way: _Way, state: State) -> Iterator[_Way]:
        if route.goto:
            yield replace(way, target=route.goto)
        elif isinstance(state, Decision):
            yield from self._asking(state, way)
        else:
            yield way

    def _asking(self, state: Decision, way: _Way) -> Iterator[_Way]:
        """Asking whatever a state asks, giving way to the next thing, going on with all known."""
        way = way.read(frozenset(f"fact {each.fact}" for each in state.asks))
        lead_in = (self._spec.in_full,) if self._spec.in_full else ()
        way = way.read(self._said((*state.prompts, *self._flow.obligations.said, *lead_in)))
        yield way
        if not way.gave_way:
            repeated = state.on.get("repeated", self._spec.fallbacks.repeated)
            yield from self._along(repeated, replace(way, gave_way=True), state)
        if state.then and not way.complete:
            yield from self._along(state.then, replace(way, complete=True), state)

    # What is read and written

    def _resets(self, kind: str) -> Names:
        counters = self._spec.counters.items()
        return frozenset(f"count {name}" for name, counter in counters if counter.reset == kind)

    def _produced(self, key: str) -> Names:
        name, _, outcome = key.partition(".")
        check = self._flow.checks.get(name)
        tool = self._spec.tools.get(name)
        declared = check.produces if check else tool.produces if tool else {}
        facts = declared.get(outcome, ())
        return frozenset(f"fact {fact}" for fact in facts)

    def _note(self, note: str) -> Names:
        declared = self._spec.notes[note]
        return self._said((*declared.summary, *declared.recommendations))

    def _said(self, prompts: tuple[str, ...]) -> Names:
        return _NONE.union(*(self._prompt(prompt) for prompt in prompts))

    def _prompt(self, prompt: str) -> Names:
        if prompt not in self._prompts:
            reads: set[str] = set()
            for texts in self._flow.templates.values():
                conditions = (*texts[prompt].only_if, *texts[prompt].unless)
                reads.update(f"fact {fact}" for fact, _ in conditions)
                reads.update(f"fact {fact}" for fact in texts[prompt].after)
                for variable in texts[prompt].variables:
                    reads.update(variable_reads(self._flow, variable))
            self._prompts[prompt] = frozenset(reads)
        return self._prompts[prompt]
