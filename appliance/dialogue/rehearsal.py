"""Plays a flow without words: signals as events, with invented account data.

For the dialogues that the checker prints, for scenarios that say what the caller means rather
than what he says, and for the simulated caller. What a check would have found is given to the
engine as recorded, the way a replay does it, so every outcome can be had without its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
)
from appliance.dialogue.flow import CallFlow, Facts, Flow
from appliance.dialogue.secrets import Vault
from appliance.dialogue.signals import Signal
from appliance.dialogue.speech import SAMPLES
from appliance.types import Intent, Language, Understanding

Given = tuple[tuple[str, str], ...]

KNOWN = "known"
"""Stands for the value of a fact whose value decides nothing."""


def sample_fact(flow: Flow, fact: str) -> str:
    """A value that a fact may have."""
    kind = flow.spec.facts[fact]
    if kind == "passage":
        return next(name for texts in flow.passages.values() for name in texts)
    if isinstance(kind, tuple):
        return kind[0]
    return "true" if kind == "flag" else SAMPLES[kind]


def sample_call(
    flow: Flow,
    language: Language,
    languages: Iterable[Language],
    entry: Facts,
    call_id: str = "rehearsal",
) -> CallFlow:
    """A call whose account holds invented values; its checks must be given as recorded."""
    account = {
        name: SAMPLES[variable.type]
        for name, variable in flow.spec.variables.items()
        if variable.source == "account"
    }
    after = {name: frozenset(each.after) for name, each in flow.spec.secrets.items()}
    known = {
        name: value if isinstance(value, bool) or _chosen(flow, name) else sample_fact(flow, name)
        for name, value in entry.items()
    }
    vault = Vault(account, after)
    return CallFlow(flow, call_id, vault, language, frozenset(languages), known, call_id)


def _chosen(flow: Flow, fact: str) -> bool:
    return isinstance(flow.spec.facts[fact], tuple)


def recorded(
    flow: Flow, check: str, outcome: str, facts: Mapping[str, str] | None = None
) -> Checked:
    """What a check is to have found; facts that it must produce are filled in."""
    names = {*flow.checks[check].produces.get(outcome, ()), *(facts or {})}
    found = sorted((name, _value(flow, name, (facts or {}).get(name))) for name in names)
    return Checked(check, outcome, tuple(found))


def given(flow: Flow, tool: str, outcome: str, facts: Facts | None = None) -> Given:
    """What a tool is to give with an outcome; facts that it must give are filled in."""
    names = {*flow.spec.tools[tool].produces.get(outcome, ()), *(facts or {})}
    return tuple(sorted((name, _value(flow, name, (facts or {}).get(name))) for name in names))


def _value(flow: Flow, fact: str, value: object) -> str:
    """A value that is wanted, or a sample for one that is only to be known."""
    wanted = isinstance(value, str) and (_chosen(flow, fact) or value != KNOWN)
    return str(value) if wanted else sample_fact(flow, fact)


def event_for(signal: Signal, checked: tuple[Checked, ...] = (), gave: Given = ()) -> Event:
    """An event that comes to this signal, given what checks are to find and its tool gives."""
    name = signal.name
    if name.startswith("key."):
        return Digits(name.removeprefix("key."), checked=checked)
    if signal.kind in ("universal", "intent"):
        return Heard(Understanding(name, (Intent(name, 1.0),)), checked=checked)
    if signal.kind == "tool":
        tool, _, outcome = name.partition(".")
        return ToolDone(tool, outcome, facts=gave, checked=checked)
    plain = _PLAIN.get(signal.kind)
    return replace(plain or Heard(Understanding(name)), checked=checked)


_PLAIN: Mapping[str, Event] = {
    "start": CallStarted(),
    "silence": NoInput(),
    "engine_failed": EngineFailed("stt"),
    "hung_up": HungUp(),
}
