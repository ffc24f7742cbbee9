"""Digits as Spanish speakers say them, and the numbers inside amounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.speech import speak_number
from appliance.dialogue.words_es import TEENS, TENS, TWENTIES, UNITS
from appliance.nlu.numbers import read_digits
from appliance.nlu.spanish.grammar import SPANISH
from appliance.nlu.spanish.numbers import read_cardinal

FILLERS = ("eh", "este", "y", "guión", "")


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("nueve cero dos uno cero", "90210"),
        ("noventa doscientos diez", "90210"),
        ("noventa, doscientos diez", "90210"),
        ("nueve cero dos diez", "90210"),
        ("noventa veintiuno cero", "90210"),
        ("novecientos dos diez", "90210"),
        ("noventa mil doscientos diez", "90210"),
        ("nueve doble cero uno dos", "90012"),
        ("nueve dos ceros uno dos", "90012"),
        ("triple uno dos tres", "11123"),
        ("treinta y tres uno veintiocho", "33128"),
        ("treinta i tres uno veintiocho", "33128"),
        ("diez y seis cero cero uno", "16001"),
        ("dieciséis cero cero uno", "16001"),
        ("veinte y cinco tres doce", "25312"),
        ("veinti cinco tres doce", "25312"),
        ("cero dos uno tres nueve", "02139"),
        ("cero dos mil ciento treinta y nueve", "02139"),
        ("sesenta seis catorce", "60614"),
        ("siete siete cero treinta y seis", "77036"),
        ("nueve, eh, cero dos... este uno cero", "90210"),
        ("mi código postal es nueve cero dos uno cero gracias", "90210"),
        ("es el nueve cero dos uno cero", "90210"),
        ("nueve cero dos perdón uno cero", "90210"),
        ("nueve cero uno uno uno no perdón nueve cero dos uno cero", "90210"),
        ("nueve o dos uno o", "90210"),
        ("90210", "90210"),
        ("9 0 2 1 0", "90210"),
        ("noventa mil 210", "90000210"),
        ("nueve cero dos", "902"),
        ("un momento", ""),
        ("una pregunta", ""),
        ("hola", ""),
        ("", ""),
    ],
)
def test_digits(said: str, digits: str) -> None:
    assert read_digits(said, SPANISH) == digits


def _below_hundred(value: int) -> str:
    if value < 10:
        return UNITS[value]
    if value < 20:
        return TEENS[value - 10]
    if 20 < value < 30:
        return TWENTIES[value - 21]
    tens = TENS[value // 10 - 2]
    return f"{tens} y {UNITS[value % 10]}" if value % 10 else tens


@st.composite
def spoken_digits(draw: st.DrawFn) -> tuple[str, str]:
    """Five digits and one of the ways to say them."""
    digits = draw(st.text("0123456789", min_size=5, max_size=5))
    words: list[str] = []
    index = 0
    while index < len(digits):
        said, taken = draw(st.sampled_from(_ways(digits, index)))
        fillers = [each for each in FILLERS if each != "y" or taken == 1]
        words += [said, draw(st.sampled_from(fillers)) if index + taken < len(digits) else ""]
        index += taken
    return digits, " ".join(word for word in words if word)


def _ways(digits: str, index: int) -> list[tuple[str, int]]:
    here, rest = int(digits[index]), digits[index + 1 :]
    ways = [(UNITS[here], 1)]
    if rest[:1] == digits[index]:
        ways.append((f"doble {UNITS[here]}", 2))
    if rest[:2] == digits[index] * 2:
        ways.append((f"triple {UNITS[here]}", 3))
    if here and rest:
        pair = _below_hundred(int(digits[index : index + 2]))
        # "veinte, y dos" would be twenty-two
        ways += [(pair, 2)] if rest[0] != "0" else []
    return ways


@given(spoken_digits())
def test_spoken_digits_are_read_back(case: tuple[str, str]) -> None:
    digits, said = case
    assert read_digits(said, SPANISH) == digits


@given(st.integers(1, 999_999))
def test_a_cardinal_in_words_is_read_back(number: int) -> None:
    words = SPANISH.normalize(speak_number(number, "es")).split()
    assert read_cardinal(words, 0) == (number, len(words))


@given(st.integers(10_000, 99_999))
def test_a_zip_said_as_a_number_is_read_back(number: int) -> None:
    assert read_digits(speak_number(number, "es"), SPANISH) == str(number)
