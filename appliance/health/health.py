"""The health of one agent: what its parts tell, and its HTTP server reads."""

from __future__ import annotations

from time import monotonic

from prometheus_client import CollectorRegistry

from appliance.health.box import BoxMetrics
from appliance.health.calls import CallMetrics
from appliance.health.engines import Engines
from appliance.health.pulse import Pulse
from appliance.health.readiness import Readiness


class Health:
    """One for each agent; its registry is its own, so that two can be in one process.

    Attributes:
        readiness: why no calls are taken.
        pulse: of the event loop.
        engines: whether models work.
        calls: what calls come to.
        box: gauges of the rest.
        registry: all of that for Prometheus.
    """

    def __init__(self) -> None:
        self._began_s = monotonic()
        self.registry = CollectorRegistry()
        self.readiness = Readiness()
        self.pulse = Pulse()
        self.engines = Engines(self.registry)
        self.calls = CallMetrics(self.registry, self.engines)
        self.box = BoxMetrics(self.registry, self.readiness)

    @property
    def uptime_s(self) -> float:
        """Since the agent began to load, seconds."""
        return monotonic() - self._began_s
