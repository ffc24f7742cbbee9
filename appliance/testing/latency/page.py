"""The report as one HTML file with its plots inside; needs no network to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from appliance.testing.latency.charts import (
    Dot,
    Frame,
    Series,
    interval_rows,
    line_chart,
    step_chart,
)
from appliance.testing.latency.document import Document
from appliance.testing.latency.estimates import Percentiles
from appliance.testing.latency.levels import LevelFigures
from appliance.testing.latency.page_tables import level_tables, verdict_card
from appliance.testing.latency.page_template import METHOD, PAGE

_STYLES = ("s1", "s2", "s3", "s4")
_ROOM = 1.12
"""Axes end a little beyond the largest figure."""


def write_page(path: Path, document: Document) -> None:
    """Write the report."""
    path.write_text(render_page(document), encoding="utf-8")


def render_page(document: Document) -> str:
    """The whole page."""
    title = "Latency of real calls"
    return PAGE.substitute(
        title=title,
        facts="".join(
            f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in _facts(document)
        ),
        verdict=verdict_card(document),
        plots="\n".join(_plots(document)),
        tables=level_tables(document),
        method=escape(METHOD),
    )


def _facts(document: Document) -> list[tuple[str, str]]:
    plan, where = document.plan, document.machine
    levels = ", ".join(str(level.concurrency) for level in document.levels)
    facts = [
        ("measured", document.made.strftime("%Y-%m-%d %H:%M UTC")),
        ("machine", f"{where['cpu']}, {where['cores']} cores"),
        ("load before / after", f"{document.load_before} / {where['load_1min']}"),
        ("flows", ", ".join(plan.flows)),
        ("calls at once", levels or "–"),
        ("calls", str(sum(level.calls.placed for level in document.levels))),
        ("warm-up, left out", f"{plan.warm_up} a flow"),
        (
            "admission",
            "lifted" if plan.admit_all else "as shipped" if not plan.far else "the box's",
        ),
    ]
    return [*facts, ("called", plan.far)] if plan.far else facts


def _plots(document: Document) -> list[str]:
    levels = document.levels
    if not levels or not any(level.gaps_ms for level in levels):
        return [_card("No answers", "Nothing was measured.", "")]
    plots = [_gap_distribution(levels), _kinds(levels[-1], document), _cut_offs(levels[-1])]
    if levels[-1].parts_ms:
        plots.append(_parts(levels[-1]))
    if len(levels) > 1:
        plots += _over_load(document)
    return plots


def _gap_distribution(levels: Sequence[LevelFigures]) -> str:
    chosen = _spread([level for level in levels if level.gaps_ms], len(_STYLES))
    names = [f"{level.concurrency} at once" for level in chosen]
    most = max(level.all.response_gap_ms.p99.value or 0 for level in chosen) * _ROOM
    frame = Frame(
        "Response gaps", "response gap, ms", "% of the answers so soon", max(most, 100), 100
    )
    plot = step_chart(
        frame,
        [(n, s, each.gaps_ms) for n, s, each in zip(names, _STYLES, chosen, strict=False)],
    )
    note = "How many answers came within a time; the steeper and the further left, the better."
    return _card("Response gap", note, plot, list(zip(_STYLES, names, strict=False)))


def _kinds(level: LevelFigures, document: Document) -> str:
    rows = [
        (f"{name} ({kind.response_gap_ms.n})", _dots(kind.response_gap_ms))
        for name, kind in level.kinds.items()
        if kind.response_gap_ms.n
    ]
    rows.append((f"all ({level.all.response_gap_ms.n})", _dots(level.all.response_gap_ms)))
    plot = interval_rows("Response gap by kind", rows, _most(dots for _, dots in rows), "ms")
    limit = document.sla.limits(level.concurrency).response_gap_ms
    wanted = ", ".join(f"{p} {v:g}" for p in ("p50", "p95") if (v := getattr(limit, p)))
    note = f"{level.concurrency} at once; answers in brackets" + (
        f"; limits: {wanted}" if wanted else ""
    )
    return _card("Response gap by what was asked", note, plot, [("s1", "p50"), ("s3", "p95")])


def _cut_offs(level: LevelFigures) -> str:
    rows = []
    most = 5.0
    for name, kind in [*level.kinds.items(), ("all", level.all)]:
        dots = []
        for style, share in (("s4", kind.paused_cut_offs_pct), ("s3", kind.false_cut_offs_pct)):
            if share.value is not None:
                dots.append((style, Dot(share.value, 0, share.low, share.high)))
                most = max(most, share.high or share.value)
        rows.append((f"{name} ({kind.utterances})", dots))
    plot = interval_rows("False cut-offs", rows, min(most * _ROOM, 100), "%")
    note = f"{level.concurrency} at once; utterances in brackets"
    legend = [("s3", "all utterances"), ("s4", "only those with a pause inside")]
    return _card("False cut-offs by what was asked", note, plot, legend)


def _parts(level: LevelFigures) -> str:
    assert level.parts_ms is not None
    rows = [(name.removesuffix("_ms"), _dots(found)) for name, found in level.parts_ms.items()]
    plot = interval_rows("Parts of a turn", rows, _most(dots for _, dots in rows), "ms")
    note = (
        f"{level.concurrency} at once, from the agent's logs. endpoint: last sound to turn over; "
        "recognition and understanding mostly run within it; decision: turn over to first audio."
    )
    return _card("Parts of a turn", note, plot, [("s1", "p50"), ("s3", "p95")])


def _over_load(document: Document) -> list[str]:
    levels = document.levels
    plots = [
        _load_chart("Response gap over calls at once", document, "response_gap_ms", ("p50", "p95"))
    ]
    if any(level.all.decision_ms for level in levels):
        plots.append(
            _load_chart("Decision over calls at once", document, "decision_ms", ("p95", "p99"))
        )
    if any(level.busy for level in levels):
        plots.append(_busy_chart(levels))
    return plots


def _load_chart(title: str, document: Document, what: str, percents: Sequence[str]) -> str:
    series = []
    for style, percent in zip(("s1", "s3"), percents, strict=True):
        found = [(level.concurrency, getattr(level.all, what)) for level in document.levels]
        dots = [
            Dot(calls, estimate.value, estimate.low, estimate.high)
            for calls, each in found
            if each is not None and (estimate := getattr(each, percent)).value is not None
        ]
        series.append(Series(percent, style, dots))
    last = document.levels[-1].concurrency
    limits = [
        (f"limit {percent}", limit)
        for percent in percents
        if (limit := getattr(getattr(document.sla.limits(last), what), percent)) is not None
    ]
    tops = [dot.high or dot.y for each in series for dot in each.dots]
    most = max([*tops, *(limit for _, limit in limits)], default=1.0)
    frame = Frame(
        title, "calls at once", "ms", last, most * _ROOM,
        [level.concurrency for level in document.levels], limits,
    )  # fmt: skip
    note = f"Limits as at {last} calls." if limits else "95% intervals."
    return _card(
        title, note, line_chart(frame, series), list(zip(("s1", "s3"), percents, strict=True))
    )


def _busy_chart(levels: Sequence[LevelFigures]) -> str:
    measured = [(level.concurrency, level.busy) for level in levels if level.busy is not None]
    names = (("s1", "appliance"), ("s2", "callers"), ("s4", "others"))
    series = [
        Series(name, style, [Dot(calls, getattr(busy, name)) for calls, busy in measured])
        for style, name in names
    ]
    cores = measured[0][1].cores
    frame = Frame(
        "Cores busy", "calls at once", "cores busy", levels[-1].concurrency, cores * _ROOM,
        [level.concurrency for level in levels], [(f"{cores} cores", float(cores))], unit="cores",
    )  # fmt: skip
    note = "Who used the processor; callers and others take from what the appliance has."
    return _card("Processor over calls at once", note, line_chart(frame, series), list(names))


def _card(title: str, note: str, plot: str, legend: Sequence[tuple[str, str]] = ()) -> str:
    keys = "".join(f'<li><i class="{style}"></i>{escape(name)}</li>' for style, name in legend)
    below = f'<ul class="legend">{keys}</ul>' if keys else ""
    return (
        f'<section class="card"><h2>{escape(title)}</h2><p class="note">{escape(note)}</p>'
        f"{plot}{below}</section>"
    )


def _dots(found: Percentiles) -> list[tuple[str, Dot]]:
    return [
        (style, Dot(estimate.value, 0, estimate.low, estimate.high))
        for style, estimate in (("s1", found.p50), ("s3", found.p95))
        if estimate.value is not None
    ]


def _most(rows: Iterable[Sequence[tuple[str, Dot]]]) -> float:
    tops = [dot.high or dot.x for dots in rows for _, dot in dots]
    return max(max(tops, default=1.0) * _ROOM, 1.0)


def _spread(levels: Sequence[LevelFigures], count: int) -> list[LevelFigures]:
    """At most `count` of them: the first, the last, and some between."""
    if len(levels) <= count:
        return list(levels)
    return [levels[round(at * (len(levels) - 1) / (count - 1))] for at in range(count)]
