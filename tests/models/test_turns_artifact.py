"""The judges of turns: as they were written down, and as their card says."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from models import cards
from models.turns.recipe import end_report

FOLDER = Path(__file__).parents[2] / "models" / "turns"
LARGEST = 300_000


def test_checksums() -> None:
    listed = dict(
        reversed(line.split("  ", 1))
        for line in (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    )
    files = {path.name for path in FOLDER.glob("*.npz")}
    assert files <= listed.keys()
    for name, digest in listed.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest, name


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.npz")) < LARGEST


@pytest.mark.parametrize(
    ("name", "key"), [("ends", "end"), ("voices", "voice"), ("onsets", "onset")]
)
def test_the_card_has_the_measured_figures(name: str, key: str) -> None:
    figures = json.loads((FOLDER / f"figures.{key}.json").read_text(encoding="utf-8"))
    card = (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")
    tables = {
        "ends": end_report.ends,
        "voices": end_report.voices,
        "onsets": end_report.onsets,
    }
    assert cards.fill(card, tables, {key: figures}) == card
    assert tables[name](figures)[2] in card


@pytest.mark.parametrize(
    ("file", "told"), [("end.npz", 17_000), ("voice.npz", 3_100), ("onset.npz", 21_500)]
)
def test_the_card_counts_the_parameters(file: str, told: int) -> None:
    with np.load(FOLDER / file) as stored:
        count = sum(stored[name].size for name in stored.files)
    assert count == pytest.approx(told, rel=0.03)
    card = (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")
    row = next(line for line in card.splitlines() if line.startswith(f"| `{file}`"))
    assert re.search(rf"\b{told:,}\b", row)
