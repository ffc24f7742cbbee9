"""Labels that cannot grow without end, whatever flows are loaded while the box runs.

Each set of values is a time series that the scraper keeps for ever. Names of flows and outcomes
come from files; a box that reloads them for months must not fill its monitoring.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from prometheus_client.metrics import MetricWrapperBase

MetricT = TypeVar("MetricT", bound=MetricWrapperBase)
OTHER = "other"


class Bounded(Generic[MetricT]):
    """A metric with labels: past `at_most` sets of values all further ones are `other`."""

    def __init__(self, metric: MetricT, at_most: int) -> None:
        self._metric, self._at_most = metric, at_most
        self._seen: set[tuple[str, ...]] = set()

    def of(self, *values: str) -> MetricT:
        """What counts for these values."""
        if values not in self._seen:
            if len(self._seen) >= self._at_most:
                return self._metric.labels(*(OTHER for _ in values))
            self._seen.add(values)
        return self._metric.labels(*values)
