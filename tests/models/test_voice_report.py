"""The card of the voices: its tables hold the figures, the shipped card the shipped ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from models.cards import fill
from models.voice.recipe.report import TABLES

FOLDER = Path(__file__).resolve().parents[2] / "models/voice"
CARD = FOLDER / "MODEL_CARD.md"
SHIPPED = sorted(FOLDER.glob("figures.*.json"))


def row(value: float) -> dict[str, float]:
    return {"value": value, "low": value - 0.05, "high": value + 0.05}


def asked(count: int, rising: float, long: float, tail: float, over: float) -> dict[str, float]:
    return {
        "count": count, "rising": rising, "rising_long": long,
        "tail_st": tail, "over_statement_st": over,
    }  # fmt: skip


@pytest.fixture
def figures() -> dict[str, Any]:
    heard = {"recordings": row(0.3), "voice": row(0.25), "voice - recordings": row(-0.05)}
    return {
        "voice": "kathleen", "sha256": "cd" * 32, "megabytes": 21.44, "sentences": 40,
        "machine": {"cpu": "a processor", "cores": 2, "load_1min": 0.5},
        "targets": [
            {"name": "PESQ", "wanted": "≥ 3.3", "reached": "3.42", "kept": True},
            {"name": "STOI", "wanted": "≥ 0.95", "reached": "0.941", "kept": False},
        ],
        "speed": {"real_time_factor": 0.00912, "first_audio_ms": 27.4},
        "level": {"active_dbfs": -23.04, "active_spread_db": 0.84, "peak": 0.384},
        "length_over_recording": 1.042,
        "copy": {
            name: {"mean": 3.456, "least": 3.1, "count": 40}
            for name in ("pesq", "pesq_8k", "stoi", "stoi_8k", "stoi_16k")
        },
        "pitch": {
            "recordings": {"median_hz": 154.4, "spread_st": 2.85, "within_st": 2.7},
            "voice": {"median_hz": 158.0, "spread_st": 2.56, "within_st": 2.48},
        },
        "questions": {
            "yes_no": asked(20, 0.95, 0.6, 4.04, 8.2),
            "word": asked(10, 0.0, 0.0, -4.8, 0.0),
        },
        "words": {"pocketsphinx": {"wide": heard, "telephone": heard}, "ours": {"wide": heard}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("judged", "`kathleen.onnx` cdcdcdcdcdcdcdcd…, 21.4 MB, on 40 held-out sentences"),
        ("targets", "| PESQ | ≥ 3.3 | 3.42 | kept |"),
        ("targets", "| STOI | ≥ 0.95 | 0.941 | **missed** |"),
        ("sound", "| real-time factor (processor time) | 0.0091 |"),
        ("sound", "| processor time of a ten-word sentence | 27 ms |"),
        ("copy", "| 300–3400 Hz | 3.46 (3.10) | 3.456 (3.100) |"),
        ("copy", "| 0–8 kHz |  | 3.456 (3.100) |"),
        ("pitch", "| **the voice** | 158 Hz | 2.56 semitones | 2.48 semitones |"),
        ("pitch", "| yes or no | 20 | 95% | 60% | +4.0 semitones | +8.2 semitones |"),
        ("words", "| the recordings that it was trained on | 30.0 (25–35) | 30.0 (25–35) |"),
        ("words", "| the voice less the recordings that it was trained on | -5.0 (-10 to +0) |"),
    ],
)
def test_tables_hold_the_figures(figures: dict[str, Any], name: str, wanted: str) -> None:
    if name == "words":
        del figures["words"]["ours"]
    card = f"before\n<!-- figures: {name} kathleen -->\nstale\n<!-- end -->\nafter\n"
    made = fill(card, TABLES, {"kathleen": figures})
    assert wanted in made
    assert "stale" not in made
    assert fill(made, TABLES, {"kathleen": figures}) == made


def test_a_voice_without_copy_synthesis_says_so(figures: dict[str, Any]) -> None:
    del figures["copy"]
    assert TABLES["copy"](figures) == ["Not measured."]


def test_the_card_says_what_the_figures_say() -> None:
    read = [json.loads(path.read_text(encoding="utf-8")) for path in SHIPPED]
    card = CARD.read_text(encoding="utf-8")
    assert fill(card, TABLES, {each["voice"]: each for each in read}) == card


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_figures_are_of_the_shipped_file(path: Path) -> None:
    figures = json.loads(path.read_text(encoding="utf-8"))
    voice = FOLDER / figures["language"] / f"{figures['voice']}.onnx"
    assert hashlib.sha256(voice.read_bytes()).hexdigest() == figures["sha256"]


def test_every_shipped_voice_has_figures_and_a_picture() -> None:
    voices = {path.stem for path in FOLDER.glob("*/*.onnx")}
    assert voices == {json.loads(path.read_text("utf-8"))["voice"] for path in SHIPPED}
    card = CARD.read_text(encoding="utf-8")
    for voice in voices:
        assert f"](pictures/{voice}.png)" in card
        assert (FOLDER / "pictures" / f"{voice}.png").stat().st_size < 200_000
