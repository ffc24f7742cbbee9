"""The names of a flow: every one refers to something, and every outcome has a route.

One look at each declaration, state and route, without following any; what depends on the way
through the flow is the checker's. Prompts are looked at in prompt_names.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from appliance.dialogue.checks import NOTHING, Check, Produced
from appliance.dialogue.declarations import ToolCall, Variable, optional_fact
from appliance.dialogue.intents import INTENTS, ROBOT_QUESTION
from appliance.dialogue.property_names import find_property_problems
from appliance.dialogue.routes import routes
from appliance.dialogue.schema import REASON, ActionState, Decision, FlowSpec, Route, Terminal
from appliance.dialogue.signals import SPECIAL
from appliance.dialogue.speech import speak
from appliance.dialogue.turn import END_CALL
from appliance.types import Language

Where = tuple[str, ...]
Problem = tuple[Where, str]

KEYS = frozenset(f"key.{key}" for key in "0123456789*#")


def find_name_problems(
    spec: FlowSpec, checks: Mapping[str, Check], languages: tuple[Language, ...]
) -> Iterator[Problem]:
    """Names that refer to nothing, and outcomes without a route."""
    names = _Names(spec, checks, languages)
    yield from names.declarations()
    yield from names.check_declarations()
    for at, route in routes(spec):
        yield from names.route(at, route)
    for name, state in spec.states.items():
        yield from names.state(("states", name), state)
    yield from find_property_problems(spec)


def values_of(spec: FlowSpec, fact: str) -> frozenset[str]:
    """What a branch on a fact must have routes for."""
    kind = spec.facts[fact]
    if kind == "flag":
        return frozenset({"yes", "no"})
    return frozenset({"unset", *(kind if isinstance(kind, tuple) else ("set",))})


_NO_INTENT = (
    "is not an intent: those of all flows are in appliance/dialogue/intents.py, those of this one "
    "under intents"
)


@dataclass(frozen=True)
class _Names:
    spec: FlowSpec
    checks: Mapping[str, Check]
    languages: tuple[Language, ...]

    @property
    def intents(self) -> frozenset[str]:
        """What may be routed on."""
        return frozenset({*INTENTS, *self.spec.intents})

    def declarations(self) -> Iterator[Problem]:
        spec = self.spec
        if not isinstance(spec.states.get(spec.start), Decision | ActionState):
            yield ("start",), f"{spec.start} is not a decision or action state"
        yield from self._facts()
        for name, tool in spec.tools.items():
            if "failed" not in tool.outcomes:
                yield ("tools", name, "outcomes"), "need `failed`: any tool can fail or be late"
            if name in spec.facts.keys() | self.checks.keys():
                yield ("tools", name), "is also the name of a fact or a check; choose another"
            if tool.produces.get("failed"):
                yield ("tools", name), "a tool that failed gives nothing: it may have been late"
            for said in self._gifts(tool.outcomes, tool.produces, tool.may_produce):
                yield ("tools", name), said
            if name == END_CALL:
                yield ("tools", name), "is what terminal states do; choose another name"
        yield from self._variables()
        yield from self._intents()
        yield from self._notes()

    def check_declarations(self) -> Iterator[Problem]:
        """What checks declare: their facts are facts of the flow."""
        for name, check in self.checks.items():
            if name in self.spec.facts:
                yield ("facts", name), "is also the name of a check; choose another"
            if check.produces.get(NOTHING) or check.may_produce.get(NOTHING):
                yield ("facts",), f"check {name}: gives facts with {NOTHING}, where it found none"
            outcomes = tuple(str(each) for each in check.outcomes)
            for said in self._gifts(outcomes, check.produces, check.may_produce):
                yield ("facts",), f"check {name}: {said}"

    def _gifts(self, outcomes: tuple[str, ...], *given: Produced) -> Iterator[str]:
        for outcome, facts in (item for each in given for item in each.items()):
            if outcome not in outcomes:
                yield f"{outcome} is not among its outcomes"
            for fact in facts:
                if self.spec.facts.get(fact, "flag") == "flag":
                    yield f"{fact} is under facts neither a value nor a choice"

    def _facts(self) -> Iterator[Problem]:
        spec = self.spec
        for name in spec.entry:
            if name not in spec.facts:
                yield ("entry", name), "is not declared under facts"
            elif spec.facts[name] == "passage":
                yield ("entry", name), "a passage is found in a call, not given at its start"
        for name, kind in spec.facts.items():
            if isinstance(kind, tuple) and (len(kind) < 2 or len(set(kind)) < len(kind)):
                yield ("facts", name), "needs two or more different choices"
        for name, secret in spec.secrets.items():
            if name not in spec.variables:
                yield ("secrets", name), "is not declared under variables"
            for fact in secret.after:
                if spec.facts.get(fact) != "flag":
                    yield ("secrets", name, "after"), f"{fact} is not a flag under facts"

    def _variables(self) -> Iterator[Problem]:
        for name, variable in self.spec.variables.items():
            at = ("variables", name)
            if (variable.value is None) == (variable.source == "campaign"):
                yield at, "needs a value if its source is campaign, and has none otherwise"
            elif variable.value is not None:
                yield from _constant(at, variable, name in self.spec.secrets)
            if variable.source == "fact" and name not in self.spec.facts:
                yield at, "has source fact, but is not declared under facts"
            elif variable.source == "fact" and self.spec.facts[name] != variable.type:
                yield at, f"is of type {variable.type}, but its fact is not"
            if variable.type == "passage" and variable.source != "fact":
                yield at, "a passage is found in a call: its source is fact"
            whole = self.spec.variables.get(variable.share_of) if variable.share_of else None
            if variable.share_of and (whole is None or whole.type != "money"):
                yield (*at, "share_of"), f"{variable.share_of} is no variable of money"

    def _own_intents(self) -> Iterator[Problem]:
        for intent in self.spec.intents:
            if intent in INTENTS:
                yield ("intents", intent), "is an intent of all flows already; take it out here"
            if intent in SPECIAL | KEYS:
                yield ("intents", intent), "has another meaning in a flow; choose another name"

    def _intents(self) -> Iterator[Problem]:
        yield from self._own_intents()
        if ROBOT_QUESTION not in self.spec.universal:
            yield ("universal",), f"{ROBOT_QUESTION} is missing: who asks must be told the truth"
        for intent in self.spec.universal:
            if intent not in self.intents | KEYS:
                yield ("universal", intent), _NO_INTENT
        routed = {route.branch for _, route in routes(self.spec)}
        routed |= {fact for call in self._calls() for fact in call.when}
        for state in self.spec.states.values():
            routed |= {each.fact for each in state.asks} if isinstance(state, Decision) else set()
        for intent, facts in self.spec.observe.items():
            at = ("observe", intent)
            if intent not in self.intents:
                yield at, _NO_INTENT
            yield from self._assignments(at, facts)
            for fact in facts:
                if not isinstance(self.spec.facts.get(fact), tuple):
                    yield at, f"{fact} is not a choice under facts"
            for fact in sorted(set(facts) & routed):
                yield at, f"{fact} decides a route: set it in routes, where the checker sees it"

    def _calls(self) -> Iterator[ToolCall]:
        for state in self.spec.states.values():
            if not isinstance(state, Decision):
                yield from state.do

    def _notes(self) -> Iterator[Problem]:
        for name, note in self.spec.notes.items():
            for fact in (*note.facts, *note.open_questions):
                if fact not in self.spec.facts:
                    yield ("notes", name), f"{fact} is not declared under facts"
        for name in self.spec.texts:
            if name in self.spec.facts.keys() | self.spec.variables.keys():
                yield ("texts", name), "is also the name of a fact or a variable; choose another"

    def _assignments(self, at: Where, facts: Mapping[str, bool | str]) -> Iterator[Problem]:
        for fact, value in facts.items():
            kind = self.spec.facts.get(fact)
            if isinstance(kind, tuple):
                if value not in kind:
                    yield (*at, "set"), f"{fact}: {value} is none of {', '.join(kind)}"
            elif kind != "flag" or value is not True:
                yield (*at, "set"), f"{fact} is not a flag or a choice under facts"

    def state(self, at: Where, state: Decision | ActionState | Terminal) -> Iterator[Problem]:
        if state.voice is not None and state.voice not in self.spec.voices:
            yield (*at, "voice"), f"{state.voice} is not declared under voices"
        if isinstance(state, Decision):
            yield from self._decision(at, state)
            return
        yield from self._tools(at, state)
        if isinstance(state, ActionState):
            for intent in sorted(set(state.hears or ()) - set(self.spec.universal)):
                yield (*at, "hears"), f"{intent} is not under universal"
        else:
            if state.outcome not in (*self.spec.outcomes, REASON):
                yield (*at, "outcome"), f"{state.outcome} is not declared under outcomes"
            if state.handover and state.handover.note not in (None, *self.spec.notes):
                yield (*at, "handover"), f"{state.handover.note} is not declared under notes"

    def _decision(self, at: Where, state: Decision) -> Iterator[Problem]:
        check = state.listen.check
        expected: set[str] = set()
        if check and check not in self.checks:
            yield (*at, "listen", "check"), self._no_check(check)
        elif check:
            expected = {f"{check}.{outcome}" for outcome in self.checks[check].outcomes}
            expected.discard(f"{check}.{NOTHING}")
        yield from _outcomes(at, expected, set(state.on), self.intents | SPECIAL | KEYS)
        for each in state.asks:
            if each.fact not in self.spec.facts:
                yield (*at, "asks"), f"{each.fact} is not declared under facts"

    @property
    def _values_by_name(self) -> frozenset[str]:
        """What an argument can stand for with `$`."""
        spec = self.spec
        return frozenset(spec.facts.keys() | spec.variables.keys() | spec.texts.keys())

    def _tools(self, at: Where, state: ActionState | Terminal) -> Iterator[Problem]:
        tools = [call.tool for call in state.do]
        if len(set(tools)) < len(tools):
            yield (*at, "do"), "calls a tool twice; use two states"
        expected: set[str] = set()
        for call in state.do:
            tool = self.spec.tools.get(call.tool)
            if tool is None:
                yield (*at, "do"), f"{call.tool} is not declared under tools"
                continue
            for name, value in call.args.items():
                known = not value.startswith("$") or value == REASON
                known = known or value[1:] in self._values_by_name
                known = known or optional_fact(value) in self.spec.facts
                if name not in tool.args or not known:
                    yield (*at, "do"), f"{call.tool}: {name}: {value} is no argument or fact of it"
            yield from self._values((*at, "do", "when"), call.when)
            expected |= {f"{call.tool}.{outcome}" for outcome in tool.outcomes}
        others: frozenset[str] = frozenset({"hung_up"} if isinstance(state, ActionState) else ())
        yield from _outcomes(at, expected, set(state.on), others)

    def _values(self, at: Where, facts: Mapping[str, bool | str]) -> Iterator[Problem]:
        for fact, value in facts.items():
            kind = self.spec.facts.get(fact)
            allowed = kind if isinstance(kind, tuple) else (True, False) if kind == "flag" else ()
            if value not in allowed:
                yield at, f"{fact} is no flag or choice with the value {value}"

    def route(self, at: Where, route: Route) -> Iterator[Problem]:
        spec = self.spec
        if route.anyway and not self._answers(at):
            yield (*at, "anyway"), "belongs to what a decision does on an answer, under its `on`"
        if route.goto and route.goto not in spec.states:
            yield (*at, "goto"), f"no state {route.goto}"
        if route.reason and route.reason not in spec.outcomes:
            yield (*at, "reason"), f"{route.reason} is not declared under outcomes"
        yield from self._assignments(at, route.set)
        yield from self._forgotten(at, route)
        if route.count and route.count not in spec.counters:
            yield (*at, "count"), f"{route.count} is not declared under counters"
        elif route.count and route.past is None and spec.counters[route.count].past is None:
            yield (*at, "count"), "says nowhere what happens past the limit: add `past`"
        if route.past and not route.count:
            yield (*at, "past"), "belongs to a `count`"
        if route.language and route.language not in self.languages:
            yield (*at, "language"), f"there is no prompts.{route.language}.yaml"
        if bool(route.language) != bool(route.otherwise):
            yield at, "`language` and `otherwise` belong together: the box may not speak it"
        if route.note and route.note not in spec.notes:
            yield (*at, "note"), f"{route.note} is not declared under notes"
        yield from self._branches(at, route)

    def _answers(self, at: Where) -> bool:
        """Whether a route is what a decision does on an answer: only that may have to wait."""
        direct = at[0] == "states" and at[2] == "on" and len(at) == 4  # states, NAME, on, KEY
        return direct and isinstance(self.spec.states[at[1]], Decision) and at[3] not in SPECIAL

    def _forgotten(self, at: Where, route: Route) -> Iterator[Problem]:
        for fact in route.forget:
            if fact not in self.spec.facts:
                yield (*at, "forget"), f"{fact} is not declared under facts"

    def _branches(self, at: Where, route: Route) -> Iterator[Problem]:
        if route.check and route.branch:
            yield at, "has a check and a branch: nest one in the other"
        elif route.check and route.check not in self.checks:
            yield (*at, "check"), self._no_check(route.check)
        elif route.branch and route.branch not in self.spec.facts:
            yield (*at, "branch"), f"{route.branch} is not declared under facts"
        elif route.check or route.branch:
            prefix = route.check or route.branch or ""
            values = (
                values_of(self.spec, prefix)
                if route.branch
                else {str(each) for each in self.checks[prefix].outcomes}
            )
            expected = {f"{prefix}.{value}" for value in values}
            yield from _outcomes(at, expected, set(route.on), frozenset())
            if route.say or route.goto or route.ask is not None or route.note:
                yield at, "branches, so what is said and where it goes belongs into `on`"
        elif route.on:
            yield (*at, "on"), "belongs to a `check` or a `branch`"

    def _no_check(self, name: str) -> str:
        return f"no check {name}; there are: {', '.join(sorted(self.checks)) or 'none'}"


def _constant(at: Where, variable: Variable, secret: bool) -> Iterator[Problem]:
    try:
        speak(variable.value, variable.type)
    except ValueError as error:
        yield at, f"value: {error}"
    if secret or variable.share_of or variable.type == "passage":
        yield at, "is the same in every call: no secret, share or passage"
    if set("{}") & set(variable.value or ""):
        yield at, "value: has braces: a value holds no variables"


def _outcomes(
    at: Where, expected: set[str], routed: set[str], others: frozenset[str] | set[str]
) -> Iterator[Problem]:
    for name in sorted(expected - routed):
        yield (*at, "on"), f"the outcome {name} has no route"
    for name in sorted(routed - expected - others):
        yield (*at, "on", name), "is no intent, no event and no outcome that can come here"
