"""How well approved answers are found, and how long that and the detection of transfers takes.

    .venv/bin/python scripts/bench_knowledge.py

Questions: tests/knowledge/questions.yaml. Utterances: tests/flows/transfers.yaml.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from appliance.flows.registry import read_flow
from appliance.flows.renovation.personas import PERSONAS
from appliance.flows.renovation.transfers import TransferReader
from appliance.knowledge.ranking import THRESHOLD, Index

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the figures."""
    passages = read_flow("renovation").passages["en"]
    index = Index(passages.values())
    questions = _read("tests/knowledge/questions.yaml")
    print(f"{len(passages)} passages, threshold {THRESHOLD}")
    for part, asked in questions.items():
        _print_part(part, asked, index)
    _print_times(index, questions)


def _print_part(part: str, asked: dict[str, Any], index: Index) -> None:
    wanted = [(name, text) for name, texts in asked["answered"].items() for text in texts]
    found = [(name, text, index.best(text)) for name, text in wanted]
    hits = sum(match is not None and match.passage.id == name for name, _, match in found)
    refused = [text for text in asked["unanswered"] if index.best(text) is None]
    print(f"{part}: hit@1 {hits} of {len(wanted)}, refused {len(refused)} of "
          f"{len(asked['unanswered'])} that are off topic")  # fmt: skip
    for name, text, match in found:
        if match is None or match.passage.id != name:
            got = f"{match.passage.id} {match.score:.2f}" if match else "nothing"
            print(f"    {text!r}: {got}, not {name}")
    for text in asked["unanswered"]:
        match = index.best(text)
        if match:
            print(f"    {text!r}: {match.passage.id} {match.score:.2f}, not nothing")


def _print_times(index: Index, questions: dict[str, Any]) -> None:
    asked = [text for part in questions.values() for text in part["unanswered"]]
    asked += [t for part in questions.values() for ts in part["answered"].values() for t in ts]
    reader = TransferReader(PERSONAS)
    said = [text for row in _read("tests/flows/transfers.yaml") for text in row["says"]]
    for what, times in (
        ("an answer", list(_times(index.best, asked))),
        ("a transfer", list(_times(lambda text: reader.read(text, "bob"), said))),
    ):
        print(f"{what}: median {median(times):.3f} ms, longest {max(times):.3f} ms "
              f"({len(times)} texts, best of five each)")  # fmt: skip


def _times(work: Callable[[str], object], texts: list[str]) -> Iterator[float]:
    """Milliseconds for each text: the best of five runs, so that other load counts less."""
    for text in texts:
        runs = []
        for _ in range(5):
            start = time.perf_counter()
            work(text)
            runs.append((time.perf_counter() - start) * 1000)
        yield min(runs)


def _read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
