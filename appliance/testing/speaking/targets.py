"""What speaking must reach, against what was measured: the verdicts of the benchmark."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FIRST_FRAME_MS = 5.0
LONGEST_GAP_MS = 100.0
REAL_TIME_FACTOR = 0.02
CONTROLS_FOUND = 0.9
"""Fewer, and that no click was found at joins says little; some cuts fall into silence."""
FEWEST_FOR_MEMORY = 1000
"""Sentences; in fewer, memory that is touched for the first time looks like growth."""
MEMORY_MB = 5.0
"""Growth by a straight line; less is the allocator's, which gives back in large pieces."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target and what was reached; `times` is how much of the limit that is."""

    name: str
    wanted: str
    reached: str
    times: float | None
    kept: bool

    def as_json(self) -> dict[str, Any]:
        """For a file of figures."""
        return asdict(self)


def verdicts(measured: dict[str, Any]) -> list[Verdict]:
    """Every target, judged by what `suite.measure` returned."""
    found = []
    for name, row in measured["voices"].items():
        factor = row["real_time_factor"]
        found.append(_limit(f"real-time factor, {name}", factor, REAL_TIME_FACTOR, ""))
    free, busy = measured["realtime"]["free"], measured["realtime"]["busy"]
    for kind, said in (("fixed", "a cached sentence"), ("head", "a cached head")):
        reached = free[f"{kind}_first_ms"]["p95"]
        if reached is not None:
            name = f"decision to first frame of {said}, 95th percentile"
            found.append(_limit(name, reached, FIRST_FRAME_MS, " ms"))
    if busy["longest_gap_ms"] is not None:
        name = "longest silence between head and slot, busy core"
        found.append(_limit(name, busy["longest_gap_ms"], LONGEST_GAP_MS, " ms"))
    failed = len(free["failed"]) + len(busy["failed"])
    found.append(_none("sentences that failed", failed))
    endured = measured["endurance"]
    if endured["sentences"]:
        found.append(_none(f"clicks at {endured['joined']:,} joins", endured["clicks_at_joins"]))
        if endured["controls"]:
            share = endured["controls_found"] / endured["controls"]
            found.append(
                Verdict(
                    f"cuts without a seam that are found, of {endured['controls']:,}",
                    f"≥ {CONTROLS_FOUND:.0%}",
                    f"{share:.1%}",
                    None,
                    share >= CONTROLS_FOUND,
                )
            )
        if endured["sentences"] >= FEWEST_FOR_MEMORY:
            name = f"growth of memory over {endured['sentences']:,} sentences"
            found.append(_limit(name, endured["memory_growth_mb"], MEMORY_MB, " MB"))
    return found


def _limit(name: str, reached: float, most: float, unit: str) -> Verdict:
    return Verdict(
        name, f"≤ {most:g}{unit}", f"{reached:g}{unit}", round(reached / most, 2), reached <= most
    )


def _none(name: str, count: int) -> Verdict:
    return Verdict(name, "none", str(count), None, count == 0)
