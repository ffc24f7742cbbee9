"""From calls to the figures of one level of load.

    CallReport… + Logged… + Busy -> LevelFigures

An utterance counts while at least `STEADY` of the level's calls were up at its end; those from
when the first came and the last were left are set aside, and their number is told.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from appliance.testing.latency.agent_logs import PARTS, Logged
from appliance.testing.latency.estimates import Percentiles, percentiles, share_pct
from appliance.testing.latency.levels import CallCounts, FrameFigures, KindFigures, LevelFigures
from appliance.testing.latency.observed import CallReport
from appliance.testing.latency.processor import Busy

STEADY = 0.75


@dataclass(frozen=True, slots=True)
class Case:
    """One utterance with all that is known of it."""

    call: int
    script: str
    kind: str
    paused: bool
    over_prompt: bool
    gap_ms: float | None
    cut_off: bool


@dataclass(frozen=True)
class Material:
    """What is known of a level; `logs` is None where the appliance is out of reach."""

    concurrency: int
    reports: Sequence[CallReport]
    logs: Mapping[int, Logged] | None = None
    busy: Sequence[Busy] = ()


def figure(material: Material) -> LevelFigures:
    """All figures of a level."""
    steady = Steady(material)
    cases = [case for report in material.reports for case in _cases(report, material, steady)]
    decisions = _decisions(material, steady)
    all_spoken = sum(len(report.utterances) for report in material.reports)
    busy = _together(material.busy)
    return LevelFigures(
        concurrency=material.concurrency,
        calls=_count(material),
        all=_of_kind(cases, decisions),
        kinds=_grouped(cases, decisions, lambda each: each.kind),
        flows=_grouped(cases, decisions, lambda each: each.script),
        parts_ms=_parts(decisions),
        gaps_ms=[round(gap_ms, 1) for _, gap_ms in _gaps(cases)],
        frames=_frames(material),
        answered_ms=percentiles([[r.answered_ms] for r in material.reports if r.answered_ms]),
        set_aside=all_spoken - len(cases),
        busy=busy,
        cores_per_call=_per_call(material.reports, busy),
        calls_up=_calls_up(material.reports, busy),
    )


class Steady:
    """Whether the level's load was there at a time."""

    def __init__(self, material: Material) -> None:
        self._up = [(each.connected_ns, each.ended_ns) for each in material.reports]
        self._least = math.ceil(STEADY * material.concurrency)

    def at(self, time_ns: int) -> bool:
        """Whether enough calls were up."""
        return sum(1 for start, end in self._up if start <= time_ns <= end) >= self._least


@dataclass(frozen=True, slots=True)
class Timed:
    """A decision with its call."""

    call: int
    script: str
    kind: str
    parts_ms: Mapping[str, float]


def _cases(report: CallReport, material: Material, steady: Steady) -> Iterable[Case]:
    logged = material.logs.get(report.number) if material.logs is not None else None
    for index, each in enumerate(report.utterances):
        if not steady.at(each.last_ns):
            continue
        cut_off = each.cut_off
        if logged is not None:
            cut_off = index in logged.cut_off or (cut_off and index not in logged.collided)
        yield Case(
            report.number, report.script, each.kind, each.pauses > 0, each.over_prompt,
            each.gap_ms, cut_off,
        )  # fmt: skip


def _decisions(material: Material, steady: Steady) -> list[Timed] | None:
    if material.logs is None:
        return None
    return [
        Timed(report.number, report.script, each.kind, each.parts_ms)
        for report in material.reports
        for each in material.logs.get(report.number, Logged()).decisions
        if steady.at(each.at_ns)
    ]


def _grouped(
    cases: Sequence[Case],
    decisions: Sequence[Timed] | None,
    key: Callable[[Case | Timed], str],
) -> dict[str, KindFigures]:
    names = sorted({key(case) for case in cases})
    return {
        name: _of_kind(
            [case for case in cases if key(case) == name],
            None if decisions is None else [each for each in decisions if key(each) == name],
        )
        for name in names
    }


def _of_kind(cases: Sequence[Case], decisions: Sequence[Timed] | None) -> KindFigures:
    plain = [case for case in cases if not case.over_prompt]
    paused = [case for case in plain if case.paused]
    return KindFigures(
        response_gap_ms=percentiles(_by_call(_gaps(cases))),
        decision_ms=None
        if decisions is None
        else percentiles(_by_call((d.call, d.parts_ms["decision_ms"]) for d in decisions)),
        false_cut_offs_pct=share_pct(_hits(plain)),
        paused_cut_offs_pct=share_pct(_hits(paused)),
        utterances=len(cases),
        with_pauses=len(paused),
        unanswered=sum(1 for case in plain if case.gap_ms is None and not case.cut_off),
        gaps_left_out=sum(1 for case in cases if case.gap_ms is not None and case.cut_off),
    )


def _gaps(cases: Iterable[Case]) -> list[tuple[int, float]]:
    """By call. An answer that began too early is none: what was cut off is left out."""
    return [
        (case.call, case.gap_ms) for case in cases if case.gap_ms is not None and not case.cut_off
    ]


def _hits(cases: Iterable[Case]) -> list[tuple[int, int]]:
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for case in cases:
        counts[case.call][0] += case.cut_off
        counts[case.call][1] += 1
    return [(hits, all_) for hits, all_ in counts.values()]


def _by_call(pairs: Iterable[tuple[int, float]]) -> list[list[float]]:
    grouped: dict[int, list[float]] = defaultdict(list)
    for call, value in pairs:
        grouped[call].append(value)
    return list(grouped.values())


def _parts(decisions: Sequence[Timed] | None) -> dict[str, Percentiles] | None:
    if decisions is None:
        return None
    return {
        part: percentiles(_by_call((each.call, each.parts_ms[part]) for each in decisions))
        for part in PARTS
    }


def _count(material: Material) -> CallCounts:
    reports = material.reports
    fates = [report.outcome for report in reports]
    judged = as_expected = without_log = None
    if material.logs is not None:
        without_log = sum(1 for r in reports if r.connected_ns and r.number not in material.logs)
        known = [
            (report.expect, material.logs[report.number].outcome)
            for report in reports
            if report.expect and report.number in material.logs
        ]
        judged, as_expected = len(known), sum(1 for wanted, came in known if wanted == came)
    return CallCounts(
        placed=len(reports),
        done=fates.count("done"),
        diverged=fates.count("diverged"),
        refused=fates.count("refused"),
        failed=fates.count("failed"),
        as_expected=as_expected,
        judged=judged,
        without_log=without_log,
    )


def _frames(material: Material) -> FrameFigures:
    frames = [report.frames for report in material.reports]
    received = sum(each.received for each in frames)
    missing, late = sum(each.missing for each in frames), sum(each.late for each in frames)
    sent, own = sum(each.sent for each in frames), sum(each.own_late for each in frames)
    dropped = None
    if material.logs is not None:
        dropped = sum(each.dropped_frames for each in material.logs.values())
    return FrameFigures(
        received=received,
        missing_pct=_percent(missing, received + missing),
        late_pct=_percent(late, received),
        worst_late_ms=max((each.worst_late_ms for each in frames), default=0.0),
        dropped=dropped,
        own_late_pct=_percent(own, sent),
        own_worst_late_ms=max((each.own_worst_late_ms for each in frames), default=0.0),
    )


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 3) if whole else None


def _together(busy: Sequence[Busy]) -> Busy | None:
    """Sittings one after another, weighted by their length."""
    seconds = sum(each.seconds for each in busy)
    if not seconds:
        return None
    shares = {
        name: round(sum(getattr(each, name) * each.seconds for each in busy) / seconds, 3)
        for name in ("appliance", "callers", "others")
    }
    memory = [each.memory_mb for each in busy if each.memory_mb is not None]
    return Busy(
        seconds=round(seconds, 1),
        cores=busy[0].cores,
        memory_mb=max(memory, default=None),
        **shares,
    )


def _calls_up(reports: Sequence[CallReport], busy: Busy | None) -> float | None:
    """Calls that were up, on average over the measured time."""
    return round(sum(each.seconds for each in reports) / busy.seconds, 2) if busy else None


def _per_call(reports: Sequence[CallReport], busy: Busy | None) -> float | None:
    """Cores that the appliance used for each call that was up."""
    up = _calls_up(reports, busy)
    return round(busy.appliance / up, 4) if busy and up else None
