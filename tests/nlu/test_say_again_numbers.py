"""What the voice says of a sum, a number or digits is read as that value again."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.speech import speak
from appliance.nlu.amounts import read_amount
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.numbers import read_digits
from appliance.nlu.quantities import find_currency, find_numbers
from appliance.types import Language

LANGUAGES: tuple[Language, ...] = ("en", "es")
ALL = 100_000
Way = Callable[[str, Language], str]
SAMPLE = range(0, ALL, 97)  # a prime: all digits at all places
cents = st.integers(1, 99_999_999)
languages = st.sampled_from(LANGUAGES)


@given(languages, cents)
def test_money(language: Language, amount_cents: int) -> None:
    amount, grammar = Decimal(amount_cents) / 100, GRAMMARS[language]
    said = speak(amount, "money", language)
    assert Decimal(read_amount(grammar.normalize(said).split(), grammar, asked=False)) == amount


@given(languages, cents)
def test_money_in_any_text(language: Language, amount_cents: int) -> None:
    (found,) = find_currency(
        speak(Decimal(amount_cents) / 100, "money", language), GRAMMARS[language]
    )
    expected = amount_cents if amount_cents < 100 else Fraction(amount_cents, 100)
    assert found.value == expected  # below a dollar the unit is the cent


@given(languages, st.integers(0, 999_999_999))
def test_numbers(language: Language, number: int) -> None:
    (found,) = find_numbers(speak(number, "number", language), GRAMMARS[language])
    assert found.value == number


@given(languages, st.text("0123456789", min_size=1, max_size=16))
def test_digits_of_any_length(language: Language, digits: str) -> None:
    said = speak(digits, "digits", language)
    assert read_digits(said, GRAMMARS[language], length=None) == digits


@cache
def _number(value: int, language: Language) -> str:
    return speak(value, "number", language)


def _by_digit(zip_code: str, language: Language) -> str:
    return " ".join(_number(int(digit), language) for digit in zip_code)


def _by_group(zip_code: str, language: Language) -> str:
    """One digit, then two pairs: "nine, oh two, ten", "nueve cero dos diez"."""
    pairs = (_pair(zip_code[1:3], language), _pair(zip_code[3:], language))
    return " ".join((_number(int(zip_code[0]), language), *pairs))


def _by_two_and_three(zip_code: str, language: Language) -> str:
    """A pair and the rest digit by digit; a round pair would take the unit after it."""
    head = zip_code[:2]
    said = _pair(head, language) if head[1] != "0" else _by_digit(head, language)
    return f"{said} {_by_digit(zip_code[2:], language)}"


def _by_doubles(zip_code: str, language: Language) -> str:
    """Equal neighbours as "double" or "triple"."""
    double, triple = {"en": ("double", "triple"), "es": ("doble", "triple")}[language]
    words: list[str] = []
    index = 0
    while index < len(zip_code):
        digit = zip_code[index]
        times = next(n for n in (3, 2, 1) if zip_code[index : index + n] == digit * n)
        words += {3: [triple], 2: [double], 1: []}[times]
        words.append(_by_digit(digit, language))
        index += times
    return " ".join(words)


def _by_number(zip_code: str, language: Language) -> str:
    """As one number, after the zeros before it."""
    number = zip_code.lstrip("0")
    zeros = _by_digit("0" * (len(zip_code) - len(number)), language)
    return f"{zeros} {speak(int(number), 'number', language) if number else ''}".strip()


def _pair(pair: str, language: Language) -> str:
    return _by_digit(pair, language) if pair[0] == "0" else _number(int(pair), language)


WAYS = (_by_digit, _by_group, _by_two_and_three, _by_doubles, _by_number)
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
each_language = pytest.mark.parametrize("language", LANGUAGES)


def _zips(numbers: range) -> Iterator[str]:
    return (f"{number:05}" for number in numbers)


@each_way
@each_language
def test_zips(language: Language, way: Way) -> None:
    assert _misread(SAMPLE, language, way) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@each_way
@each_language
def test_all_zips(language: Language, way: Way) -> None:
    assert _misread(range(ALL), language, way) == []


def _misread(numbers: range, language: Language, way: Way) -> list[tuple[str, str, str]]:
    wrong = []
    for zip_code in _zips(numbers):
        said = way(zip_code, language)
        read = read_digits(said, GRAMMARS[language])
        if read != zip_code:
            wrong.append((zip_code, said, read))
    return wrong
