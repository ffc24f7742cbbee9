"""The result of a run: what `--json` writes and the page draws.

Plan + LevelFigures… + Verdict… -> Document
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from appliance.testing.figures import machine
from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.levels import Figures, LevelFigures
from appliance.testing.latency.sla import (
    BargeInLimits,
    Sla,
    Verdict,
    judge,
    judge_percentiles,
    reached_by,
    verdict_of,
)
from appliance.testing.latency.suite import Found


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
    by kind (echo, acknowledgement, …): prompts that stopped though nobody wanted the floor, of the
    trials that came about; a kind of which none did has no share. `failed`: those that did not.
    """

    trials: int
    failed: int
    stop_ms: Percentiles
    not_stopped: int
    false_stops_pct: dict[str, Estimate]
    by_kind: dict[str, int]


class Document(Figures):
    """The whole. `holds`: the most calls at once up to which every level kept its limits.

    `ended`: why a ramp was not measured further.
    """

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
    ended: str = ""


def conclude(
    plan: PlanFigures,
    sla: Sla,
    found: Found,
    barge_in: BargeInFigures | None,
    load_before: float,
) -> Document:
    """The figures with what the SLA says to them; made now, on this machine."""
    verdicts = judge_levels(sla, found.levels)
    document = Document(
        made=datetime.now(UTC).replace(microsecond=0),
        machine=machine(),
        load_before=load_before,
        plan=plan,
        levels=tuple(found.levels),
        barge_in=barge_in,
        sla=sla,
        verdicts=verdicts,
        barge_in_verdicts=judge_barge_in(sla, barge_in),
        holds=holds(verdicts),
        failures=tuple(found.failures),
        missed=(),
        ended=found.ended,
    )
    return document.model_copy(update={"missed": missed(document)})


def judge_levels(sla: Sla, levels: Sequence[LevelFigures]) -> dict[int, tuple[Verdict, ...]]:
    """Verdicts by level."""
    return {level.concurrency: tuple(judge(sla, level)) for level in levels}


def judge_barge_in(sla: Sla, found: BargeInFigures | None) -> tuple[Verdict, ...]:
    """Verdicts on the trials of barge-in; none where none were asked for."""
    if found is None:
        return ()
    limits = sla.barge_in
    if limits == BargeInLimits():
        return ()
    verdicts = [verdict_of("trials of barge-in that failed", 0, found.failed)]
    stops = list(judge_percentiles("barge-in stop, ms,", limits.stop_ms, found.stop_ms, sla.judge))
    verdicts += stops
    if stops:
        verdicts.append(verdict_of("prompts not stopped by words", 0, found.not_stopped))
    allowed = limits.false_stops_pct
    if not isinstance(allowed, dict):
        allowed = {} if allowed is None else dict.fromkeys(found.false_stops_pct, allowed)
    for kind, limit in allowed.items():
        share = found.false_stops_pct.get(kind, Estimate())
        verdicts.append(verdict_of(f"stopped by {kind}, %", limit, reached_by(share, sla.judge)))
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
            found += _of_level(document, _next(document))
            if document.ended:
                found.append(f"not measured further: {document.ended}")
        return tuple(found)
    for calls in sorted(document.verdicts):
        found += _of_level(document, calls)
    return tuple(found)


def _next(document: Document) -> int:
    """The first level at which a limit broke; 0 where none did as far as was measured."""
    return min((calls for calls in document.verdicts if calls > document.holds), default=0)


def _of_level(document: Document, calls: int) -> list[str]:
    return [f"{calls} calls: {each}" for each in document.verdicts.get(calls, ()) if not each.kept]
