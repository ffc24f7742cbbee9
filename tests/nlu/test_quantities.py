"""Numbers, ordinals, percentages and sums of money in any text."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.nlu.languages import GRAMMARS
from appliance.nlu.quantities import (
    Quantity,
    find_currency,
    find_numbers,
    find_ordinals,
    find_percentages,
)
from appliance.types import Language

READERS = (find_numbers, find_ordinals, find_percentages, find_currency)


def test_places_are_those_of_the_text() -> None:
    text = "Sí: pagué veintitrés dólares, después 1.200,50 €"
    assert find_currency(text, GRAMMARS["es"]) == (
        Quantity("veintitrés dólares", 10, 28, 23, "Dólar"),
        Quantity("1.200,50 €", 38, 48, Fraction(2401, 2), "Euro"),
    )


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("en", "the twenty first of the 3rd", [21, 3]),
        ("en", "one hundred twenty-fifth", [125]),
        ("en", "a third of it", []),
        ("es", "el vigésimo primero y el 3º", [21, 3]),
        ("es", "dosmilésimo tercero", [2003]),
    ],
)
def test_ordinals(language: Language, text: str, values: list[int]) -> None:
    assert [each.value for each in find_ordinals(text, GRAMMARS[language])] == values


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("en", "fifty percent or 12.5%", [50, Fraction(25, 2)]),
        ("en", "percent of ten", [10]),
        ("en", "fifty dollars", []),
        ("es", "el cincuenta por ciento, el 12,5 %", [50, Fraction(25, 2)]),
    ],
)
def test_percentages(language: Language, text: str, values: list[Fraction]) -> None:
    assert [each.value for each in find_percentages(text, GRAMMARS[language])] == values


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "20 cents or three dollars fifty", [("Cent", "20"), ("Dollar", "3.5")]),
        ("en", "0^-1 dollars", [("Dollar", "0")]),
        ("en", "$2 million, no, $2.50", [("Dollar", "2000000"), ("Dollar", "2.5")]),
        ("en", "$300 over 2 months", [("Dollar", "300")]),
        ("en", "two hundred Canadian dollars", [("Canadian dollar", "200")]),
        ("en", "fifty people", []),
        ("es", "un millón de pesos y medio dólar", [("Peso", "1000000"), ("Dólar", "0.5")]),
        ("es", "US$ 3,50", [("Dólar estadounidense", "3.5")]),
    ],
)
def test_currency(language: Language, text: str, found: list[tuple[str, str]]) -> None:
    sums = [(each.unit, each.value) for each in find_currency(text, GRAMMARS[language])]
    assert sums == [(unit, Fraction(value)) for unit, value in found]


PIECES = st.sampled_from(
    ["1", "0", "9", ".", ",", "/", "^", "e", "-", "+", " ", "$", "%", "k", "two", "and", "a",
     "half", "million", "over", "mil", "y", "medio", "con", "avos", "\u0130", "\u00ba"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12), st.sampled_from(["en", "es"]))
def test_any_text_is_read_without_a_fault(pieces: list[str], language: Language) -> None:
    text = "".join(pieces)
    for find in READERS:
        ends = [0]
        for found in find(text, GRAMMARS[language]):
            assert text[found.start : found.end] == found.text
            assert ends[-1] <= found.start < found.end
            ends.append(found.end)
