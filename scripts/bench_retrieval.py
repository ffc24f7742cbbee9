"""How well the documents answer questions, how often nothing is found, and how long a search takes.

    .venv/bin/python scripts/bench_retrieval.py [--banking FILE] [--clinc FILE] [--missed]

Without options: the sample documents with tests/knowledge/document_questions.yaml. With the public
sets (the files of their authors, as they are):
  --banking  train.csv of BANKING77 (PolyAI-LDN/task-specific-datasets on GitHub, CC BY 4.0): its
             10,003 questions as passages; every tenth asks, and what has the same intent answers.
  --clinc    data_full.json of CLINC150 (clinc/oos-eval on GitHub, CC BY 3.0): its out-of-scope
             questions, put to the sample documents, should find nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from appliance.clock import SystemClock
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.fusion import match_expression
from appliance.sections import DocumentsConfig
from appliance.session.indexing import Indexer
from appliance.session.library import Library
from appliance.store.database import Database
from appliance.store.document_search import FoundPassage, VectorIndex, packed
from appliance.store.documents import DocumentStore, Passage, StoredDocument

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "appliance/samples/documents"
QUESTIONS = ROOT / "tests/knowledge/document_questions.yaml"

_RANK_MIDDLE = 60  # of reciprocal ranks, as in Cormack et al. 2009
_DEPTH = 100


@dataclass(frozen=True)
class Asked:
    """A question with the names of what answers it."""

    question: str
    answers: frozenset[str]


class Bench:
    """An index, with the ways of ranking that are compared."""

    def __init__(self, store: Path) -> None:
        config = DocumentsConfig(store=store, encoder=ROOT / "models/encoder")
        self.library = Library(config)
        self.encoder = SentenceEncoder(config.encoder)
        self.database = Database(store)
        self.index = VectorIndex(self.database, self.encoder.identity, self.encoder.width)

    def rankings(self, question: str, name: Callable[[FoundPassage], str]) -> dict[str, list[str]]:
        """By way of ranking, the names of the passages, best first."""
        vector = self.encoder.encode(question)
        with self.index.searching() as search:
            ids, likeness = search.likeness(vector)
            words = search.words(match_expression(question), _DEPTH)
            likely = ids[np.argsort(-likeness)[:_DEPTH]].tolist()
            found = {each.id: each for each in search.passages([*likely, *words])}
        near = dict(zip(ids.tolist(), likeness.tolist(), strict=True))
        meant = {
            number: (near[number] + float((each.sentence_vectors @ vector).max())) / 2
            for number, each in found.items()
        }
        by_words = sorted(words, key=lambda number: -words[number])
        by_meaning = sorted(meant, key=lambda number: -meant[number])
        ranks = dict.fromkeys(found, 0.0)
        for ranked in (by_words, by_meaning):
            for place, number in enumerate(ranked, 1):
                ranks[number] += 1 / (_RANK_MIDDLE + place)
        fused = [each.passage for each in self.library.rank(question)]
        return {
            "words (FTS5 bm25)": [name(found[number]) for number in by_words],
            "meaning (vectors)": [name(found[number]) for number in by_meaning],
            "reciprocal ranks": [name(found[n]) for n in sorted(ranks, key=lambda n: -ranks[n])],
            "as shipped": [name(each) for each in fused],
        }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--banking", type=Path)
    parser.add_argument("--clinc", type=Path)
    parser.add_argument("--missed", action="store_true", help="name the questions that fail")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = _samples(Path(folder))
        questions = yaml.safe_load(QUESTIONS.read_text("utf-8"))
        for part, asked in questions.items():
            _print_part(part, asked, bench, given.missed)
        if given.clinc:
            _print_clinc(given.clinc, bench, given.missed)
        texts = [each.question for part in questions.values() for each in _asked(part)]
        _print_times("the samples", bench, texts)
        if given.banking:
            _print_banking(given.banking, Path(folder) / "banking.sqlite")


def _samples(folder: Path) -> Bench:
    store = folder / "samples.sqlite"
    database = Database(store)
    encoder = SentenceEncoder(ROOT / "models/encoder")
    begin = time.perf_counter()
    Indexer(DocumentStore(database), encoder, SystemClock()).add([SAMPLES], lambda _: None)
    took = time.perf_counter() - begin
    documents = DocumentStore(database).all()
    passages = sum(each.passages for each in documents)
    print(f"samples: {len(documents)} documents, {passages} passages, indexed in {took:.1f} s")
    database.close()
    return Bench(store)


def _asked(part: Mapping[str, Any]) -> list[Asked]:
    return [
        Asked(question, frozenset(name.split(" | ")))
        for name, questions in part["answered"].items()
        for question in questions
    ]


def _name(passage: FoundPassage) -> str:
    return f"{passage.document}#{passage.heading.split(' > ')[-1]}"


def _print_part(part: str, given: Mapping[str, Any], bench: Bench, missed: bool) -> None:
    asked = _asked(given)
    print(f"\n{part}: {len(asked)} questions")
    _print_ranks(bench, asked, _name)
    answered = [each for each in asked if bench.library.search(each.question, 1)]
    print(f"  answered at all: {len(answered)} of {len(asked)}")
    for kind in ("off_topic", "near"):
        found = {text: bench.library.search(text, 1) for text in given[kind]}
        refused = sum(not each for each in found.values())
        print(f"  {kind}: {refused} of {len(found)} find nothing")
        if missed:
            for text, excerpts in found.items():
                if excerpts:
                    print(f"    {text!r}: {excerpts[0].score:.2f} {excerpts[0].text!r}")
    if missed:
        for each in asked:
            best = bench.library.search(each.question, 1, 0.0)[0]
            got = f"{best.document}#{best.heading.split(' > ')[-1]}"
            if got not in each.answers or each not in answered:
                print(f"    {each.question!r}: {best.score:.2f} {got}")


def _print_clinc(file: Path, bench: Bench, missed: bool) -> None:
    stored = json.loads(file.read_text("utf-8"))
    texts = [
        row[0] for name, rows in sorted(stored.items()) if name.startswith("oos") for row in rows
    ]
    found = {text: bench.library.search(text, 1) for text in texts}
    wrong = {text: each for text, each in found.items() if each}
    print(f"\nCLINC150 out of scope, to the samples: {len(found) - len(wrong)} of {len(found)}"
          " find nothing")  # fmt: skip
    if missed:
        for text, excerpts in wrong.items():
            print(f"    {text!r}: {excerpts[0].score:.2f} {excerpts[0].text!r}")


def _print_banking(file: Path, store: Path) -> None:
    with file.open(encoding="utf-8", newline="") as rows:
        texts = [(row["text"], row["category"]) for row in csv.DictReader(rows)]
    kept = [each for number, each in enumerate(texts) if number % 10]
    asked = [Asked(text, frozenset([intent])) for text, intent in texts[::10]]
    begin = time.perf_counter()
    _store_questions(kept, store)
    took = time.perf_counter() - begin
    print(f"\nBANKING77: {len(kept)} passages indexed in {took:.0f} s; {len(asked)} questions")
    bench = Bench(store)
    _print_ranks(bench, asked, lambda passage: passage.document)
    _print_times(f"{len(kept)} passages", bench, [each.question for each in asked[:300]])


def _store_questions(texts: Iterable[tuple[str, str]], path: Path) -> None:
    """Each intent as a document whose passages are its questions."""
    database = Database(path)
    store, encoder = DocumentStore(database), SentenceEncoder(ROOT / "models/encoder")
    by_intent: dict[str, list[Passage]] = {}
    for text, intent in texts:
        vector = packed(encoder.encode(text))
        by_intent.setdefault(intent, []).append(Passage("", (text,), vector, vector))
    for intent, passages in by_intent.items():
        document = StoredDocument(
            "/", intent, intent, 0, 0, "", encoder.identity, datetime.now(UTC)
        )
        store.put(document, passages)
    database.close()


def _print_ranks(bench: Bench, asked: Sequence[Asked], name: Callable[[FoundPassage], str]) -> None:
    results: dict[str, list[list[bool]]] = {}
    for each in asked:
        for way, names in bench.rankings(each.question, name).items():
            results.setdefault(way, []).append([one in each.answers for one in names])
    print(f"  {'':20} accuracy@1  recall@3  recall@5    MRR  nDCG@10")
    for way, hits in results.items():
        first = [next((place for place, hit in enumerate(row, 1) if hit), math.inf) for row in hits]
        shares = [sum(place <= depth for place in first) / len(first) for depth in (1, 3, 5)]
        mrr = sum(1 / place for place in first) / len(first)
        gain = sum(map(_ndcg, hits)) / len(hits)
        print(f"  {way:20} {shares[0]:10.3f} {shares[1]:9.3f} {shares[2]:9.3f} {mrr:6.3f}"
              f" {gain:8.3f}")  # fmt: skip


def _ndcg(hits: Sequence[bool]) -> float:
    """nDCG@10 with relevance 0 or 1, against the best order of what was ranked."""

    def gain(row: Sequence[bool]) -> float:
        return sum(1 / math.log2(place + 1) for place, hit in enumerate(row[:10], 1) if hit)

    best = gain(sorted(hits, reverse=True))
    return gain(hits) / best if best else 0.0


def _print_times(what: str, bench: Bench, texts: Sequence[str]) -> None:
    for text in texts[:10]:
        bench.library.search(text)
    times = []
    for text in texts:
        begin = time.perf_counter()
        bench.library.search(text)
        times.append((time.perf_counter() - begin) * 1000)
    print(f"a search in {what}: p50 {np.quantile(times, 0.5):.1f} ms, p95"
          f" {np.quantile(times, 0.95):.1f} ms ({len(times)} searches, one thread)")  # fmt: skip


if __name__ == "__main__":
    main()
