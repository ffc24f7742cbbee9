"""The card's tables for the judge of onsets; `end_report` fills them in with its own."""

from __future__ import annotations

from typing import Any

Figures = dict[str, Any]
_HUMS = ("hums: speakers", "hums: formulas", "hums: engines")
_WITHIN = ("within 3", "within 4", "within 5", "within 8", "within 12", "within 30")


def onsets(figures: Figures) -> list[str]:
    """False stops against delay: the limits that ship, and the same limit all the time."""
    rows = [
        (
            "| line | stops at | hums of speakers | by formula | of engines | coughs, keys, taps |"
            " words: 80 ms | 100 ms | 120 ms | 180 ms | 260 ms | 620 ms |"
        ),
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line, points in figures["lines"].items():
        for point, row in points.items():
            groups = (row[group] for group in (*_HUMS, "noises"))
            stopped = " | ".join(f"{each['stopped']} of {each['n']}" for each in groups)
            words = " | ".join(f"{row['words'][within]:.0%}" for within in _WITHIN)
            name = "**as it ships**" if point == "shipped" else point
            rows.append(f"| {line} | {name} | {stopped} | {words} |")
    return rows
