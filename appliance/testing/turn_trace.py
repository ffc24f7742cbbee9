"""What happened in a turn, in its order, read off the routes and states that it passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from appliance.dialogue.flow import Flow
from appliance.dialogue.routes import routes
from appliance.dialogue.turn import WITHHELD, State, Turn


def turn_trace(
    flow: Flow, before: State, turn: Turn, gave: Iterable[tuple[str, str]] = ()
) -> Iterator[tuple[str, str, dict[str, bool | str], str]]:
    """What happened in a turn, one after the other: (kind, name, facts at that time, state).

    Read off `taken`: routes with what they set and say, states with what they say, do and ask.

    Args:
        flow: the flow.
        before: the state before the turn.
        turn: the turn.
        gave: the facts that a tool gave to it.
    """
    spec = flow.spec
    facts: dict[str, bool | str] = {**before.facts, **dict(gave)}
    if turn.taken[:1] == (
        "out_of_turns",
    ):  # what a check read counts though its route is not taken
        facts.update(_found(turn))
    taken = [place for place in turn.taken if place != WITHHELD]
    by_path = {".".join(at): route for at, route in routes(spec)}
    templates = flow.templates[turn.state.language]
    said = [prompt.id for prompt in turn.say]
    actions = list(turn.actions)
    current = before.current
    for place, following in zip(taken, (*taken[1:], ""), strict=False):
        route = by_path.get(place)
        names: tuple[str, ...] = ()
        facts.update(_found(turn, place))
        if route is not None:
            for fact in route.forget:
                facts.pop(fact, None)
            facts.update(route.set)
            past = following == f"counters.{route.count}.past"
            names = () if past or following.startswith(f"{place}.") else route.say
        else:
            current = place.removeprefix("states.")
            yield "state", current, dict(facts), current
            names = spec.states[current].say
        applying = (n for n in names if said and templates[n].applies(facts.get))
        for name in applying:  # nothing is said to who has hung up
            assert name == said.pop(0)
            yield "say", name, dict(facts), current
        while route is None and actions and actions[0].state is spec.states[current]:
            yield "tool", actions.pop(0).name, dict(facts), current
    for name in said:  # the question
        yield "say", name, dict(facts), current
    for action in actions:
        yield "tool", action.name, dict(facts), current
    if turn.state.outcome is not None and not before.ended:
        yield "outcome", turn.state.outcome, dict(facts), current


def _found(turn: Turn, place: str | None = None) -> Iterator[tuple[str, str]]:
    """What checks found in a turn, or the one whose outcome leads to this place."""
    for each in turn.checked:
        if place is None or place.endswith(f".on.{each.check}.{each.outcome}"):
            yield from each.facts
