"""Percentiles with their uncertainty, and shares with theirs.

Turns of one call are not independent (one voice, one stretch of load, one flow), so the bootstrap
draws whole calls, with replacement, and takes the percentile of all their turns together
(Davison and Hinkley 1997, section 3.8: resampling of clusters). An interval is the middle 95% of
`DRAWS` such percentiles. With few calls it is wide, as it should be; with one there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

DRAWS = 1000
_SEED = 1
PERCENTS = (50, 95, 99)


class Estimate(BaseModel):
    """A figure; `low`..`high` is its 95% interval, None where there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None = None
    low: float | None = None
    high: float | None = None


class Percentiles(BaseModel):
    """`n` values of `calls` calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int = 0
    calls: int = 0
    p50: Estimate = Estimate()
    p95: Estimate = Estimate()
    p99: Estimate = Estimate()
    worst: float | None = None


def percentiles(by_call: Sequence[Sequence[float]], draws: int = DRAWS) -> Percentiles:
    """p50, p95 and p99 of the values of all calls; calls without a value do not count."""
    calls = [np.asarray(values, np.float64) for values in by_call if len(values)]
    if not calls:
        return Percentiles()
    whole = np.concatenate(calls)
    points = np.percentile(whole, PERCENTS)
    drawn = _draw(calls, draws) if len(calls) > 1 else None
    found = {}
    for index, percent in enumerate(PERCENTS):
        low = high = None
        if drawn is not None:
            low, high = (_rounded(each) for each in np.percentile(drawn[:, index], (2.5, 97.5)))
        found[f"p{percent}"] = Estimate(value=_rounded(points[index]), low=low, high=high)
    return Percentiles(n=len(whole), calls=len(calls), worst=_rounded(whole.max()), **found)


def share_pct(hits_of_call: Sequence[tuple[int, int]], draws: int = DRAWS) -> Estimate:
    """Hits in a hundred; each call gives (hits, cases).

    Where nothing or everything hit, the bootstrap sees no spread: then the interval's open end is
    the rule of three's (3 / n: Hanley and Lippman-Hand 1983).
    """
    pairs = np.array([pair for pair in hits_of_call if pair[1]], np.float64).reshape(-1, 2)
    hits, cases = pairs.sum(axis=0)
    if not cases:
        return Estimate()
    value = 100 * hits / cases
    if hits in (0, cases):
        three = min(100.0, 100 * 3 / cases)
        low, high = (0.0, three) if hits == 0 else (100 - three, 100.0)
    elif len(pairs) > 1:
        picks = np.random.default_rng(_SEED).integers(0, len(pairs), (draws, len(pairs)))
        sums = pairs[picks].sum(axis=1)
        low, high = np.percentile(100 * sums[:, 0] / sums[:, 1], (2.5, 97.5))
    else:
        return Estimate(value=_rounded(value))
    return Estimate(value=_rounded(value), low=_rounded(low), high=_rounded(high))


def _draw(calls: list[np.ndarray], draws: int) -> np.ndarray:
    """Percentiles of `draws` resamples; shape [draws, len(PERCENTS)]."""
    chance = np.random.default_rng(_SEED)
    picks = chance.integers(0, len(calls), (draws, len(calls)))
    return np.array(
        [np.percentile(np.concatenate([calls[i] for i in row]), PERCENTS) for row in picks]
    )


def _rounded(value: float) -> float:
    rounded = round(float(value), 1)
    return rounded if math.isfinite(rounded) else float(value)
