"""The way to a failure: from the start of a call to the step that shows it, and the shortest."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.dialogue.checker.explore import Explorer, Found, Moment
from appliance.dialogue.checker.steps import Root, Step


@dataclass(frozen=True, slots=True)
class Path:
    """What a call begins with, and its steps; the first is the start."""

    root: Root
    steps: tuple[Step, ...]


def path_to(explorer: Explorer, found: Found) -> Path:
    """A shortest dialogue that sets off an alarm."""
    if found.at is None:
        assert found.root is not None
        assert found.step is not None
        return Path(found.root, (found.step,))
    steps = [found.step] if found.step else []
    moment = found.at
    while moment.turn or moment in explorer.within:
        if moment.turn >= explorer.flow.spec.max_turns:
            moment, step = explorer.late[moment.state]
        else:
            before = _before(explorer, moment)
            step = _between(explorer, before.state, moment.state)
            moment = before
        steps.append(step)
    root, start = explorer.starts[moment.state]
    return Path(root, (start, *reversed(steps)))


def _before(explorer: Explorer, moment: Moment) -> Moment:
    """The moment before: in the same turn where a tool was waited for, else one turn earlier."""
    earlier = explorer.within.get(moment)
    if earlier is not None:
        return Moment(earlier, moment.turn)
    for state in sorted(explorer.layers[moment.turn - 1]):
        if moment.state in explorer.successors(state)[1]:
            return Moment(state, moment.turn - 1)
    raise AssertionError("a reachable state has a predecessor")


def _between(explorer: Explorer, state: int, after: int) -> Step:
    for reached, move in explorer.moves(state):
        if reached == after and not move.outcome.ended:
            return move.outcome.step
    raise AssertionError("a successor is reached by a step")
