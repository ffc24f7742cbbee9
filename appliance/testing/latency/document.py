"""The result of a run: what `--json` writes and the page draws.

Plan + LevelFigures… + Verdict… -> Document
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.levels import Figures, LevelFigures
from appliance.testing.latency.sla import (
    Sla,
    Verdict,
    judge,
    judge_percentiles,
    reached_by,
    verdict_of,
)


class PlanFigures(Figures):
    """What was asked for. `far`: the URI of a box that was not started here."""

    flows: tuple[str, ...]
    concurrency: tuple[int, ...]
    calls: int
    warm_up: int
    ramp: bool
    admit_all: bool
    far: str | None = None


class BargeInFigures(Figures):
    """Trials of barge-in, by what the caller's side sent.

    `stop_ms`: first sample of real speech out to last sample of our prompt in; `false_stops_pct`
    by kind (echo, acknowledgement, …): prompts that stopped though nobody wanted the floor.
    """

    trials: int
    stop_ms: Percentiles
    not_stopped: int
    false_stops_pct: dict[str, Estimate]
    by_kind: dict[str, int]


class Document(Figures):
    """The whole. `holds`: the most calls at once up to which every level kept its limits."""

    made: datetime
    machine: dict[str, Any]
    load_before: float
    plan: PlanFigures
    levels: tuple[LevelFigures, ...]
    barge_in: BargeInFigures | None
    sla: Sla
    verdicts: dict[int, tuple[Verdict, ...]]
    barge_in_verdicts: tuple[Verdict, ...]
    holds: int
    failures: tuple[str, ...]
    missed: tuple[str, ...]


def judge_levels(sla: Sla, levels: tuple[LevelFigures, ...]) -> dict[int, tuple[Verdict, ...]]:
    """Verdicts by level."""
    return {level.concurrency: tuple(judge(sla, level)) for level in levels}


def judge_barge_in(sla: Sla, found: BargeInFigures | None) -> tuple[Verdict, ...]:
    """Verdicts on the trials of barge-in."""
    limits = sla.barge_in
    stop = found.stop_ms if found is not None else None
    verdicts = list(judge_percentiles("barge-in stop, ms,", limits.stop_ms, stop, sla.judge))
    if limits.false_stops_pct is not None:
        shares = found.false_stops_pct if found is not None else {"": Estimate()}
        verdicts += [
            verdict_of(
                f"false stops {kind}, %", limits.false_stops_pct, reached_by(each, sla.judge)
            )
            for kind, each in shares.items()
        ]
    return tuple(verdicts)


def holds(verdicts: dict[int, tuple[Verdict, ...]]) -> int:
    """The most calls up to which all levels kept everything; 0 where the first did not."""
    most = 0
    for calls in sorted(verdicts):
        if not all(each.kept for each in verdicts[calls]):
            break
        most = calls
    return most


def missed(document: Document) -> tuple[str, ...]:
    """What makes the run a failure, in words: a ramp only has to reach the capacity wanted."""
    found = [str(each) for each in document.barge_in_verdicts if not each.kept]
    if document.plan.ramp:
        wanted = document.sla.capacity or 1
        if document.holds < wanted:
            found.append(f"the limits hold up to {document.holds} calls at once, not {wanted}")
            found += _of_level(document, min(c for c in document.verdicts if c > document.holds))
        return tuple(found)
    for calls in sorted(document.verdicts):
        found += _of_level(document, calls)
    return tuple(found)


def _of_level(document: Document, calls: int) -> list[str]:
    return [f"{calls} calls: {each}" for each in document.verdicts[calls] if not each.kept]
