"""Proves a flow, or shows why it cannot be: the checker's one entry.

verdict = check_flow(flow)       # seconds; pure
verdict.proven                   # or verdict.failures, each with the shortest dialogue to it
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from appliance.dialogue.checker.explore import Explorer
from appliance.dialogue.checker.path import Path, path_to
from appliance.dialogue.checker.watch import USED, titles
from appliance.dialogue.flow import Flow
from appliance.dialogue.routes import waiting_prompts

_SPARE = ("fallbacks", "out_of_turns", "counters")
"""Routes that a flow must have even where no event of its own comes to them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A property that does not hold: what happens instead, and the way there, if there is one."""

    title: str
    detail: str
    path: Path | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What exploring a flow came to. `seconds` of processor time."""

    flow: str
    hash: str
    states: int
    transitions: int
    seconds: float
    properties: tuple[str, ...]
    failures: tuple[Failure, ...]

    @property
    def proven(self) -> bool:
        """Whether every property holds."""
        return not self.failures

    def holds(self, title: str) -> bool:
        """Whether one property does."""
        return all(failure.title != title for failure in self.failures)


def check_flow(flow: Flow) -> Verdict:
    """Explore every state that a flow can reach, and judge its properties."""
    started = time.process_time()
    explorer = Explorer(flow)
    explorer.run()
    found = [Failure(f.alarm.title, f.alarm.detail, path_to(explorer, f))
             for f in explorer.found.values()]  # fmt: skip
    found += [Failure(USED, detail, None) for detail in _unused(flow, explorer)]
    return Verdict(
        flow=flow.name,
        hash=flow.hash,
        states=explorer.states,
        transitions=explorer.transitions,
        seconds=round(time.process_time() - started, 3),
        properties=tuple(titles(flow.spec.properties)),
        failures=tuple(found),
    )


def _unused(flow: Flow, explorer: Explorer) -> Iterator[str]:
    """What no dialogue comes to. Takeaways are only rendered; what is late is not in dialogues."""
    taken, waiting = explorer.taken, set(waiting_prompts(flow.spec))
    unreached = {name for name in flow.spec.states if f"state {name}" not in taken}
    for name in sorted(unreached):
        yield f"states.{name} is never reached"
    for name in sorted({name for texts in flow.templates.values() for name in texts}):
        unsaid = name not in flow.spec.takeaways and name not in waiting
        if unsaid and f"prompt {name}" not in taken:
            yield f"prompts.{name} is never said"
    for name in flow.spec.outcomes:
        if f"outcome {name}" not in taken:
            yield f"outcomes: no call ends as {name}"
    for name in flow.spec.tools:
        if f"tool {name}" not in taken:
            yield f"tools.{name} is never called"
    for number, path in sorted(flow.route_paths.items(), key=lambda item: item[1]):
        where = path.split(".")
        dead = number not in taken and where[0] not in _SPARE
        if dead and not (where[0] == "states" and where[1] in unreached):
            yield f"{path} is never taken"
