"""The drawing and the page of `timeline.py`: coordinates, SVG elements, colours."""

from __future__ import annotations

from html import escape
from string import Template

WIDTH, LEFT, RIGHT = 1160, 92, 20
ROW_HEIGHT = 136
_CALLER_Y, _APPLIANCE_Y, _BAR = 36, 80, 24
_BETWEEN_Y = 74
_LETTER = 6.4
"""Mean width of a letter of the labels, in pixels: for cutting, not for exact fitting."""


class Drawing:
    """Collects the SVG elements of a call, wrapped into rows like a musical score."""

    def __init__(self, rows: int, row_s: int, duration_ms: float) -> None:
        self._rows = rows
        self._row_ms = row_s * 1000
        self._duration_ms = duration_ms
        self._parts: list[str] = []
        self._label_ends: dict[tuple[str, int], float] = {}
        for row in range(rows):
            self._axis(row)

    def svg(self, title: str, description: str) -> str:
        """The picture; `title` and `description` are escaped already."""
        height = self._rows * ROW_HEIGHT
        body = "\n".join(self._parts)
        return (
            f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="tl-t tl-d">'
            f'<title id="tl-t">{title}</title><desc id="tl-d">{description}</desc>\n{body}\n</svg>'
        )

    def bar(self, lane: str, span_ms: tuple[float, float], label: str) -> None:
        """Speech of a lane, cut where a row ends; the label stands at its first piece."""
        y = _CALLER_Y if lane == "caller" else _APPLIANCE_Y
        hover = f"{lane}, {span_ms[0] / 1000:.2f} to {span_ms[1] / 1000:.2f} s"
        title = f"<title>{escape(f'{hover}: {label}' if label else hover)}</title>"
        for index, (row, start, end) in enumerate(self._pieces(*span_ms)):
            top = row * ROW_HEIGHT + y
            self._parts.append(
                f'<rect class="{lane}" x="{start:.1f}" y="{top}" width="{max(end - start, 2):.1f}" '
                f'height="{_BAR}" rx="4">{title}</rect>'
            )
            if index == 0 and label:
                self._label(lane, row, start, label)

    def gap(self, start_ms: float, end_ms: float) -> None:
        """The silence before an answer, with its length to the left."""
        for index, (row, start, end) in enumerate(self._pieces(start_ms, end_ms)):
            top = row * ROW_HEIGHT
            self._parts.append(
                f'<rect class="gap" x="{start:.1f}" y="{top + _CALLER_Y}" '
                f'width="{max(end - start, 1):.1f}" height="{_APPLIANCE_Y + _BAR - _CALLER_Y}">'
                f"<title>{end_ms - start_ms:.0f} ms until the answer</title></rect>"
            )
            if index == 0:
                self._parts.append(
                    f'<text class="gaptext" x="{start - 5:.1f}" y="{top + _BETWEEN_Y}" '
                    f'text-anchor="end">{end_ms - start_ms:.0f} ms</text>'
                )

    def mark(self, at_ms: float, decision_ms: float, detail: str) -> None:
        """A decision: a diamond where its first audio went out, with its time to the right."""
        row, x = self._place(at_ms)
        y = row * ROW_HEIGHT + _BETWEEN_Y - 4
        points = f"{x:.1f},{y - 5} {x + 5:.1f},{y} {x:.1f},{y + 5} {x - 5:.1f},{y}"
        title = escape(detail or f"decided in {decision_ms:.1f} ms")
        self._parts.append(
            f'<g class="mark"><title>{title}</title><polygon points="{points}"/>'
            f'<text x="{x + 9:.1f}" y="{y + 4}">{decision_ms:.1f} ms</text></g>'
        )

    def _axis(self, row: int) -> None:
        """Lane names and a tick each second of one row."""
        top = row * ROW_HEIGHT
        for lane, y in (("caller", _CALLER_Y), ("appliance", _APPLIANCE_Y)):
            middle = top + y + _BAR / 2
            self._parts.append(
                f'<text class="lane" x="{LEFT - 12}" y="{middle + 4}" text-anchor="end">'
                f"{lane}</text>"
            )
        last_ms = min((row + 1) * self._row_ms, max(self._duration_ms, row * self._row_ms + 1000))
        for lane, y in (("caller", _CALLER_Y), ("appliance", _APPLIANCE_Y)):
            self._parts.append(
                f'<rect class="track {lane}-track" x="{LEFT}" y="{top + y}" '
                f'width="{self._x(last_ms, row) - LEFT:.1f}" height="{_BAR}" rx="4"/>'
            )
        for second in range(row * self._row_ms // 1000, int(last_ms // 1000) + 1):
            x = self._x(second * 1000, row)
            major = second % 5 == 0
            self._parts.append(
                f'<line class="tick{" major" if major else ""}" x1="{x:.1f}" x2="{x:.1f}" '
                f'y1="{top + _CALLER_Y - 4}" y2="{top + _APPLIANCE_Y + _BAR + 4}"/>'
            )
            if major:
                self._parts.append(
                    f'<text class="second" x="{x:.1f}" y="{top + 12}" text-anchor="middle">'
                    f"{second} s</text>"
                )

    def _label(self, lane: str, row: int, start: float, label: str) -> None:
        """Words over the caller's bars, prompt ids under the appliance's; never on each other."""
        left = max(start, self._label_ends.get((lane, row), 0.0))
        room = int((WIDTH - left) / _LETTER)
        shown = label if len(label) <= room else f"{label[: max(room - 1, 0)]}…"
        if len(shown) < 4 and shown != label:
            return
        self._label_ends[lane, row] = left + len(shown) * _LETTER + 10
        y = row * ROW_HEIGHT + (_CALLER_Y - 8 if lane == "caller" else _APPLIANCE_Y + _BAR + 16)
        self._parts.append(
            f'<text class="said {lane}-text" x="{left:.1f}" y="{y}">{escape(shown)}</text>'
        )

    def _pieces(self, start_ms: float, end_ms: float) -> list[tuple[int, float, float]]:
        """Row, left and right of each piece of a span."""
        pieces = []
        first = self._place(start_ms)[0]
        last = self._place(max(start_ms, end_ms - 0.001))[0]
        for row in range(first, last + 1):
            left_ms = max(start_ms, row * self._row_ms)
            right_ms = min(end_ms, (row + 1) * self._row_ms)
            pieces.append((row, self._x(left_ms, row), self._x(right_ms, row)))
        return pieces

    def _place(self, at_ms: float) -> tuple[int, float]:
        row = min(max(int(at_ms // self._row_ms), 0), self._rows - 1)
        return row, self._x(at_ms, row)

    def _x(self, at_ms: float, row: int) -> float:
        share = (at_ms - row * self._row_ms) / self._row_ms
        return LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT)


PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #ffffff; --ink: #1c1b1a; --soft: #5d5a55; --rule: #e3dfd8;
  --caller: #2456b8; --caller-track: #edf1fa; --appliance: #0b6b5d; --appliance-track: #e8f3f0;
  --gap: #f3c04b; --gap-ink: #7a4d00; --mark: #a1195b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161719; --card: #1e2023; --ink: #ecebe8; --soft: #a9a6a0; --rule: #34373c;
    --caller: #7ea6f4; --caller-track: #232a38; --appliance: #55c2ab; --appliance-track: #1f2f2d;
    --gap: #8a661a; --gap-ink: #f0c766; --mark: #f48bb8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 48px; }
h1 { font-size: 1.35rem; font-weight: 650; margin: 0 0 14px; }
dl { display: flex; flex-wrap: wrap; gap: 10px 34px; margin: 0 0 22px; }
dt { color: var(--soft); font-size: .82rem; }
dd { margin: 0; font-size: 1.05rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 14px 16px; overflow-x: auto; }
svg { display: block; width: 100%; min-width: 880px; height: auto;
  font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.caller { fill: var(--caller); } .appliance { fill: var(--appliance); }
.caller-track { fill: var(--caller-track); } .appliance-track { fill: var(--appliance-track); }
.tick { stroke: var(--rule); stroke-width: 1; opacity: .7; }
.tick.major { stroke: var(--soft); opacity: .45; }
.second { fill: var(--soft); font-size: 11px; }
.lane { fill: var(--soft); font-weight: 600; }
.said { font-size: 12px; } .caller-text { fill: var(--caller); }
.appliance-text { fill: var(--appliance); }
.gap { fill: var(--gap); opacity: .55; } .gaptext { fill: var(--gap-ink); font-size: 11px; }
.mark polygon { fill: var(--mark); } .mark text { fill: var(--mark); font-size: 11px; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 24px; margin: 12px 2px 26px; padding: 0;
  list-style: none; color: var(--soft); font-size: .86rem; }
.legend i { display: inline-block; width: 14px; height: 11px; border-radius: 3px;
  margin-right: 7px; vertical-align: -1px; }
.legend .diamond { width: 9px; height: 9px; border-radius: 0; transform: rotate(45deg);
  margin-right: 9px; vertical-align: 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 8px; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.who { background: none; font-weight: 600; } .who.caller { color: var(--caller); }
.who.appliance { color: var(--appliance); }
@media print { body { background: #fff; } .card { border: 0; padding: 0; } }
</style>
</head>
<body>
<main>
<h1>$title</h1>
<dl>$facts</dl>
<div class="card">
$picture
</div>
<ul class="legend">
<li><i style="background:var(--caller)"></i>caller speaks</li>
<li><i style="background:var(--appliance)"></i>appliance speaks</li>
<li><i style="background:var(--gap)"></i>silence before an answer, on the wire</li>
<li><i class="diamond" style="background:var(--mark)"></i>decision: end of turn detected to
first audio</li>
</ul>
<div class="card">
<table>
<caption>The call, one stretch of speech a line</caption>
<thead><tr><th class="n">at</th><th>who</th><th>words or prompts</th><th class="n">length</th>
<th class="n">gap before</th><th class="n">decision</th><th>its parts</th></tr></thead>
<tbody>
$rows
</tbody>
</table>
</div>
</main>
</body>
</html>
""")
