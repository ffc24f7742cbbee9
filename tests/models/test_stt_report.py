from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.cards import fill
from models.stt.recipe.report import TABLES

FIGURES = Path(__file__).parents[2] / "models" / "stt"


def rate(value: float) -> dict[str, Any]:
    return {"value": value, "low": value / 2, "high": min(1.0, value * 2), "count": 60}


def row(wer: float) -> dict[str, Any]:
    return {"utterances": 60, "wer": rate(wer), "exact": rate(1 - wer)}


@pytest.fixture
def figures() -> dict[str, Any]:
    levels = {"clean": row(0.01), "20 dB": row(0.05), "10 dB": row(0.1), "5 dB": row(0.4)}
    return {
        "model": {"folder": "en", "sha256": "ab" * 32},
        "language": "en",
        "machine": {"cpu": "a processor", "cores": 2, "load_1min": 0.1},
        "targets": [
            {"name": "unseen", "wanted": "WER ≤ 8%", "reached": 0.05, "interval": [0.04, 0.06],
             "kept": True},
            {"name": "final", "wanted": "≤ 30 ms CPU", "reached": 31.24, "interval": None,
             "kept": False},
        ],
        "sets": {
            "open": {"lines": levels | {"GSM, 20 dB": row(0.07)}, "voices": {"flite": row(0.06)}},
            "real-books": {"lines": levels},
        },
        "pooled": levels,
        "slots": {"yes_no": {level: rate(0.9) for level in levels}},
        "zip": {level: {"first": rate(0.9), "confirmed": rate(0.98)} for level in levels},
        "confusions": {"open": [["five", "nine", 3], ["a", "", 2]]},
        "confidence": {"expected_error": 0.021, "threshold": 0.25, "acted_on": 0.93,
                       "bins": [{"count": 9, "confidence": 0.95, "exact": 0.91}]},
        "quiet": {"all": {"clips": 360, "with_text": 0, "acted_on": 0}},
        "speed": {"seconds": 3.0, "utterances": 80, "cpu_ms_p50": 12.0, "cpu_ms_p95": 15.5},
        "yardstick": {"open": {"theirs": row(0.8), "ours": row(0.05)}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("targets", "| unseen | WER ≤ 8% | 5.0% | 4.0%–6.0% | kept |"),
        ("targets", "| final | ≤ 30 ms CPU | 31.2 ms |  | **missed** |"),
        ("levels", "| unseen sentences | 60 | 1.0 (0–2); 99 | 5.0 (2–10); 95 | 10.0 (5–20); 90 |"),
        ("lines", "| GSM, 20 dB | 7.0 (4–14); 93 |"),
        ("voices", "| unseen sentences | 6.0 (3–12); 94 |"),
        ("slots", "| yes no | 60 | 90.0 (45–100) |"),
        ("slots", "| the same, one retry | 60 | 98.0"),
        ("yardstick", "| unseen sentences | 60 | 80.0 (40–100); 20 | 5.0 (2–10); 95 |"),
        ("quiet", "| all | 360 | 0 | 0 |"),
        ("errors", "five → nine (3), a → ∅ (2)"),
        ("confidence", "| from 0.9 | 9 | 0.95 | 0.91 |"),
        ("machine", "95th percentile 15.5 ms"),
    ],
)
def test_tables_hold_the_figures(figures: dict[str, Any], name: str, wanted: str) -> None:
    card = f"before\n<!-- figures: {name} en -->\nstale\n<!-- end -->\nafter\n"
    made = fill(card, TABLES, {"en": figures})
    assert wanted in made
    assert "stale" not in made
    assert made.startswith("before\n")
    assert made.endswith("after\n")
    assert fill(made, TABLES, {"en": figures}) == made


def test_a_language_without_figures_is_left_alone(figures: dict[str, Any]) -> None:
    card = "<!-- figures: targets es -->\nstale\n<!-- end -->\n"
    assert fill(card, TABLES, {"en": figures}) == card


def test_no_such_table(figures: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no table 'tabels'"):
        fill("<!-- figures: tabels en -->\n<!-- end -->\n", TABLES, {"en": figures})


@pytest.mark.parametrize("path", sorted(FIGURES.glob("figures.*.json")), ids=lambda p: p.stem)
def test_the_card_says_what_the_figures_say(path: Path) -> None:
    figures = json.loads(path.read_text(encoding="utf-8"))
    card = (FIGURES / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert fill(card, TABLES, {figures["language"]: figures}) == card
