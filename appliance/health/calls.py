"""What calls come to, counted: from the events of their logs, and from nothing else.

    Journal.note ─> CallTally (one a call) ─> counters, histograms of CallMetrics

So a metric can hold no more than a log does. Of what a log holds only this goes into labels: names
of flows, outcomes, tools and kinds of questions, which come from flow files; never words or values.

    caller's last sound ─ endpoint ─> turn over ─ recognition, understanding, dialogue, voice ─>
    └──────────── gap ───────────────────────── decision ──────────────> first frame to the line
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

from appliance.health.engines import Engines
from appliance.health.labels import Bounded

_FLOW_LABELS = 250
"""Flows with their outcomes, or tools with theirs; the shipped flows have about a hundred."""
_KINDS = 20

OPEN = "open"
"""The kind of a turn in which no certain kind of thing had been asked for."""
INTERRUPTED = "interrupted"
TEST = "test"
"""In place of the flow's name, where the box calls itself to test itself."""

_WAIT_S = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.5, 2.0, 3.0, 5.0)
_DECIDE_S = (0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
_DECODE_S = (0.02, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0)
_THINK_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_CALL_S = (10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1200, 1800)

STAGES: Mapping[str, tuple[str, tuple[float, ...], str]] = {
    "gap": ("first_audio_ms", _WAIT_S, "From the caller's last sound to our first frame"),
    "endpoint": ("endpoint_ms", _WAIT_S, "From the caller's last sound to the end of his turn"),
    "decision": ("decision_ms", _DECIDE_S, "From the end of the turn to our first frame"),
    "recognition": ("recognition_ms", _DECODE_S, "Decoding the turn; most of it is before its end"),
    "understanding": ("understanding_ms", _THINK_S, "What the words mean"),
    "dialogue": ("dialogue_ms", _THINK_S, "The step of the dialogue"),
    "voice": ("voice_ms", _DECIDE_S, "From the step to our first frame"),
}
"""Of each stage of a turn: the field of the log, the limits of its buckets, what it is.

`gap` and `decision` have limits at the project's own SLA (scripts/sla.example.toml): 350 and 700,
50 and 200 ms.
"""

NOTED = (
    "up", "no_input", "noise", "ignored", "interrupted", "held", "held_up", "lost", "limit",
    "handover", "heard", "digits",
)  # fmt: skip
"""Events of a log that are only counted."""


class CallMetrics:
    """The counters that all calls share."""

    def __init__(self, registry: CollectorRegistry, engines: Engines) -> None:
        self.engines = engines
        self.calls = Bounded(
            Counter("appliance_calls", "Calls taken", ["flow"], registry=registry), _FLOW_LABELS
        )
        self.ended = Bounded(
            Counter("appliance_calls_ended", "Calls by outcome; interrupted: neither the flow nor "
                    "the caller ended it", ["flow", "outcome"], registry=registry),
            _FLOW_LABELS,
        )  # fmt: skip
        self.ended_by = Bounded(
            Counter("appliance_calls_ended_by", "Who hung up", ["by"], registry=registry), 10
        )
        self.length = Bounded(
            Histogram("appliance_call_seconds", "Length of calls", ["flow"], registry=registry,
                      buckets=_CALL_S),
            _KINDS,
        )  # fmt: skip
        self.events = Counter(
            "appliance_call_events", "What happened in calls", ["event"], registry=registry
        )
        self.actions = Bounded(
            Counter("appliance_actions", "Tools by what came of them", ["action", "outcome"],
                    registry=registry),
            _FLOW_LABELS,
        )  # fmt: skip
        self.prepared = Counter(
            "appliance_turns_prepared", "Turns prepared before their end", ["used"],
            registry=registry,
        )  # fmt: skip
        self.stages = {
            name: Bounded(
                Histogram(f"appliance_{name}_seconds", what, ["kind"], registry=registry,
                          buckets=limits),
                _KINDS,
            )
            for name, (_, limits, what) in STAGES.items()
        }  # fmt: skip
        for event in NOTED:
            self.events.labels(event)
        for used in ("yes", "no"):
            self.prepared.labels(used)

    def tally(self) -> CallTally:
        """For one call more."""
        return CallTally(self)


class CallTally:
    """Told of every event of one call's log, in order."""

    def __init__(self, metrics: CallMetrics) -> None:
        self._metrics = metrics
        self._flow = ""

    def __call__(self, kind: str, ms: float, fields: Mapping[str, Any]) -> None:
        """An event was logged, `ms` after the start of the call."""
        metrics = self._metrics
        if kind in NOTED:
            metrics.events.labels(kind).inc()
        match kind:
            case "call":
                self._flow = TEST if fields.get("test") else str(fields.get("flow", ""))
                metrics.calls.of(self._flow).inc()
            case "handover" if self._flow != TEST:
                self._flow = str(fields["flow"])
            case "turn":
                self._turn(fields)
            case "action":
                metrics.actions.of(fields["name"], fields["outcome"]).inc()
            case "heard":
                metrics.engines.worked("stt")
                metrics.engines.worked("nlu")
            case "error":
                metrics.engines.failed(fields["stage"])
            case "end":
                self._end(ms, fields)

    def _turn(self, fields: Mapping[str, Any]) -> None:
        if "decision_ms" not in fields:
            return
        kind = fields.get("asked", OPEN)
        for name, (field, _, _) in STAGES.items():
            if field in fields:
                self._metrics.stages[name].of(kind).observe(fields[field] / 1000)

    def _end(self, ms: float, fields: Mapping[str, Any]) -> None:
        metrics = self._metrics
        metrics.ended.of(self._flow, fields.get("outcome") or INTERRUPTED).inc()
        metrics.ended_by.of(fields.get("by", "")).inc()
        metrics.length.of(self._flow).observe(ms / 1000)
        void = fields.get("void", 0)
        metrics.prepared.labels("no").inc(void)
        metrics.prepared.labels("yes").inc(fields.get("prepared", 0) - void)
