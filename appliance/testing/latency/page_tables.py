"""The report's tables: each level's figures, the verdict on the SLA, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from appliance.testing.latency.document import Document
from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.levels import KindFigures, LevelFigures
from appliance.testing.latency.sla import Verdict
from appliance.testing.latency.tables import percent

_HEAD = (
    '<tr><th>{first}</th><th class="n">n</th><th class="n">p50</th><th class="n">p95</th>'
    '<th class="n">p99</th><th class="n"></th><th class="n"></th></tr>'
)
_GAP_HEAD = _HEAD.replace(
    '<th class="n"></th><th class="n"></th>',
    '<th class="n">cut off, %</th><th class="n">with a pause, %</th>',
)
_SHOWN_FAILURES = 40


def verdict_card(document: Document) -> str:
    """What the limits say, a column a level; and the first failures."""
    broken = bool(document.missed)
    head = "Limits missed" if broken else "All limits kept"
    if document.plan.ramp:
        head += f"; they hold up to {document.holds} calls at once"
        if document.ended:
            head += f" (not measured further: {escape(document.ended)})"
    levels = sorted(document.verdicts)
    rows = "".join(
        _limit_row(what, [_find(document.verdicts[level], what) for level in levels])
        for what in dict.fromkeys(v.what for level in levels for v in document.verdicts[level])
    )
    columns = "".join(f'<th class="n">{level}</th>' for level in levels)
    table = f"<table><tr><th>limit; calls at once:</th>{columns}</tr>{rows}</table>" if rows else ""
    trials = "".join(_limit_row(each.what, [each]) for each in document.barge_in_verdicts)
    table += f"<table>{trials}</table>" if trials else ""
    return (
        f'<section class="card wide verdict{" broken" if broken else ""}"><h2>{escape(head)}</h2>'
        f"{table}{_failures(document.failures)}</section>"
    )


def _failures(failures: Sequence[str]) -> str:
    shown = "".join(f"<li>{escape(line)}</li>" for line in failures[:_SHOWN_FAILURES])
    left = len(failures) - _SHOWN_FAILURES
    more = f"<li>and {left} more</li>" if left > 0 else ""
    head = '<p class="note">Calls that diverged, failed or were refused:</p>'
    return f'{head}<ul class="note">{shown}{more}</ul>' if failures else ""


def _find(verdicts: Sequence[Verdict], what: str) -> Verdict | None:
    return next((each for each in verdicts if each.what == what), None)


def _limit_row(what: str, verdicts: Sequence[Verdict | None]) -> str:
    """What was reached at each level; where a limit changes with the level, it stands at each."""
    limits = {each.limit for each in verdicts if each is not None}
    named = f"{what} at most {min(limits):g}" if len(limits) == 1 else what
    cells = "".join(_reached(verdict, len(limits) > 1) for verdict in verdicts)
    return f"<tr><td>{escape(named)}</td>{cells}</tr>"


def _reached(verdict: Verdict | None, with_limit: bool) -> str:
    if verdict is None:
        return '<td class="n">–</td>'
    style, sign = ("good", "✓") if verdict.kept else ("bad", "✗")
    reached = "not measured" if verdict.reached is None else f"{verdict.reached:g}"
    limit = f" <small>≤ {verdict.limit:g}</small>" if with_limit else ""
    return f'<td class="n {style}">{reached}{limit} {sign}</td>'


def level_tables(document: Document) -> str:
    """A card a level, the heaviest first; then the trials of barge-in."""
    cards = [_level_card(level) for level in reversed(document.levels)]
    if document.barge_in is not None:
        cards.append(_barge_in_card(document))
    return "\n".join(cards)


def _level_card(level: LevelFigures) -> str:
    rows = [_GAP_HEAD.format(first="response gap, ms")]
    rows += [_row(name, kind.response_gap_ms, kind) for name, kind in _kinds(level)]
    if level.all.decision_ms is not None:
        rows.append(_HEAD.format(first="decision, ms"))
        rows += [_row(name, kind.decision_ms) for name, kind in _kinds(level) if kind.decision_ms]
    rows.append(_GAP_HEAD.format(first="response gap by script, ms"))
    rows += [_row(name, kind.response_gap_ms, kind) for name, kind in level.flows.items()]
    if level.parts_ms:
        rows.append(_HEAD.format(first="parts, ms"))
        rows += [_row(name.removesuffix("_ms"), found) for name, found in level.parts_ms.items()]
    notes = "; ".join(_notes(level))
    return (
        f'<section class="card wide"><table><caption>{level.concurrency} calls at once</caption>'
        f'{"".join(rows)}</table><p class="note">{escape(notes)}</p></section>'
    )


def _kinds(level: LevelFigures) -> Iterator[tuple[str, KindFigures]]:
    yield "all", level.all
    yield from level.kinds.items()


def _row(name: str, found: Percentiles | None, kind: KindFigures | None = None) -> str:
    if found is None:
        return ""
    cells = [f"{found.n}", *(_cell(each) for each in (found.p50, found.p95, found.p99))]
    shares = (kind.false_cut_offs_pct, kind.paused_cut_offs_pct) if kind is not None else ()
    cells += [_cell(each) for each in shares] or ["", ""]
    right = "".join(f'<td class="n">{each}</td>' for each in cells)
    return f"<tr><td>{escape(name)}</td>{right}</tr>"


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    if estimate.low is None:
        return f"{estimate.value:g}"
    return f"{estimate.value:g} <small>{estimate.low:g}–{estimate.high:g}</small>"


def _notes(level: LevelFigures) -> Iterator[str]:
    calls, frames = level.calls, level.frames
    yield f"{calls.placed} calls, {calls.done} done, {calls.diverged} diverged from the script"
    yield f"{calls.refused} refused, {calls.failed} failed"
    if calls.judged:
        yield f"{calls.as_expected} of {calls.judged} came to the script's outcome"
    yield f"{level.all.utterances} utterances, {level.all.with_pauses} with a pause inside"
    yield f"{level.all.unanswered} unanswered, {level.set_aside} outside of full load left out"
    yield f"{level.all.gaps_left_out} answers to what was cut off left out of the gaps"
    if calls.without_log:
        yield f"{calls.without_log} calls without a log"
    yield (
        f"frames: {percent(frames.missing_pct)} missing, {percent(frames.late_pct)} more than "
        f"20 ms late, worst {frames.worst_late_ms:g} ms"
    )
    if frames.dropped is not None:
        yield f"{frames.dropped} frames of callers dropped by the agent"
    yield f"the callers' own packets: {percent(frames.own_late_pct)} more than 5 ms late"
    if level.busy is not None:
        busy = level.busy
        yield (
            f"cores busy: appliance {busy.appliance:g}, callers {busy.callers:g}, others "
            f"{busy.others:g} of {busy.cores}"
        )
        if busy.memory_mb is not None:
            yield f"memory {busy.memory_mb:g} MB"
    if level.cores_per_call is not None:
        yield f"{100 * level.cores_per_call:.1f}% of a core a call"


def _barge_in_card(document: Document) -> str:
    found = document.barge_in
    assert found is not None
    rows = [_HEAD.format(first="barge-in, ms"), _row("stop", found.stop_ms)]
    false = "; ".join(
        f"{kind}: {found.by_kind.get(kind, 0)} trials, "
        f"{'–' if share.value is None else f'{share.value:g}'}% stopped"
        for kind, share in found.false_stops_pct.items()
    )
    note = (
        f"{found.trials} trials, {found.failed} more failed, {found.not_stopped} not stopped. "
        f"Nobody wanted the floor: {false}"
    )
    return (
        '<section class="card wide"><table><caption>Barge-in, trials on real calls</caption>'
        f'{"".join(rows)}</table><p class="note">{escape(note)}</p></section>'
    )
