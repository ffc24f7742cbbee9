"""The page of `scripts/bench_endpointing.py`: false cut-offs over dead air, a plot a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from appliance.testing.latency.charts import Dot, Frame, Series, line_chart

_STYLES = {"fixed": "s1", "by state": "s2", "by state and sound": "s3"}
_LONGEST_MS = 1200.0
_CSS = """
:root { --s1: #b5482a; --s2: #2a6fb5; --s3: #2a8a4a; --ink: #222; --rule: #ccc; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); margin: 2rem auto; max-width: 62rem;
  padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--ink); }
.axis, .grid { stroke: var(--rule); }
.line { fill: none; stroke-width: 2; } .dot { stroke-width: 1; }
.line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); } .line.s3 { stroke: var(--s3); }
.dot.s1 { fill: var(--s1); } .dot.s2 { fill: var(--s2); } .dot.s3 { fill: var(--s3); }
.s1 { color: var(--s1); } .s2 { color: var(--s2); } .s3 { color: var(--s3); }
"""


def page(figures: Mapping[str, Any]) -> str:
    """One self-contained page of HTML."""
    noise = figures["snr_db"]
    line = "a quiet line" if noise is None else f"noise {noise:g} dB below the speech"
    legend = ", ".join(f'<b class="{style}">{name}</b>' for name, style in _STYLES.items())
    plots = [_plot(name, found) for name, found in figures["curves"].items()]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>End of turn</title>'
        f"<style>{_CSS}</style><h1>End of turn</h1>"
        f"<p>{figures['replies']} replies, {figures['hesitating']} made with a pause inside;"
        f" {line}. Up is bad (callers cut off), right is bad (they wait). Each dot is one setting:"
        f" a fixed pause, or the shipped waits times a factor. {legend}.</p>"
        f"<main>{''.join(plots)}</main></html>\n"
    )


def _plot(name: str, found: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    most = max(each["cut_off"] for points in found.values() for each in points)
    frame = Frame(
        title=f"False cut-offs over dead air: {name}",
        x_title="dead air p50, ms",
        y_title="replies cut off, %",
        x_most=_LONGEST_MS,
        y_most=max(5.0, 105 * most),
        unit="%",
    )
    series = [
        Series(
            policy, _STYLES[policy], [Dot(p["dead_air_p50_ms"], 100 * p["cut_off"]) for p in points]
        )
        for policy, points in found.items()
    ]
    count = next(iter(found.values()))[0]["replies"]
    caption = escape(f"{name} ({count:g} replies)")
    return f"<figure><figcaption>{caption}</figcaption>{line_chart(frame, series)}</figure>"
