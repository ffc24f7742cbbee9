"""Prints the tables of the model card from the figures that `evaluate` wrote.

python -m models.stt.recipe.report models/stt/figures.json models/stt/figures-harsh.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

_VOICES = {"known": "known voices", "flite": "flite slt", "espeak": "other espeak-ng"}
_KINDS = {
    "zip": "ZIP codes",
    "digits": "numbers of 1-16 digits",
    "yesno": "yes and no (known forms)",
    "date": "dates",
    "amount": "sums of money",
    "name": "names",
    "call": "caller phrases",
    "callers": "more caller phrases",
    "general": "general sentences",
}
_COLUMNS = "decoder WER | search WER | exact"
Figures = dict[str, Any]


def synthetic_table(figures: Figures) -> list[str]:
    """Word error rates of decoder and search, and exact sentences, by kind and voice set."""
    lines = [
        "| % | " + " | ".join(f"{name}: {_COLUMNS}" for name in _VOICES.values()) + " |",
        "|---|" + "---:|---:|---:|" * len(_VOICES),
    ]
    for kind, name in _KINDS.items():
        rows = [figures["sets"].get(f"{voice}/{kind}") for voice in _VOICES]
        if any(rows):
            lines.append(f"| {name} | " + " | ".join(_cells(row) for row in rows) + " |")
    return lines


def real_table(figures: Figures) -> list[str]:
    """The held-out real speakers."""
    lines = [f"| % | utterances | {_COLUMNS} |", "|---|---:|---:|---:|---:|"]
    lines += [
        f"| {name.removeprefix('real/')} | {row['utterances']} | {_cells(row)} |"
        for name, row in figures["sets"].items()
        if name.startswith("real/")
    ]
    return lines


def _cells(row: Figures | None) -> str:
    if row is None:
        return " | | "
    return f"{row['wer']} | {row.get('search_wer', '')} | {row.get('search_exact', '')}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path, nargs="+")
    for path in parser.parse_args().figures:
        figures = json.loads(path.read_text())
        print(f"{path.name}\n")
        print("\n".join([*synthetic_table(figures), "", *real_table(figures), ""]))
        print(f"words heard in calls without speech: {figures['false_words_percent']}%")
        print(f"CPU: {figures['cpu']}\n")


if __name__ == "__main__":
    main()
