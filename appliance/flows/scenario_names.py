"""The names in scenarios: one that refers to nothing would test nothing, and pass.

Names that a turn is compared with need no look: a wrong one of those fails by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from appliance.dialogue.flow import Flow
from appliance.dialogue.intents import INTENTS
from appliance.flows.scenario import NOTHING, Scenario, Step


def find_scenario_problems(flow: Flow, scenarios: Iterable[Scenario]) -> Iterator[str]:
    """Intents, checks, outcomes, tools and facts that this flow does not have."""
    for scenario in scenarios:
        for name in sorted(set(scenario.entry) - set(flow.spec.entry)):
            yield f"{scenario.name}: entry: {name} is not declared under entry"
        for number, step in enumerate(scenario.steps, 1):
            for said in _step(flow, step):
                yield f"{scenario.name}, step {number}: {said}"


def _step(flow: Flow, step: Step) -> Iterator[str]:
    if step.means is not None and step.means not in {*INTENTS, *flow.spec.intents, NOTHING}:
        yield f"means: {step.means} is no intent; `{NOTHING}` is not being understood"
    for name, outcome in step.checks.items():
        if name not in flow.checks:
            there = ", ".join(sorted(flow.checks)) or "none"
            yield f"checks: no check {name}; there are: {there}"
        elif outcome not in {str(each) for each in flow.checks[name].outcomes}:
            there = ", ".join(flow.checks[name].outcomes)
            yield f"checks: {name} has no outcome {outcome}; there are: {there}"
    for name in sorted(set(step.facts) - set(flow.spec.facts)):
        yield f"facts: {name} is not declared under facts"
    if step.tool is not None:
        name, outcome = step.tool
        if name not in flow.spec.tools:
            yield f"tool: {name} is not declared under tools"
        elif outcome not in flow.spec.tools[name].outcomes:
            there = ", ".join(flow.spec.tools[name].outcomes)
            yield f"tool: {name} has no outcome {outcome}; there are: {there}"
