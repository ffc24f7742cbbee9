"""A call as a picture: who spoke when, the pauses, and how fast each answer was decided.

    Timeline (values, milliseconds from the start) -> draw_timeline -> one HTML file

The file stands alone: inline SVG and CSS, no script, nothing fetched; it can be attached to a
ticket. The same facts stand in a table below the picture, for readers who cannot see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from appliance.testing.gaps import Interval, response_gaps
from appliance.testing.timeline_page import PAGE, Drawing

Lane = Literal["caller", "appliance"]

ROW_S = 15
"""Seconds in one row of the picture."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Speech of one side. `label` is the caller's words, or the ids of the prompts."""

    lane: Lane
    start_ms: float
    end_ms: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision: when its first audio went out, how long it took, and its parts in words."""

    at_ms: float
    decision_ms: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """One call. `facts` are short label/value pairs for the head, e.g. ("outcome", "ptp_set")."""

    title: str
    duration_ms: float
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def write_timeline(path: Path, timeline: Timeline) -> None:
    """Write the picture as one HTML file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(draw_timeline(timeline), encoding="utf-8")


def draw_timeline(timeline: Timeline) -> str:
    """The picture as an HTML document."""
    rows = max(1, -(-int(timeline.duration_ms) // (ROW_S * 1000)))
    drawing = Drawing(rows, ROW_S, timeline.duration_ms)
    gaps = response_gaps(_lane(timeline, "caller"), _lane(timeline, "appliance"))
    for start_ms, end_ms in gaps:
        drawing.gap(start_ms, end_ms)
    for bar in timeline.bars:
        drawing.bar(bar.lane, (bar.start_ms, bar.end_ms), bar.label)
    for mark in timeline.marks:
        drawing.mark(mark.at_ms, mark.decision_ms, mark.detail)
    ordered = sorted(timeline.bars, key=lambda bar: bar.start_ms)
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in timeline.facts
    )
    return PAGE.substitute(
        title=escape(timeline.title),
        facts=facts,
        picture=drawing.svg(escape(timeline.title), escape(_describe(timeline, gaps))),
        rows="\n".join(_table_row(timeline, bar, gaps) for bar in ordered),
    )


def _lane(timeline: Timeline, lane: Lane) -> list[Interval]:
    return sorted((bar.start_ms, bar.end_ms) for bar in timeline.bars if bar.lane == lane)


def _describe(timeline: Timeline, gaps: Sequence[Interval]) -> str:
    """The picture in a sentence, for screen readers."""
    said, heard = len(_lane(timeline, "caller")), len(_lane(timeline, "appliance"))
    longest_ms = max((end - start for start, end in gaps), default=0.0)
    longest = f" Longest silence before an answer: {longest_ms:.0f} ms." if gaps else ""
    return (
        f"Timeline of {timeline.duration_ms / 1000:.1f} seconds. The caller speaks {said} times, "
        f"the appliance {heard} times.{longest} The table below lists each of them."
    )


def _table_row(timeline: Timeline, bar: Bar, gaps: Sequence[Interval]) -> str:
    """One stretch of speech in words."""
    waited, mark = "", None
    for start_ms, end_ms in gaps:
        if bar.lane == "appliance" and end_ms == bar.start_ms:
            waited = f"{end_ms - start_ms:.0f} ms"
            mark = next((m for m in timeline.marks if start_ms <= m.at_ms <= bar.end_ms), None)
    cells = (
        f'<td class="n">{bar.start_ms / 1000:.2f} s</td>',
        f'<td><span class="who {bar.lane}">{bar.lane}</span></td>',
        f"<td>{escape(bar.label)}</td>",
        f'<td class="n">{(bar.end_ms - bar.start_ms) / 1000:.2f} s</td>',
        f'<td class="n">{waited}</td>',
        f'<td class="n">{f"{mark.decision_ms:.1f} ms" if mark else ""}</td>',
        f"<td>{escape(mark.detail) if mark else ''}</td>",
    )
    return f"<tr>{''.join(cells)}</tr>"
