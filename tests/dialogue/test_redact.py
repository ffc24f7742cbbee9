"""Nothing that could be a ZIP, a birth date, a card or an account number survives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.redact import redact
from appliance.dialogue.words import MONTHS, TEENS, TENS, UNIT_VALUES, UNITS, cardinal, ordinal

NUMBER_WORDS = {*UNITS, *TEENS, *TENS, "oh", "hundred", "thousand", "double", "triple"}


@pytest.mark.parametrize(
    ("text", "logged"),
    [
        ("my zip is nine oh two one oh", "my zip is [digits]"),
        ("it's 90210.", "it's [digits]."),
        ("9-0-2-1-0", "[digits]"),
        ("nine, oh two... um one oh thanks", "[digits] thanks"),
        ("ninety two ten", "[digits]"),
        ("ninety thousand two hundred ten", "[digits]"),
        ("double nine one", "[digits]"),
        ("nine oh two i mean one oh", "[digits] i mean [digits]"),
        ("nine oh to one for", "[digits]"),
        ("born on march third nineteen eighty five", "born on [digits]"),
        ("the third of march eighty five", "the [digits]"),
        ("03/04/1985", "[digits]"),
        ("born 3.4.85", "born [digits]"),
        ("card 4111 1111 1111 1111 please", "card [digits] please"),
        ("on the fifteenth", "on the fifteenth"),
        ("december fifth", "december fifth"),
        ("one moment please", "one moment please"),
        ("twenty five", "twenty five"),
        ("yes", "yes"),
        ("", ""),
    ],
)
def test_redact(text: str, logged: str) -> None:
    assert redact(text) == logged


words = st.sampled_from(["yes", "my", "zip", "is", "uh", "please", "and", "it's", "to", "wait"])


def _ways(digits: str) -> st.SearchStrategy[str]:
    spoken = [UNITS[int(each)] for each in digits]
    return st.sampled_from(
        [
            digits,
            " ".join(digits),
            "-".join(digits),
            " ".join(spoken),
            ", ".join(spoken),
            " ".join("oh" if word == "zero" else word for word in spoken),
            cardinal(int(digits) or 1) if int(digits) >= 100 else " ".join(spoken),
        ]
    )


@given(
    st.lists(words, max_size=5),
    st.text("0123456789", min_size=3, max_size=6).flatmap(_ways),
    st.lists(words, max_size=5),
)
def test_no_long_number_survives(before: list[str], number: str, after: list[str]) -> None:
    logged = redact(" ".join([*before, number, *after]))
    assert not re.search(r"\d", logged)
    assert not set(re.findall(r"[a-z]+", logged)) & NUMBER_WORDS


@given(
    st.sampled_from(MONTHS),
    st.integers(1, 31),
    st.integers(1920, 2010),
    st.booleans(),
)
def test_no_birth_date_survives(month: str, day: int, year: int, in_words: bool) -> None:
    said = f"{cardinal(year // 100)} {cardinal(year % 100)}" if in_words else str(year)
    logged = redact(f"i was born {month} {ordinal(day)} {said}")
    assert logged == "i was born [digits]"


@given(st.text(max_size=200))
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    logged = redact(text)
    assert not re.search(r"\d{3}", logged)
    assert redact(logged) == logged


def test_the_digit_words_are_those_that_understanding_reads() -> None:
    for word in UNIT_VALUES:
        assert redact(f"{word} {word} {word}") == "[digits]"
