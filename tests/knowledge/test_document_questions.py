"""How well the sample documents answer; `scripts/bench_retrieval.py` prints all figures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.clock import SystemClock
from appliance.dialogue.templates import count_sentences
from appliance.knowledge.chunks import chunk
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.extraction import extract
from appliance.sections import DocumentsConfig
from appliance.session.indexing import Indexer
from appliance.session.library import Library
from appliance.store.database import Database
from appliance.store.documents import DocumentStore

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "appliance/samples/documents"
QUESTIONS: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "document_questions.yaml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    config = DocumentsConfig(
        store=tmp_path_factory.mktemp("index") / "x.sqlite", encoder=ROOT / "models/encoder"
    )
    database = Database(config.store)
    encoder = SentenceEncoder(config.encoder)
    Indexer(DocumentStore(database), encoder, SystemClock()).add([SAMPLES], lambda _: None)
    database.close()
    library = Library(config)
    yield library
    library.close()


def asked(part: str) -> list[tuple[str, str]]:
    return [(text, name) for name, texts in QUESTIONS[part]["answered"].items() for text in texts]


def test_the_set_is_large_and_names_passages_that_are_there() -> None:
    names = {
        f"{path.name}#{each.headings[-1]}"
        for path in SAMPLES.iterdir()
        for each in chunk(extract(path.name, path.read_bytes()))
        if each.headings
    }
    questions = [row for part in QUESTIONS for row in asked(part)]
    assert {name for _, name in questions} <= names
    assert len({text for text, _ in questions}) == len(questions) >= 80
    assert sum(len(part["off_topic"]) for part in QUESTIONS.values()) >= 30
    # measured: see docs/documents.md; near misses are not gated


@pytest.mark.parametrize(
    ("part", "first", "third", "answered"), [("tune", 39, 46, 43), ("test", 65, 73, 76)]
)
def test_answers_are_found(
    library: Library, part: str, first: int, third: int, answered: int
) -> None:
    """A little under what was measured: 41, 47 and 44 of 47; 67, 75 and 78 of 84."""
    places = []
    for text, name in asked(part):
        ranked = [
            f"{each.passage.document}#{each.passage.heading.split(' > ')[-1]}"
            for each in library.rank(text)[:3]
        ]
        places.append(ranked.index(name) if name in ranked else 3)
    assert sum(place == 0 for place in places) >= first
    assert sum(place < 3 for place in places) >= third
    assert sum(bool(library.search(text, 1)) for text, _ in asked(part)) >= answered


@pytest.mark.parametrize(("part", "refused"), [("tune", 18), ("test", 30)])
def test_questions_about_something_else_find_nothing(
    library: Library, part: str, refused: int
) -> None:
    """Measured: 18 of 18, and 31 of 32."""
    texts = QUESTIONS[part]["off_topic"]
    assert sum(not library.search(text) for text in texts) >= refused


def test_excerpts_are_whole_sentences_of_their_document_and_short(library: Library) -> None:
    texts = {
        path.name: [each.text for each in chunk(extract(path.name, path.read_bytes()))]
        for path in SAMPLES.iterdir()
    }
    for part in QUESTIONS:
        for text, _ in asked(part):
            for excerpt in library.search(text):
                assert any(excerpt.text in each for each in texts[excerpt.document])
                assert excerpt.text[-1] in ".?!"
                assert count_sentences(excerpt.text) <= 3
                assert 0.5 <= excerpt.score <= 1


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how long does the review take", "five to ten business days"),
        ("when is payday", "every Friday"),
        ("can my brother be my reference", "Family members and friends cannot be references."),
        ("is it too late to withdraw i already accepted the offer", "is not possible"),
        ("is my lunch break paid", "Breaks of thirty minutes or more are not paid."),
        ("how much do i get for referring a friend", "two hundred fifty dollars"),
        ("do i need a doctor's note", "note from a doctor"),
    ],
)
def test_the_quote_has_the_answer(library: Library, question: str, said: str) -> None:
    assert said in library.search(question)[0].text
