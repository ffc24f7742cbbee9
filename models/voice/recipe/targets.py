"""What a voice has to reach, held against its figures."""

from __future__ import annotations

from typing import Any

Figures = dict[str, Any]

LEAST_PESQ, LEAST_STOI = 3.3, 0.95
MOST_REAL_TIME = 0.02
SPREAD_WITHIN = 0.2
RISING = 0.9


def targets(figures: Figures) -> list[dict[str, Any]]:
    """Every target whose measurement is there: name, wanted, reached (as text), kept."""
    found: list[dict[str, Any]] = []

    def add(name: str, wanted: str, reached: str, kept: bool) -> None:
        found.append({"name": name, "wanted": wanted, "reached": reached, "kept": bool(kept)})

    factor = figures["speed"]["real_time_factor"]
    add("real-time factor, one thread", f"≤ {MOST_REAL_TIME}", f"{factor:.4f}",
        factor <= MOST_REAL_TIME)  # fmt: skip
    if copy := figures.get("copy"):
        pesq, stoi = copy["pesq"]["mean"], copy["stoi"]["mean"]
        name = "copy synthesis, telephone band"
        add(f"PESQ, {name}", f"≥ {LEAST_PESQ}", f"{pesq:.2f}", pesq >= LEAST_PESQ)
        add(f"STOI, {name}", f"≥ {LEAST_STOI}", f"{stoi:.3f}", stoi >= LEAST_STOI)
    ratio = figures["pitch"]["voice"]["spread_st"] / figures["pitch"]["recordings"]["spread_st"]
    add("spread of pitch over that of the recordings", "0.8–1.2", f"{ratio:.2f}",
        abs(ratio - 1) <= SPREAD_WITHIN)  # fmt: skip
    rising = figures["questions"]["yes_no"]["rising"]
    add("yes/no questions that rise", f"≥ {RISING:.0%}", f"{rising:.0%}", rising >= RISING)
    for who, bands in figures["words"].items():
        row = bands["telephone"]
        for other in ("recordings", "originals"):
            if other in row:
                voice, real = row["voice"]["value"], row[other]["value"]
                add(f"word errors, {who}, telephone", f"≤ the {other}' {real:.1%}",
                    f"{voice:.1%}", voice <= real)  # fmt: skip
    return found
