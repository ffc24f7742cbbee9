"""The result as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from appliance.testing.latency.document import Document
from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.levels import KindFigures, LevelFigures


def show(console: Console, document: Document) -> None:
    """Every level, its kinds of questions, and what was missed."""
    for level in document.levels:
        console.print(_level_table(level))
        console.print(_calls_line(level))
        console.print(_machine_line(level))
        console.print()
    if document.barge_in is not None:
        console.print(_barge_in_line(document))
    where = document.machine
    console.print(
        f"{where['cpu']}, {where['cores']} cores; load {document.load_before} before, "
        f"{where['load_1min']} after; {document.plan.warm_up} warm-up calls a flow left out"
    )
    if document.plan.ramp:
        console.print(f"the limits hold up to {document.holds} calls at once")
        if document.ended:
            console.print(f"not measured further: {document.ended}")
    for line in document.missed:
        console.print(line, style="red")


def _level_table(level: LevelFigures) -> Table:
    table = Table(
        "", "n", "p50", "p95", "p99", "cut off", "with a pause",
        title=f"{level.concurrency} at once; milliseconds, 95% interval in brackets",
        title_justify="left",
    )  # fmt: skip
    table.add_row("response gap", *_row(level.all.response_gap_ms), *_cut_offs(level.all))
    for name, kind in level.kinds.items():
        table.add_row(f"  {name}", *_row(kind.response_gap_ms), *_cut_offs(kind))
    if level.all.decision_ms is not None:
        table.add_row("decision", *_row(level.all.decision_ms), "", "", style="bold")
    for name, kind in level.kinds.items():
        if kind.decision_ms is not None:
            table.add_row(f"  {name}", *_row(kind.decision_ms), "", "")
    for part, found in (level.parts_ms or {}).items():
        if part != "decision_ms":
            table.add_row(part.removesuffix("_ms"), *_row(found), "", "", style="dim")
    return table


def _row(found: Percentiles) -> Iterator[str]:
    yield str(found.n)
    for estimate in (found.p50, found.p95, found.p99):
        yield said(estimate)


def said(estimate: Estimate) -> str:
    """A figure with its interval."""
    if estimate.value is None:
        return "–"
    if estimate.low is None:
        return f"{estimate.value:g}"
    return f"{estimate.value:g} [{estimate.low:g}–{estimate.high:g}]".replace("[", "\\[")


def percent(share: float | None) -> str:
    """A share of something that may not have been."""
    return "–" if share is None else f"{share:g}%"


def _cut_offs(kind: KindFigures) -> Iterator[str]:
    for estimate in (kind.false_cut_offs_pct, kind.paused_cut_offs_pct):
        text = said(estimate)
        yield text if estimate.value is None else f"{text} %"


def _calls_line(level: LevelFigures) -> str:
    calls = level.calls
    parts = [
        f"{calls.placed} calls: {calls.done} done, {calls.diverged} diverged",
        f"{calls.refused} refused, {calls.failed} failed",
    ]
    if calls.judged:
        parts.append(f"{calls.as_expected} of {calls.judged} came to the script's outcome")
    parts.append(f"{level.all.utterances} utterances, {level.all.unanswered} unanswered")
    if level.all.gaps_left_out:
        parts.append(f"{level.all.gaps_left_out} answers to what was cut off left out of the gaps")
    if calls.without_log:
        parts.append(f"{calls.without_log} calls without a log")
    if level.set_aside:
        parts.append(f"{level.set_aside} outside of full load left out")
    return "; ".join(parts)


def _machine_line(level: LevelFigures) -> str:
    frames = level.frames
    parts = [
        f"frames {percent(frames.missing_pct)} missing",
        f"{percent(frames.late_pct)} late (worst {frames.worst_late_ms:g} ms)",
    ]
    if frames.dropped is not None:
        parts.append(f"{frames.dropped} dropped by the agent")
    parts.append(f"the callers' own packets {percent(frames.own_late_pct)} late")
    if level.busy is not None:
        busy = level.busy
        parts.append(
            f"cores busy: appliance {busy.appliance:g}, callers {busy.callers:g}, "
            f"others {busy.others:g} of {busy.cores}"
        )
    if level.cores_per_call is not None:
        parts.append(f"{100 * level.cores_per_call:.1f}% of a core a call")
    return "; ".join(parts)


def _barge_in_line(document: Document) -> str:
    found = document.barge_in
    assert found is not None
    false = ", ".join(
        f"{kind} {said(share)}% of {found.by_kind.get(kind, 0)}"
        for kind, share in found.false_stops_pct.items()
    )
    stop = found.stop_ms
    return (
        f"barge-in, {found.trials} trials, {found.failed} more failed: "
        f"stop p50 {said(stop.p50)}, p95 {said(stop.p95)} ms; "
        f"{found.not_stopped} not stopped; false stops: {false or '–'}"
    )
