"""Digits as people say them, and the numbers inside amounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.words import TEENS, TENS, UNITS, cardinal
from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.english.numbers import read_cardinal
from appliance.nlu.numbers import read_digits

FILLERS = ("uh", "um", "and", "then", "dash", "")


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("nine oh two one oh", "90210"),
        ("nine zero two one zero", "90210"),
        ("ninety two ten", "9210"),
        ("nine oh two ten", "90210"),
        ("nine hundred two ten", "90210"),
        ("ninety thousand two hundred ten", "90210"),
        ("ninety thousand two hundred and ten", "90210"),
        ("nine double zero one two", "90012"),
        ("triple one two three", "11123"),
        ("double five double six seven", "55667"),
        ("nine, uh, oh two... um one oh", "90210"),
        ("it's nine oh two one oh", "90210"),
        ("my zip code is nine oh two one oh thank you", "90210"),
        ("oh it's nine oh two one oh", "90210"),
        ("oh nine oh two one oh", "90210"),
        ("oh two one three nine", "02139"),
        ("zero two one three nine", "02139"),
        ("nine oh two wait one oh", "90210"),
        ("nine oh two one one sorry nine oh two one oh", "90210"),
        ("nine oh to one oh", "90210"),
        ("sixty six fourteen", "6614"),
        ("six oh six one four", "60614"),
        ("six oh six one for", "60614"),
        ("five hundred oh one", "50001"),
        ("90210", "90210"),
        ("9 0 2 1 0", "90210"),
        ("9-0-2-1-0", "90210"),
        ("nine oh two", "902"),
        ("niner oh two one oh", "90210"),
        ("sevven oh two one oh", "70210"),
        ("I have two words for you", "2"),
        ("hello", ""),
        ("", ""),
        ("to for", ""),
    ],
)
def test_digits(said: str, digits: str) -> None:
    assert read_digits(said, ENGLISH) == digits


@st.composite
def spoken_digits(draw: st.DrawFn) -> tuple[str, str]:
    """Five digits and one of the ways to say them."""
    digits = draw(st.text("0123456789", min_size=5, max_size=5))
    words: list[str] = []
    index = 0
    while index < len(digits):
        ways = _ways(digits, index)
        said, taken = draw(st.sampled_from(ways))
        # "ninety" must not be followed by a digit that would join it, nor a hundred by a tail
        words += [said, draw(st.sampled_from(FILLERS)) if index + taken < len(digits) else ""]
        index += taken
    return digits, " ".join(word for word in words if word)


def _ways(digits: str, index: int) -> list[tuple[str, int]]:
    here, rest = int(digits[index]), digits[index + 1 :]
    ways = [(UNITS[here], 1)]
    if here == 0:
        ways += [("oh", 1), ("zero", 1)]
    if rest[:1] == digits[index]:
        ways.append((f"double {UNITS[here]}", 2))
    if rest[:2] == digits[index] * 2:
        ways.append((f"triple {UNITS[here]}", 3))
    if here == 1 and rest:
        ways.append((TEENS[int(rest[0])], 2))
    if here >= 2 and rest and rest[0] != "0":
        ways.append((f"{TENS[here - 2]} {UNITS[int(rest[0])]}", 2))
    return ways


@given(spoken_digits())
def test_spoken_digits_are_read_back(case: tuple[str, str]) -> None:
    digits, said = case
    if said.startswith("oh"):  # a leading "oh" may be an interjection when six digits are said
        said = "zero" + said[2:]
    assert read_digits(said, ENGLISH) == digits


@given(st.integers(1, 999_999))
def test_a_cardinal_in_words_is_read_back(number: int) -> None:
    words = cardinal(number).split()
    assert read_cardinal(words, 0) == (number, len(words))


@given(st.integers(10_000, 99_999))
def test_a_zip_said_as_a_number_is_read_back(number: int) -> None:
    assert read_digits(cardinal(number), ENGLISH) == str(number)
