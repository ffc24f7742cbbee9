"""The way to a failure: from the start of a call to the step that shows it, and the shortest."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.dialogue.checker.explore import Explorer, Found, Moment, Root
from appliance.dialogue.checker.probe import Step


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
    while moment.turn or moment.state not in explorer.starts:
        before = _before(explorer, moment)
        steps.append(_between(explorer, before.state, moment.state))
        moment = before
    root, start = explorer.starts[moment.state]
    return Path(root, (start, *reversed(steps)))


def _before(explorer: Explorer, moment: Moment) -> Moment:
    """The state before: with a turn if there is one, else one that waited for a tool."""
    if moment.turn:
        for state in sorted(explorer.layers[moment.turn - 1]):
            if moment.state in explorer.successors(state)[1]:
                return Moment(state, moment.turn - 1)
    layer = explorer.layers[min(moment.turn, len(explorer.layers) - 1)]
    for state in sorted(layer):
        if state != moment.state and moment.state in explorer.successors(state)[0]:
            return Moment(state, moment.turn)
    raise AssertionError("a reachable state has a predecessor")


def _between(explorer: Explorer, state: int, after: int) -> Step:
    for reached, move in explorer.moves(state):
        if reached == after and not move.outcome.ended:
            return move.outcome.step
    raise AssertionError("a successor is reached by a step")
