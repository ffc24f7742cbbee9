"""What must hold between the parts of a flow before it is used: names, routes and secrets.

This is a structural check, one pass over states and routes. It proves that every name exists,
that every outcome of a check or a tool has a route, that every state is reached, and, by a
must-analysis (which facts hold on *every* way into a state), that no prompt is said before its
conditions hold or its variables are set. Limits in time (counters, turns) it does not explore.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from appliance.dialogue.checks import Check
from appliance.dialogue.flow import Template
from appliance.dialogue.names import Problem, Where, find_name_problems
from appliance.dialogue.schema import Decision, FlowSpec, Route, Terminal

Prompts = Mapping[str, Mapping[str, Template]]


def find_problems(spec: FlowSpec, prompts: Prompts, checks: Mapping[str, Check]) -> list[Problem]:
    """Every problem with the place it is at; none for a good flow."""
    problems = [*find_name_problems(spec, checks), *_languages(prompts)]
    if not problems:  # the analysis follows names, so they must exist
        problems = _Analysis(spec, prompts, checks).run()
    return problems


def _languages(prompts: Prompts) -> Iterator[Problem]:
    every = {name for language in prompts.values() for name in language}
    for language, texts in prompts.items():
        for name in sorted(every - set(texts)):
            yield ("prompts", name), f"no text in prompts.{language}.yaml"


@dataclass
class _Analysis:
    """Which facts hold on every way into each state, and what is said there."""

    spec: FlowSpec
    prompts: Prompts
    checks: Mapping[str, Check]
    holds: dict[str, frozenset[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    pending: list[str] = field(default_factory=list)

    def run(self) -> list[Problem]:
        """Find the fixpoint, then look at every prompt with it."""
        self._reach(self.spec.start, frozenset())
        while self.pending:
            self._state(self.pending.pop())
        self.problems = []  # those found on the way saw facts that did not hold everywhere
        for name in self.holds:
            self._state(name)
        unreached = [name for name in self.spec.states if name not in self.holds]
        self.problems += [(("states", name), "is never reached: remove it") for name in unreached]
        every = {name for texts in self.prompts.values() for name in texts}
        for name in sorted(every - self.said):
            self.problems.append((("prompts", name), "is never said: remove it"))
        if not any(isinstance(self.spec.states[name], Terminal) for name in self.holds):
            self.problems.append((("states",), "no terminal state is reached"))
        return list(dict.fromkeys(self.problems))

    def _reach(self, name: str, facts: frozenset[str]) -> None:
        before = self.holds.get(name)
        after = facts if before is None else before & facts
        if after != before:
            self.holds[name] = after
            self.pending.append(name)

    def _state(self, name: str) -> None:
        state, facts, at = self.spec.states[name], self.holds[name], ("states", name)
        self._say(at, state.say, facts)
        if isinstance(state, Terminal):
            return
        self._route(("fallbacks", "hung_up"), self.spec.fallbacks.hung_up, facts, name)
        for intent, route in self.spec.universal.items():
            self._route(("universal", intent), route, facts, name)
        if isinstance(state, Decision):
            self._say(at, (state.ask, *((state.again,) if state.again else ())), facts)
            self._route(("out_of_turns",), self.spec.out_of_turns, facts, name)
            for key, route in self.spec.fallbacks:
                if key not in state.on:
                    self._route(("fallbacks", key), route, facts, name)
        elif state.then:
            self._route((*at, "then"), state.then, facts, name)
        for key, route in state.on.items():
            self._route((*at, "on", key), route, facts | self._produced(key), name)

    def _produced(self, key: str) -> frozenset[str]:
        name, _, outcome = key.partition(".")
        check = self.checks.get(name)
        return frozenset(check.produces.get(outcome, ())) if check else frozenset()

    def _route(self, at: Where, route: Route, facts: frozenset[str], state: str) -> None:
        facts |= set(route.set)
        if route.count:
            past = route.past or self.spec.counters[route.count].past
            assert past is not None
            self._route((*at, "past"), past, facts, state)
        if route.check:
            for key, inner in route.on.items():
                self._route((*at, "on", key), inner, facts | self._produced(key), state)
            return
        self._say(at, (*route.say, *((route.ask,) if route.ask else ())), facts)
        if route.goto:
            self._reach(route.goto, facts)

    def _say(self, at: Where, names: tuple[str, ...], facts: frozenset[str]) -> None:
        for name in names:
            self.said.add(name)
            for language, texts in self.prompts.items():
                if name not in texts:
                    self.problems.append((at, f"no prompt {name} in prompts.{language}.yaml"))
                    continue
                self._template(at, texts[name], facts)

    def _template(self, at: Where, template: Template, facts: frozenset[str]) -> None:
        missing = set(template.after) - facts
        for name in template.variables:
            variable = self.spec.variables.get(name)
            if variable is None:
                self.problems.append(
                    (at, f"prompt {template.id}: {{{name}}} is not under variables")
                )
            elif variable.source == "fact" and name not in facts:
                missing.add(name)
        for fact in sorted(missing):
            self.problems.append((at, f"prompt {template.id} may be said before {fact}"))
