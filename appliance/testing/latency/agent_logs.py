"""What the agent's event logs add to what its callers saw: decisions, and turns cut short.

    CallReport.call_id -> log of that call -> Decision…, Logged

Logs are found by the SIP Call-ID, and their turns assigned to utterances by time: both sides
read the same monotonic clock, so this works on the appliance's own machine only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.store.events import EVENTS_SUFFIX, read_events
from appliance.testing.latency.observed import OPEN, CallReport, Utterance

Event = Mapping[str, Any]
PARTS = ("endpoint_ms", "recognition_ms", "understanding_ms", "dialogue_ms", "decision_ms")
"""What the log tells of a turn, in the order of the way; `decision_ms` is all but the first."""

_BEFORE_NS, _AFTER_NS = 200_000_000, 1_500_000_000
"""How far from the utterance the agent may have placed the end of its speech."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A spoken turn that was answered: its utterance's kind, when it was, its parts in ms."""

    kind: str
    at_ns: int
    parts_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Logged:
    """One call's log.

    Attributes:
        decisions: its spoken turns that were answered.
        cut_off: the utterances (by index) within which a turn was taken for over.
        collided: those within which a tool's result came, whose answer the caller talked into.
    """

    decisions: tuple[Decision, ...] = ()
    cut_off: frozenset[int] = frozenset()
    collided: frozenset[int] = frozenset()
    outcome: str | None = None
    dropped_frames: int = 0


def find_logs(folder: Path, known: Iterable[Path] = ()) -> dict[str, list[Event]]:
    """Events by SIP Call-ID, of all logs that are not `known`.

    Raises:
        StoreError: a log cannot be read.
    """
    logs = {}
    for path in sorted(set(folder.glob(f"*/*{EVENTS_SUFFIX}")) - set(known)):
        events = read_events(path)
        call = next((event for event in events if event["t"] == "call"), {})
        if call.get("sip_call_id"):
            logs[str(call["sip_call_id"])] = list[Event](events)
    return logs


def read_call(report: CallReport, events: Iterable[Event]) -> Logged:
    """What the log of a call says of its utterances."""
    events = list(events)
    decisions = [
        Decision(_kind_at(report, event["speech_end_ns"]), event["speech_end_ns"], _parts(event))
        for event in events
        if event["t"] == "turn" and "first_audio_ms" in event
    ]
    end = next((event for event in events if event["t"] == "end"), {})
    return Logged(
        tuple(decisions), _during(report, events, "heard"), _during(report, events, "tool_done"),
        end.get("outcome"), _dropped(end),
    )  # fmt: skip


def _parts(event: Event) -> dict[str, float]:
    return {part: float(event[part]) for part in PARTS}


def _dropped(end: Event) -> int:
    return int(end.get("dropped_frames", 0))


def _kind_at(report: CallReport, speech_end_ns: int) -> str:
    """The kind of the utterance that ended then."""
    for each in report.utterances:
        if each.first_ns - _BEFORE_NS <= speech_end_ns <= each.last_ns + _AFTER_NS:
            return each.kind
    return OPEN


def _during(report: CallReport, events: Iterable[Event], kind: str) -> frozenset[int]:
    """Utterances during which there was such an event."""
    start_ns = _log_start_ns(events)
    if start_ns is None:
        return frozenset()
    times = [start_ns + event["ms"] * 1e6 for event in events if event["t"] == kind]
    return frozenset(
        index
        for index, each in enumerate(report.utterances)
        if not each.over_prompt and any(_inside(each, at_ns) for at_ns in times)
    )


def _inside(utterance: Utterance, at_ns: float) -> bool:
    return utterance.first_ns < at_ns < utterance.last_ns


def _log_start_ns(events: Iterable[Event]) -> float | None:
    """When the log's own time began, on the monotonic clock; None where no turn tells it."""
    for event in events:
        if event["t"] == "turn" and "first_audio_ms" in event:
            return float(event["speech_end_ns"] + (event["first_audio_ms"] - event["ms"]) * 1e6)
    return None
