"""How closeness becomes a score, which words are searched, and what is quoted."""

import numpy as np
import pytest

from appliance.knowledge.fusion import (
    QUOTED_SENTENCES,
    THRESHOLD,
    closeness,
    match_expression,
    quoted,
    score_of,
)


def window(sentences: list[str], likeness: list[float]) -> list[str]:
    first, last = quoted(sentences, np.array(likeness, dtype=np.float32))
    return sentences[first:last]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When do I get my W two?", '"two"'),
        ("how is over-time paid", '"over" OR "time" OR "paid"'),
        ('pay" OR title:x NEAR(', '"pay" OR "title" OR "x" OR "near"'),
        ("who are you", ""),
        ("", ""),
    ],
)
def test_words_of_a_question(question: str, words: str) -> None:
    assert match_expression(question).replace('"w" OR ', "") == words


def test_shared_words_raise_a_score_and_never_by_more_than_their_share() -> None:
    none, some, many = (closeness(0.5, 0.6, bm25) for bm25 in (0.0, 3.0, 1e6))
    assert none == pytest.approx(0.55)
    assert none < some < many <= none + 0.15


def test_scores_grow_with_closeness_and_stay_in_their_range() -> None:
    scores = [score_of(close) for close in np.linspace(-1, 1.2, 50)]
    assert scores == sorted(scores)
    assert 0 <= scores[0] < 0.01
    assert 0.99 < scores[-1] <= 1
    assert score_of(0.44) == pytest.approx(THRESHOLD)


def test_the_best_sentence_is_quoted_with_what_follows() -> None:
    sentences = ["One.", "Two.", "Three.", "Four.", "Five."]
    assert window(sentences, [0.1, 0.8, 0.5, 0.45, 0.4]) == ["Two.", "Three.", "Four."]


def test_neighbours_that_speak_of_something_else_are_left_out() -> None:
    assert window(["One.", "Two.", "Three."], [0.1, 0.8, 0.0]) == ["Two."]


def test_what_refers_back_is_quoted_with_what_it_refers_to() -> None:
    sentences = ["The bonus comes in May.", "It is taxed like wages."]
    assert window(sentences, [0.0, 0.9]) == sentences


def test_what_takes_too_long_to_say_is_cut() -> None:
    long = " ".join(["word"] * 40) + "."
    assert window([long, long, "Short one."], [0.9, 0.8, 0.8]) == [long]


def test_never_more_sentences_than_may_be_said() -> None:
    said = window(["Ask Dr. Hill. ", "Or Dr. Bell.", "Or none."], [0.8, 0.8, 0.8])
    assert sum(each.count(".") for each in said) <= QUOTED_SENTENCES
    assert said
