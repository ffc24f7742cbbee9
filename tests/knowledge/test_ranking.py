"""Which passage answers a question."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.dialogue.passages import Passage
from appliance.flows.registry import read_flow
from appliance.knowledge.ranking import Index, index_of

QUESTIONS: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "questions.yaml").read_text(encoding="utf-8")
)
PASSAGES = read_flow("renovation").passages["en"]


def passage(name: str, *questions: str, text: str = "Text.") -> Passage:
    return Passage(name, "topic", questions, text)


DECK = passage("deck", "do I need a permit for a deck", "permit to build a deck")
ROOF = passage("roof", "do I need a permit for a roof", text="Ask about shingles.")
COST = passage("cost", "what does a deck cost")


def test_the_likest_question_wins() -> None:
    index = Index([ROOF, COST, DECK])
    assert [match.passage.id for match in index.rank("permit for my deck")] == [
        "deck",
        "cost",
        "roof",
    ]


def test_a_question_of_the_passage_word_for_word_scores_one() -> None:
    best = Index([DECK, COST]).best("Do I need a permit for a deck?")
    assert best is not None
    assert (best.passage, best.score) == (DECK, 1.0)


@pytest.mark.parametrize("question", ["", "what do you think", "who won the game", "um"])
def test_what_no_passage_speaks_of_gets_none(question: str) -> None:
    assert Index([DECK, ROOF, COST]).best(question) is None


def test_words_that_nobody_has_make_a_question_another_one() -> None:
    index = Index([DECK, ROOF, COST])
    sure, far = index.rank("deck permit")[0], index.rank("deck permit zebra giraffe opera")[0]
    assert sure.passage == far.passage == DECK
    assert far.score < sure.score


def test_ties_go_by_name_whatever_the_order() -> None:
    same = [passage("b", "deck permit"), passage("a", "deck permit")]
    assert Index(same).rank("deck permit")[0].passage.id == "a"
    assert Index(reversed(same)).rank("deck permit")[0].passage.id == "a"


def test_the_text_of_a_passage_counts_too() -> None:
    assert [match.passage.id for match in Index([DECK, ROOF]).rank("shingles")] == ["roof"]


def test_an_index_is_made_once_for_the_same_passages() -> None:
    by_name = {"deck": DECK, "roof": ROOF}
    assert index_of(by_name) is index_of(dict(by_name))
    assert index_of({"deck": DECK}) is not index_of(by_name)


def test_the_set_of_questions_is_large_and_asks_for_every_passage() -> None:
    answered = [
        (name, text)
        for part in QUESTIONS.values()
        for name, texts in part["answered"].items()
        for text in texts
    ]
    assert len(answered) >= 120
    assert sum(len(part["unanswered"]) for part in QUESTIONS.values()) >= 40
    assert set(QUESTIONS["test"]["answered"]) == set(PASSAGES)


@pytest.mark.parametrize(("part", "found", "refused"), [("tune", 45, 20), ("test", 85, 41)])
def test_answers_are_found_as_often_as_the_docs_say(part: str, found: int, refused: int) -> None:
    """Figures of docs/renovation.md; scripts/bench_knowledge.py prints what is missed."""
    index, asked = index_of(PASSAGES), QUESTIONS[part]
    hits = [
        name
        for name, texts in asked["answered"].items()
        for text in texts
        if (match := index.best(text)) is not None and match.passage.id == name
    ]
    nothing = [text for text in asked["unanswered"] if index.best(text) is None]
    assert (len(hits), len(nothing)) == (found, refused)


def test_every_passage_is_found_by_each_of_its_own_questions() -> None:
    index = index_of(PASSAGES)
    missed = [
        (each.id, question, best.passage.id if best else None)
        for each in PASSAGES.values()
        for question in each.questions
        if (best := index.best(question)) is None or best.passage.id != each.id
    ]
    assert missed == []
