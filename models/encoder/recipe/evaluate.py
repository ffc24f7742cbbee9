"""Judges encoders by the questions to the sample documents, with vectors alone, and by their speed.

    python -m models.encoder.recipe.evaluate models/encoder OTHER_FOLDER …

The first folder is what the vectors of the others are compared with.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from appliance.knowledge.chunks import chunk
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.extraction import extract

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "appliance/samples/documents"
QUESTIONS = ROOT / "tests/knowledge/document_questions.yaml"


@dataclass(frozen=True)
class Passages:
    """The samples' passages: names, texts, and sentences under their heading."""

    names: list[str]
    wholes: list[str]
    sentences: list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    passages = read_passages()
    questions = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    first = None
    for folder in given.folders:
        encoder = SentenceEncoder(folder)
        size = (folder / "encoder.onnx").stat().st_size / 1e6
        wholes = np.stack([encoder.encode(text) for text in passages.wholes])
        same = (
            ""
            if first is None
            else f", mean cosine with the first {(wholes * first).sum(1).mean():.4f}"
        )
        first = wholes if first is None else first
        print(f"{folder}: {size:.1f} MB{same}")
        judge(encoder, wholes, passages, questions)
        print_speed(encoder, questions)


def read_passages() -> Passages:
    passages = Passages([], [], [])
    for path in sorted(SAMPLES.iterdir()):
        document = extract(path.name, path.read_bytes())
        for each in chunk(document):
            passages.names.append(f"{path.name}#{each.headings[-1] if each.headings else ''}")
            parts = (document.title, each.heading, each.text)
            passages.wholes.append(". ".join(part for part in parts if part))
            above = each.heading or document.title
            passages.sentences.append([f"{above}: {sentence}" for sentence in each.sentences])
    return passages


def judge(
    encoder: SentenceEncoder, wholes: np.ndarray, passages: Passages, questions: dict
) -> None:
    """As `appliance.knowledge.fusion.closeness` without words."""
    single = [np.stack([encoder.encode(text) for text in each]) for each in passages.sentences]
    for part, asked in questions.items():
        places = []
        for name, texts in asked["answered"].items():
            for text in texts:
                vector = encoder.encode(text)
                best = np.array([(each @ vector).max() for each in single])
                order = np.argsort(-(wholes @ vector + best))
                places.append([passages.names[index] for index in order].index(name) + 1)
        found = np.array(places)
        print(f"  {part}: accuracy@1 {np.mean(found == 1):.3f}, recall@3 {np.mean(found <= 3):.3f},"
              f" MRR {np.mean(1 / found):.3f} ({len(found)} questions)")  # fmt: skip


def print_speed(encoder: SentenceEncoder, questions: dict) -> None:
    texts = [
        text for part in questions.values() for texts in part["answered"].values() for text in texts
    ]
    times = []
    for text in texts * 3:
        begin = time.perf_counter()
        encoder.encode(text)
        times.append((time.perf_counter() - begin) * 1000)
    print(f"  a question, one thread: p50 {np.quantile(times, 0.5):.1f} ms,"
          f" p95 {np.quantile(times, 0.95):.1f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
