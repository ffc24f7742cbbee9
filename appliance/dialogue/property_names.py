"""The names in a flow's properties: one that refers to nothing would prove nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from appliance.dialogue.properties import AtMost, Condition, Never, Past, Whenever
from appliance.dialogue.schema import FlowSpec
from appliance.dialogue.turn import END_CALL

Problem = tuple[tuple[str, ...], str]


def find_property_problems(spec: FlowSpec) -> Iterator[Problem]:
    """Properties that name what is not in the flow. Prompts are looked at with the prompts."""
    for index, each in enumerate(spec.properties):
        at = ("properties", str(index))
        if each in spec.properties[:index]:
            yield at, "is there twice"
        if each.never:
            yield from _never(spec, at, each.never)
        elif each.whenever:
            yield from _whenever(spec, at, each.whenever)
        elif each.at_most:
            yield from _at_most(spec, at, each.at_most)


def prompts_heard(spec: FlowSpec) -> Iterator[tuple[int, str]]:
    """The prompts that properties want heard, each with the property's index."""
    for index, each in enumerate(spec.properties):
        for condition in (each.never.before, each.never.after) if each.never else ():
            if isinstance(condition, Past):
                yield from ((index, name) for name in condition.heard)


def prompts_named(spec: FlowSpec) -> Iterator[tuple[int, str]]:
    """The prompts that properties name, each with the property's index."""
    yield from prompts_heard(spec)
    for index, each in enumerate(spec.properties):
        if each.never:
            for condition in (each.never.before, each.never.after):
                if isinstance(condition, Past) and condition.said:
                    yield index, condition.said
            yield from ((index, name) for name in each.never.say if name not in spec.variables)
        elif each.whenever:
            yield from ((index, name) for name in each.whenever.say)
        elif each.at_most and each.at_most.say:
            yield index, each.at_most.say


def _never(spec: FlowSpec, at: tuple[str, ...], never: Never) -> Iterator[Problem]:
    yield from _known(at, "state", (*never.state, *never.inside), spec.states)
    yield from _known(at, "tool", never.tool, {*spec.tools, END_CALL})
    yield from _known(at, "outcome", never.outcome, spec.outcomes)
    for condition in (never.before, never.after):
        if condition is not None:
            yield from _condition(spec, at, condition)


def _condition(spec: FlowSpec, at: tuple[str, ...], condition: Condition) -> Iterator[Problem]:
    if isinstance(condition, str):
        if spec.facts.get(condition) != "flag":
            yield at, f"{condition} is not a flag under facts"
    elif condition.done:
        tool, _, outcome = condition.done.partition(".")
        if tool not in spec.tools or outcome not in spec.tools[tool].outcomes:
            yield at, f"{condition.done} is no outcome of a tool"


def _whenever(spec: FlowSpec, at: tuple[str, ...], whenever: Whenever) -> Iterator[Problem]:
    yield from _known(at, "universal intent", (whenever.intent,), spec.universal)
    yield from _known(at, "tool", whenever.do, {*spec.tools, END_CALL})
    yield from _known(at, "outcome", (whenever.outcome or "",), {"", *spec.outcomes})
    yield from _known(at, "state", (whenever.enter or "",), {"", *spec.states})


def _at_most(spec: FlowSpec, at: tuple[str, ...], most: AtMost) -> Iterator[Problem]:
    yield from _known(at, "tool", (most.tool or "",), {"", *spec.tools})
    yield from _known(at, "state", (most.state or "",), {"", *spec.states})


def _known(
    at: tuple[str, ...], what: str, names: Iterable[str], known: Iterable[str]
) -> Iterator[Problem]:
    for name in sorted(set(names) - set(known)):
        yield at, f"{name} is no {what} of this flow"
