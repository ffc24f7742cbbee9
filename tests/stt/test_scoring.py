"""What counts as an error, and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.stt.scoring import compare, digits_of, is_digits, word_errors, words_of


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("nine four one one oh", "nine four one one zero"),
        ("nine four one one oh", "94110"),
        ("ninety four one ten", "94110."),
        ("ninety four eleven oh", "94110"),
        ("nine forty one ten", "94110"),
        ("oh two one three eight", "02138"),
        ("It's the third of May.", "it’s the 3rd of may"),
        ("twelve dollars and fifty cents", "$12.50"),
        ("twelve fifty", "$12.50"),
        ("one thousand two hundred thirty four", "1,234"),
        ("three thirty", "3:30"),
        ("three oh five", "3:05"),
        ("five o'clock", "5:00"),
        ("nineteen eighty five", "1985"),
        ("two thousand six", "2006"),
        ("fifty percent", "50%"),
        ("three point five", "3.5"),
        ("zero", "0"),
        ("forty-two", "forty two"),
        ("caf\u00e9", "cafe\u0301"),
    ],
)
def test_the_same_in_other_letters(said: str, heard: str) -> None:
    assert compare(said, heard).wrong == ()


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("mil doscientos", "1200"),
        ("seis uno seis", "616"),
        ("las tres y treinta", "las 3:30"),
        ("sí cuánto debo", "si cuanto debo"),
        ("qué más quiere él", "que mas quiere el"),
        ("cincuenta por ciento", "50%"),
        ("dos mil veinticinco", "2025"),
    ],
)
def test_the_same_in_spanish(said: str, heard: str) -> None:
    assert compare(said, heard, "es").wrong == ()


@pytest.mark.parametrize(
    ("said", "heard", "wrong"),
    [
        ("my zip is nine", "my is five now", [("zip", ""), ("", "five"), ("nine", "now")]),
        ("", "thank you", [("", "thank"), ("", "you")]),
        ("yes please", "", [("yes", ""), ("please", "")]),
        ("nine four one one oh", "94115", [("zero", "five")]),
        ("it's", "its", [("it's", "its")]),
        ("sí", "si", [("sí", "si")]),
    ],
)
def test_what_is_wrong_is_named(said: str, heard: str, wrong: list[tuple[str, str]]) -> None:
    found = compare(said, heard)
    assert list(found.wrong) == wrong
    assert word_errors(said, heard) == found.errors == len(wrong)


def test_what_was_said_is_read_the_likeliest_way() -> None:
    assert words_of("zip 94110, room 12") == (
        "zip", "nine", "four", "one", "one", "zero", "room", "twelve",
    )  # fmt: skip


def test_digits() -> None:
    assert digits_of(words_of("it's nine oh two ten")) == "902"
    assert is_digits(words_of("nine oh two"))
    assert not is_digits(words_of("it's nine oh two"))
    assert not is_digits(())
    assert digits_of(words_of("cero uno", "es"), "es") == "01"
    assert words_of("oh", "es") == ("oh",)


WORDS = st.lists(st.sampled_from(("yes", "no", "five", "zip")), max_size=6).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(WORDS, WORDS, WORDS)
def test_errors_are_a_distance(one: str, other: str, third: str) -> None:
    assert word_errors(one, one) == 0
    assert word_errors(one, other) == word_errors(other, one)
    assert word_errors(one, third) <= word_errors(one, other) + word_errors(other, third)
    lengths = len(one.split()), len(other.split())
    assert abs(lengths[0] - lengths[1]) <= word_errors(one, other) <= max(lengths)


@settings(deadline=None, max_examples=200)
@given(
    st.integers(0, 10**7).map(str) | st.from_regex(r"\$?\d{1,4}(\.\d\d)?(%|th)?", fullmatch=True)
)
def test_every_numeral_has_words(numeral: str) -> None:
    for language in ("en", "es"):
        words = words_of(numeral, language)
        assert words
        assert not any(char.isdigit() for word in words for char in word)
        assert word_errors(numeral, numeral, language) == 0


def test_an_accent_that_is_heard_counts() -> None:
    assert compare("está bien", "esta bien", "es").wrong == (("está", "esta"),)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("i can pay a hundred dollars friday", "I can pay $100 Friday."),
        ("i can pay one hundred dollars friday", "I can pay $100 Friday."),
        ("a thousand fifty", "1,050"),
        ("about a hundred twenty", "about 120"),
    ],
)
def test_a_hundred_is_one_hundred(said: str, heard: str) -> None:
    assert compare(said, heard).errors == 0
