"""The state of the box as gauges: lines, load, models, disk, store. Set by who knows, read as text.

Nothing is measured here: `session.vitals` looks at the lines every second and measures what takes
longer in a thread, and a scrape only writes down what was set last.
"""

from __future__ import annotations

import math
from functools import partial
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector

from appliance.health.readiness import REASONS, Readiness, Reason

REFUSALS = ("recognition", "loop", "voice", "frames", "cpu", "unavailable", "full", "closed")
"""Why calls are refused: by the agent; the last two by a line, which has no room, or no agent."""
RESOURCES = ("loop", "voice", "box", "recognition")


class BoxMetrics:
    """The gauges; each is set from one thread."""

    def __init__(self, registry: CollectorRegistry, readiness: Readiness) -> None:
        def gauge(name: str, what: str, *labels: str) -> Gauge:
            return Gauge(f"appliance_{name}", what, labels, registry=registry)

        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(f"appliance_{name}", what, labels, registry=registry)

        ProcessCollector(namespace="appliance", registry=registry)
        gauge("build_info", "Always 1", "version").labels(version("voice-appliance")).set(1)
        gauge("ready", "1 while calls are taken").set_function(lambda: not readiness.reasons)
        held = gauge("not_ready", "1 for each reason why no calls are taken", "reason")
        for reason in REASONS:
            held.labels(reason).set_function(partial(_holds, readiness, reason))

        self.open_calls = gauge("open_calls", "Calls at this moment")
        self.call_limit = gauge("call_limit", "Calls at once that the lines have room for")
        self.refused = counter("calls_refused", "Calls refused, by agent and lines", "reason")
        for why in REFUSALS:
            self.refused.labels(why)

        self.lines = gauge("lines", "Line processes that there should be")
        self.lines_up = gauge("lines_up", "Line processes that take calls")
        self.line_restarts = counter("line_restarts", "Line processes that died and came again")
        self.registrar = gauge("registrar", "1 if the box is to be registered at a PBX")
        self.registered = gauge("registered", "1 while it is")
        self.registration_code = gauge("registration_code", "The registrar's last answer (SIP)")
        self.frames_dropped = counter("frames_dropped", "Frames of 20 ms that came too late")
        self.requests_dropped = counter("requests_dropped", "SIP requests dropped in a flood")

        self.load = gauge("load_ratio", "Share in use, with the calls of now", "resource")
        self.loop_lag = gauge("loop_lag_seconds", "Lateness of the event loop, 95th percentile")
        self.voice_wait = gauge("voice_wait_seconds", "Sentences waited so long for the voice, p95")
        self.recognition_late = gauge("recognition_late_seconds", "Decodes were so late, p95")
        self.decodes_hanging = gauge("decodes_hanging", "Decodes that nobody waits for any more")

        self.model = gauge("model_loaded", "1 for each model in use", "kind", "language", "name")
        self.prompts_ready = gauge("prompts_ready", "Rendered prompts in memory")
        self.rendered = counter("sentences_rendered", "Sentences rendered for a call")
        self.loading = gauge("loading_seconds", "How long the last start took")

        self.disk_free = gauge("disk_free_bytes", "Free for the appliance", "place")
        self.disk_size = gauge("disk_size_bytes", "Size of that file system", "place")
        self.store_size = gauge("store_bytes", "Size of the database with its log")
        self.outbox = gauge("outbox_notifications", "Notifications in the outbox", "standing")
        self.outbox_age = gauge("outbox_oldest_seconds", "Age of the oldest that waits")
        self.unsaved = gauge("unsaved", "1 while actions wait in memory to be stored")
        self.backup_age = gauge("backup_age_seconds", "Age of the newest backup; Inf: none")
        self.backup_age.set(math.nan)
        self.measured = gauge("measured_timestamp_seconds", "When the slow gauges were last set")
        self.measuring_failed = counter("measuring_failed", "Slow gauges that could not be set")


def _holds(readiness: Readiness, reason: Reason) -> bool:
    return reason in readiness.reasons
