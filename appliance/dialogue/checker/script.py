"""A failure as a dialogue to read, and as a scenario file that reproduces it.

The way is played on the engine itself with invented account data, so what is shown is what a
caller would hear. Where the engine refuses (a secret before its condition), that is shown too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from appliance.dialogue.checker.path import Path
from appliance.dialogue.checker.steps import Step
from appliance.dialogue.checker.verdict import Failure
from appliance.dialogue.checks import NOTHING
from appliance.dialogue.engine import step
from appliance.dialogue.events import Checked, Event
from appliance.dialogue.faults import FaultyFlowError
from appliance.dialogue.flow import Flow
from appliance.dialogue.rehearsal import Given, event_for, given, recorded, sample_call
from appliance.dialogue.turn import Turn

NOON = datetime.fromisoformat("2026-11-11T12:00:00+00:00")
"""When rehearsed calls take place; no route depends on it."""


@dataclass(frozen=True, slots=True)
class Played:
    """One step with what came of it: a turn, or the engine's refusal."""

    step: Step
    turn: Turn | None
    refusal: str = ""


def play(flow: Flow, path: Path) -> Iterator[Played]:
    """Play a way on the engine, to its end or to the step that cannot be taken."""
    root = path.root
    call = sample_call(flow, root.language, root.spoken, dict(root.entry))
    state = call.open()
    for each in path.steps:
        if each.forced:  # the engine forces it when the turns are used up, and so does the script
            state = state.model_copy(update={"turns": flow.spec.max_turns - 1})
        try:
            turn = step(call, state, _event(flow, each), NOON)
        except FaultyFlowError as error:
            yield Played(each, None, str(error))
            return
        yield Played(each, turn)
        state = turn.state


def dialogue(flow: Flow, failure: Failure) -> list[str]:
    """The way to a failure, line by line."""
    if failure.path is None:
        return []
    root = failure.path.root
    lines = [f"call in {root.language}, box speaks {', '.join(sorted(root.spoken))}"]
    lines += [f"known at the start: {name} = {value}" for name, value in root.entry]
    for played in play(flow, failure.path):
        lines.append(f"caller:    {_caller(played.step)}")
        if played.turn is None:
            lines.append(f"refused:   {played.refusal}")
            continue
        lines += [f"appliance: {prompt.text}  [{prompt.id}]" for prompt in played.turn.say]
        for action in played.turn.actions:
            given = ", ".join(f"{name}={value}" for name, value in action.args.items())
            lines.append(f"does:      {action.name}({given})")
        where = played.turn.state
        lines.append(f"           -> {where.outcome or where.current}")
    return lines


def _caller(each: Step) -> str:
    signal = each.signal
    found = [f"{check} finds {outcome}" for check, outcome, _ in each.checked if outcome != NOTHING]
    told = {
        "start": "(the call begins)",
        "silence": "(says nothing)",
        "engine_failed": "(is not heard: the recognizer fails)",
        "hung_up": "(hangs up)",
        "unclear": "(says something that is not understood)",
        "tool": f"({signal.name.replace('.', ' is ')})",
    }.get(signal.kind)
    if told is None:
        told = f"(presses {signal.name[4:]})" if signal.name.startswith("key.") else signal.name
    if each.unheard:
        found.append(f"has not heard all of {', '.join(each.unheard)}")
    if each.forced:
        found.append("in the last turn")
    return f"{told} ({'; '.join(found)})" if found else told


def scenario(flow: Flow, failure: Failure, name: str) -> dict[str, Any]:
    """The way to a failure as a scenario (see `appliance.flows.scenario`), ready to be written."""
    assert failure.path is not None
    root = failure.path.root
    written: dict[str, Any] = {
        "name": name,
        "language": root.language,
        "languages": sorted(root.spoken),
    }
    if root.entry:
        written["entry"] = dict(root.entry)
    steps, outcome = [], None
    for played in play(flow, failure.path):
        entry = _event_entry(flow, played.step)
        if played.turn is None:
            entry["expect"] = {"refused": played.refusal}
        else:
            prompts = [prompt.id for prompt in played.turn.say]
            actions = [action.name for action in played.turn.actions]
            entry["expect"] = {"say": prompts, "state": played.turn.state.current, "does": actions}
            outcome = played.turn.state.outcome
        steps.append(entry)
    written["steps"] = steps
    if outcome:
        written["outcome"] = outcome
    return written


_PLAIN: dict[str, dict[str, Any]] = {
    "start": {"starts": True},
    "silence": {"silence": True},
    "engine_failed": {"fails": "stt"},
    "hung_up": {"hangs_up": True},
    "check": {"means": "nothing"},
    "unclear": {"means": "nothing"},
}


def _event_entry(flow: Flow, each: Step) -> dict[str, Any]:
    name = each.signal.name
    if each.signal.kind in _PLAIN:
        entry = dict(_PLAIN[each.signal.kind])
    elif each.signal.kind == "tool":
        entry = {"tool": name.split(".")}
    elif name.startswith("key."):
        entry = {"digits": name[4:]}
    else:
        entry = {"means": name}
    if each.checked:
        entry["checks"] = {check: outcome for check, outcome, _ in each.checked}
    facts = {k: v for found in _recorded(flow, each) for k, v in found.facts}
    facts |= dict(_given(flow, each))
    if facts:
        entry["facts"] = facts
    if each.unheard:
        entry["unheard"] = list(each.unheard)
    if each.forced:
        entry["last_turn"] = True
    return entry


def _event(flow: Flow, each: Step) -> Event:
    event = event_for(each.signal, _recorded(flow, each), _given(flow, each))
    return replace(event, unheard=each.unheard)


def _given(flow: Flow, each: Step) -> Given:
    if each.signal.kind != "tool":
        return ()
    tool, _, outcome = each.signal.name.partition(".")
    return given(flow, tool, outcome, dict(each.gave))


def _recorded(flow: Flow, each: Step) -> tuple[Checked, ...]:
    return tuple(recorded(flow, c, o, dict(facts)) for c, o, facts in each.checked)
