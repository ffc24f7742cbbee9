"""The form that rules read, and the mending of small recognizer errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.english.words import normalize
from appliance.nlu.negation import is_negated


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        ("I can't -- it's $1,200.50!", "i cannot it is $1200.50"),
        ("Don\u2019t you dare", "do not you dare"),
        ("dont call", "do not call"),
        ("I'm sure he'll pay", "i am sure he will pay"),
        ("Maria's phone", "maria phone"),
        ("who's this", "who is this"),
        ("uh huh", "uhhuh"),
        ("nine-oh-two", "nine oh two"),
        ("the 15th", "the 15th"),
        ("11/28", "11 slash 28"),
        ("stop callin me", "stop calling me"),
        ("wrong numbr", "wrong number"),
        ("a represntative", "a representative"),
        ("tomorow", "tomorrow"),
        ("on firday", "on friday"),
        ("", ""),
    ],
)
def test_normalize(said: str, normal: str) -> None:
    assert normalize(said) == normal


@pytest.mark.parametrize(
    "word", ["monkey", "wrote", "falling", "step", "night", "forth", "minute", "second", "match"]
)
def test_real_words_are_left_alone(word: str) -> None:
    assert normalize(word) == word


@given(st.text(max_size=100))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once


@pytest.mark.parametrize(
    ("text", "word", "negated"),
    [
        ("cannot pay two hundred", "two", True),
        ("not on friday", "friday", True),
        ("not until friday", "friday", False),
        ("i cannot pay today but friday", "friday", False),
        ("on friday", "friday", False),
    ],
)
def test_negation(text: str, word: str, negated: bool) -> None:
    words = text.split()
    assert is_negated(words, words.index(word), ENGLISH.negation) is negated
