"""Whether what a process holds grows with the calls that it has carried. Pure.

samples at idle moments ─ first fifth dropped ─> memory: slope of Theil and Sen ─> KiB a call
                                              └> descriptors, threads: least late > most early
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from statistics import median

from appliance.testing.soak.vitals import Vitals

WARM_UP_SHARE = 0.2
"""Caches, arenas and pools of threads fill in the first calls; that is no leak."""

MIN_SAMPLES = 8
"""Fewer tell no slope from chance."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The vitals of a process after so many calls, while none was open."""

    calls: int
    vitals: Vitals


@dataclass(frozen=True, slots=True)
class Growth:
    """How one figure went on. `per_call` is its slope; `first` and `last` are medians of thirds."""

    figure: str
    per_call: float
    first: float
    last: float
    leaks: bool


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs of points (Theil 1950, Sen 1968).

    One sample in four may be anything without moving it far: a collection that came late, a
    database that wrote a page.

    Raises:
        ValueError: fewer than two different places.
    """
    slopes = [
        (y_b - y_a) / (x_b - x_a)
        for (x_a, y_a), (x_b, y_b) in combinations(points, 2)
        if x_a != x_b
    ]
    if not slopes:
        raise ValueError("a slope needs points at two places")
    return median(slopes)


def growth_of(samples: Sequence[Sample], kib_a_call: float) -> list[Growth]:
    """Judge each figure of a process.

    Args:
        samples: in the order of the calls.
        kib_a_call: slope of the memory above which it leaks.

    Raises:
        ValueError: fewer than MIN_SAMPLES are left after the warm-up.
    """
    kept = [s for s in samples if s.calls >= WARM_UP_SHARE * samples[-1].calls] if samples else []
    if len(kept) < MIN_SAMPLES:
        raise ValueError(f"{len(kept)} samples are too few: {MIN_SAMPLES} are needed")
    return [_growth(field.name, kept, kib_a_call) for field in fields(Vitals)]


def _growth(figure: str, samples: Sequence[Sample], kib_a_call: float) -> Growth:
    points = [(float(each.calls), float(getattr(each.vitals, figure))) for each in samples]
    third = len(points) // 3
    early, late = [y for _, y in points[:third]], [y for _, y in points[-third:]]
    per_call = slope(points)
    if figure == "anonymous_kib":
        leaks = per_call > kib_a_call
    elif figure == "resident_kib":
        leaks = False  # pages of files come and go; what leaks is anonymous
    else:  # one more while a database looks into a file is none
        leaks = min(late) > max(early)
    return Growth(figure, round(per_call, 4), median(early), median(late), leaks)
