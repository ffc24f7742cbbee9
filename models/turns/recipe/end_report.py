"""Fills the tables of the card for the judge of ends and the voice detector.

    python -m models.turns.recipe.end_report models/turns/MODEL_CARD.md \\
        models/turns/figures.end.json models/turns/figures.voice.json [--check]
"""

from __future__ import annotations

from typing import Any

from models import cards

from .onset_report import onsets

Figures = dict[str, Any]


def ends(figures: Figures) -> list[str]:
    """How well pauses are told from ends, by corpus."""
    rows = [
        "| held-out speakers of | pauses inside | ends | area under the curve |",
        "|---|---:|---:|---:|",
    ]
    for name, each in figures["corpora"].items():
        area = "–" if each["auc"] is None else f"{each['auc']:.2f}"
        rows.append(f"| {name} | {each['inside']} | {each['ends']} | {area} |")
    rows.append(f"| **all** | {figures['inside']} | {figures['ends']} | **{figures['auc']:.2f}** |")
    rows.append(f"| only pauses over 200 ms | | | {figures['auc_pauses_over_200_ms']:.2f} |")
    return rows


def voices(figures: Figures) -> list[str]:
    """The voice detectors by noise level."""
    rows = [
        (
            "| speech over noise | detector | end heard late, p50 / p90 | pauses in mid-word"
            " a second, 100 ms / 180 ms | noise taken for speech | no end found |"
        ),
        "|---|---|---:|---:|---:|---:|",
    ]
    for snr, ways in figures["by_snr_db"].items():
        for name, each in ways.items():
            rows.append(
                f"| {snr} dB | {name} | {each['late_p50_ms']:.0f} / {each['late_p90_ms']:.0f} ms |"
                f" {each['pauses_100_ms_a_s']:.2f} / {each['pauses_180_ms_a_s']:.2f} |"
                f" {each['noise_taken']:.1%} | {each['endless']:.1%} |"
            )
    return rows


if __name__ == "__main__":
    cards.run(__doc__, {"ends": ends, "voices": voices, "onsets": onsets}, "judge")
