"""Plots of the report as SVG text: lines over the number of calls, distributions, intervals.

Every shape has its figure as a tooltip (<title>); colours are the page's classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 14, 44
_ROW = 26
_LABELS = 96
_APART = 6
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Dot:
    """A point with its interval; `low`..`high` None where there is none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """Points joined by a line. `style` is one of the page's classes s1 .. s4."""

    name: str
    style: str
    dots: Sequence[Dot]


@dataclass(frozen=True)
class Frame:
    """A plot's axes: titles, ranges from 0, marks on x (None: round numbers), a limit line."""

    title: str
    x_title: str
    y_title: str
    x_most: float
    y_most: float
    x_marks: Sequence[float] | None = None
    limits: Sequence[tuple[str, float]] = ()
    unit: str = "ms"

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return _LEFT + min(value / self.x_most, 1.0) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return HEIGHT - _BOTTOM - min(value / self.y_most, 1.0) * (HEIGHT - _TOP - _BOTTOM)


def line_chart(frame: Frame, series: Sequence[Series]) -> str:
    """Lines with dots and whiskers."""
    parts = _axes(frame)
    for each in series:
        points = " ".join(f"{frame.x(d.x):.1f},{frame.y(d.y):.1f}" for d in each.dots)
        parts.append(f'<polyline class="line {each.style}" points="{points}"/>')
        for dot in each.dots:
            parts += _dot(frame, each, dot)
    return _svg(frame.title, HEIGHT, parts)


def step_chart(frame: Frame, series: Sequence[tuple[str, str, Sequence[float]]]) -> str:
    """Distributions: (name, style, values); how many percent of the values are at most x."""
    parts = _axes(frame)
    for name, style, values in series:
        ordered = sorted(values)
        path = [f"M{frame.x(0):.1f} {frame.y(0):.1f}"]
        for index, value in enumerate(ordered, 1):
            path.append(f"H{frame.x(value):.1f}V{frame.y(100 * index / len(ordered)):.1f}")
        title = f"<title>{escape(name)}: {len(ordered)} values</title>"
        parts.append(f'<path class="line {style}" d="{"".join(path)}">{title}</path>')
    return _svg(frame.title, HEIGHT, parts)


def interval_rows(
    title: str, rows: Sequence[tuple[str, Sequence[tuple[str, Dot]]]], most: float, unit: str
) -> str:
    """A row a name; on each, dots (style, x) with horizontal whiskers from `low` to `high`.

    Those of one row stand a little above each other, so that whiskers do not hide each other.
    """
    height = _TOP + _ROW * len(rows) + _BOTTOM
    room = WIDTH - _LABELS - _RIGHT
    parts = []

    def place(value: float) -> float:
        return _LABELS + min(value / most, 1.0) * room

    for mark in marks(most):
        x, bottom = place(mark), height - _BOTTOM
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="mark" x="{x:.1f}" y="{bottom + 16}">{mark:g}</text>')
    for index, (name, dots) in enumerate(rows):
        middle_y = _TOP + _ROW * (index + 0.5)
        parts.append(
            f'<text class="row" x="{_LABELS - 8}" y="{middle_y + 4:.1f}">{escape(name)}</text>'
        )
        for place_in_row, (style, dot) in enumerate(dots):
            y = middle_y + _APART * (place_in_row - (len(dots) - 1) / 2)
            told = _told(dot.x, dot.low, dot.high, unit)
            shape = f'<circle cx="{place(dot.x):.1f}" cy="{y:.1f}" r="4.5"/>'
            if dot.low is not None and dot.high is not None:
                ends = f'x1="{place(dot.low):.1f}" x2="{place(dot.high):.1f}"'
                shape += f'<line {ends} y1="{y:.1f}" y2="{y:.1f}"/>'
            parts.append(f'<g class="dot {style}"><title>{escape(told)}</title>{shape}</g>')
    middle = _LABELS + room / 2
    parts.append(f'<text class="axis" x="{middle:.0f}" y="{height - 8}">{escape(unit)}</text>')
    return _svg(title, height, parts)


def marks(most: float) -> list[float]:
    """Round numbers from 0 up to `most`, four to eight of them."""
    rough = most / 6
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(each * magnitude for each in _STEPS if each * magnitude >= rough)
    return [round(index * step, 6) for index in range(int(most / step + 1e-9) + 1)]


def _axes(frame: Frame) -> list[str]:
    left, right, bottom = _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM
    parts = []
    for mark in marks(frame.y_most):
        y = frame.y(mark)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="mark end" x="{left - 7}" y="{y + 4:.1f}">{mark:g}</text>')
    for mark in frame.x_marks if frame.x_marks is not None else marks(frame.x_most):
        x = frame.x(mark)
        parts.append(
            f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
        )
        parts.append(f'<text class="mark" x="{x:.1f}" y="{bottom + 17}">{mark:g}</text>')
    for name, limit in frame.limits:
        y = frame.y(limit)
        parts.append(f'<line class="limit" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="limit-text" x="{right}" y="{y - 4:.1f}">{escape(name)}</text>')
    middle_x, middle_y = (left + right) / 2, (_TOP + bottom) / 2
    parts.append(
        f'<text class="axis" x="{middle_x:.0f}" y="{HEIGHT - 8}">{escape(frame.x_title)}</text>'
        f'<text class="axis" transform="translate(13 {middle_y:.0f}) rotate(-90)">'
        f"{escape(frame.y_title)}</text>"
    )
    return parts


def _dot(frame: Frame, series: Series, dot: Dot) -> list[str]:
    x, y = frame.x(dot.x), frame.y(dot.y)
    told = f"{series.name} at {dot.x:g}: {_told(dot.y, dot.low, dot.high, frame.unit)}"
    shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    if dot.low is not None and dot.high is not None:
        ends = f'y1="{frame.y(dot.low):.1f}" y2="{frame.y(dot.high):.1f}"'
        shape += f'<line x1="{x:.1f}" x2="{x:.1f}" {ends}/>'
    return [f'<g class="dot {series.style}"><title>{escape(told)}</title>{shape}</g>']


def _told(value: float, low: float | None, high: float | None, unit: str) -> str:
    interval = "" if low is None or high is None else f" ({low:g} to {high:g})"
    return f"{value:g} {unit}{interval}"


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"\n{body}\n</svg>"
    )
