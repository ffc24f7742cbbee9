"""Everything that can happen to a call, as the dialogue sees it, and its form in the event log.

The log must replay a call bit for bit and hold no ZIP, no account data and no typed digits. So an
event is logged without its slots, its words redacted, together with the outcomes of the checks
that read the slots; `parse_event` gives an event that carries those outcomes, and `step` takes
them instead of computing them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from appliance.dialogue.redact import redact
from appliance.types import Intent, Stage, Understanding


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: its outcome and the facts it produced (never account data)."""

    check: str
    outcome: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Happened:
    """What all events have in common: `checked` holds what checks found, on replay only.

    `unheard` are the prompts that must be heard (`must_hear`), were said, and of which the caller
    has not heard all; see `obligations`.
    """

    checked: tuple[Checked, ...] = field(default=(), kw_only=True)
    unheard: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class CallStarted(_Happened):
    """The call is up and nothing was said yet."""


@dataclass(frozen=True, slots=True)
class Heard(_Happened):
    """The caller finished a turn."""

    understanding: Understanding


@dataclass(frozen=True, slots=True)
class Digits(_Happened):
    """The caller typed digits (0-9, * and #)."""

    text: str


@dataclass(frozen=True, slots=True)
class NoInput(_Happened):
    """The caller said nothing for as long as the host waits."""


@dataclass(frozen=True, slots=True)
class EngineFailed(_Happened):
    """Recognizer, understanding or voice failed on this turn."""

    stage: Stage


@dataclass(frozen=True, slots=True)
class ToolDone(_Happened):
    """The host executed an action; `outcome` is one of the tool's declared outcomes.

    `key` is the action's: the outcome of one that nobody waits for any more is told apart by it.
    `facts` are what it gives, as the tool declares them.
    """

    tool: str
    outcome: str
    key: str = ""
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HungUp(_Happened):
    """The caller is gone."""


Event = CallStarted | Heard | Digits | NoInput | EngineFailed | ToolDone | HungUp


def serialize_event(
    event: Event,
    checked: tuple[Checked, ...] = (),
    private: frozenset[str] = frozenset(),
    hidden: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The event as the log keeps it: redacted, with what its checks found.

    Args:
        event: what was given to `step`.
        checked: `Turn.checked` of the turn that came of it.
        private: `CallFlow.private_words()`, masked in what was heard.
        hidden: `Flow.private_facts`: what is logged in place of their values. A replay goes the
            same way, and says that instead.
    """
    match event:
        case Heard(understanding=heard):
            body: dict[str, Any] = {
                "type": "heard",
                "text": redact(heard.text, private),
                "intents": [[intent.name, intent.confidence] for intent in heard.intents],
            }
            body |= {"out_of_scope": True} if heard.out_of_scope else {}
        case Digits():
            body = {"type": "digits"}
        case EngineFailed(stage=stage):
            body = {"type": "engine_failed", "stage": stage}
        case ToolDone(tool=tool, outcome=outcome, key=key):
            body = {"type": "tool_done", "tool": tool, "outcome": outcome, "key": key}
            if event.facts:
                body["facts"] = _shown(event.facts, hidden)
        case CallStarted():
            body = {"type": "call_started"}
        case NoInput():
            body = {"type": "no_input"}
        case HungUp():
            body = {"type": "hung_up"}
    return body | _about(event, checked, hidden)


def _about(
    event: Event, checked: tuple[Checked, ...], hidden: Mapping[str, str] | None
) -> dict[str, Any]:
    """What any event may have: what was not heard of the appliance, and what checks found."""
    about: dict[str, Any] = {"unheard": list(event.unheard)} if event.unheard else {}
    if checked:
        about["checked"] = [
            {
                "check": each.check,
                "outcome": each.outcome,
                "facts": _shown(each.facts, hidden),
            }
            for each in checked
        ]
    return about


def _shown(facts: tuple[tuple[str, str], ...], hidden: Mapping[str, str] | None) -> dict[str, str]:
    return {name: (hidden or {}).get(name, value) for name, value in facts}


def parse_event(data: Mapping[str, Any]) -> Event:
    """Read back what `serialize_event` wrote.

    Raises:
        ValueError: the entry is not an event.
    """
    try:
        read = _READERS[data["type"]]
        return replace(read(data), checked=_checked(data), unheard=_unheard(data))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not a dialogue event: {data!r}") from error


def _checked(data: Mapping[str, Any]) -> tuple[Checked, ...]:
    return tuple(
        Checked(str(each["check"]), str(each["outcome"]), tuple(sorted(each["facts"].items())))
        for each in data.get("checked", ())
    )


def _unheard(data: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(name) for name in data.get("unheard", ()))


def _heard(data: Mapping[str, Any]) -> Heard:
    intents = tuple(Intent(str(name), float(score)) for name, score in data["intents"])
    outside = data.get("out_of_scope") is True
    return Heard(Understanding(text=str(data["text"]), intents=intents, out_of_scope=outside))


def _engine_failed(data: Mapping[str, Any]) -> EngineFailed:
    stages: dict[str, Stage] = {stage: stage for stage in get_args(Stage)}
    return EngineFailed(stages[data["stage"]])


_READERS: dict[str, Callable[[Mapping[str, Any]], Event]] = {
    "call_started": lambda _: CallStarted(),
    "heard": _heard,
    "digits": lambda _: Digits(""),
    "no_input": lambda _: NoInput(),
    "engine_failed": _engine_failed,
    "tool_done": lambda data: ToolDone(
        str(data["tool"]),
        str(data["outcome"]),
        str(data.get("key", "")),
        tuple(sorted(data.get("facts", {}).items())),
    ),
    "hung_up": lambda _: HungUp(),
}
