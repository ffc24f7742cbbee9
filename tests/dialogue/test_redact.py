"""Nothing that could be a ZIP, a birth date, a card or an account number survives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue import words_es
from appliance.dialogue.letters import fold
from appliance.dialogue.redact import redact
from appliance.dialogue.words import MONTHS, TEENS, TENS, UNIT_VALUES, UNITS, cardinal, ordinal
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.numbers import read_digits

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
        ("ninety oh", "[digits]"),
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
        ("it's john.smith84@example.com", "it's [private]"),
        ("it's m a r i a dot lopez at gmail dot com", "it's [private]"),
        ("juan guion bajo perez arroba gmail punto com", "[private]"),
        ("look at that", "look at that"),
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


@pytest.mark.parametrize(
    ("text", "logged"),
    [
        ("mi código postal es nueve cero dos uno cero", "mi código postal es [digits]"),
        ("noventa, doscientos diez", "[digits]"),
        ("noventa mil doscientos diez", "[digits]"),
        ("nueve, eh, cero, este, dos... y uno perdón cero", "[digits]"),
        ("nueve cero dos, digo, no, espere, uno cero", "[digits], digo, no, espere, [digits]"),
        ("doble cero nueve", "[digits]"),
        ("noventa dos", "[digits]"),
        ("diez cero", "[digits]"),
        ("veinti uno tres", "[digits]"),
        ("noventa y dos once tres", "[digits]"),
        ("noventaidós dieciséis", "[digits]"),
        ("veintitrés once", "[digits]"),
        ("once once once", "[digits]"),
        ("un nueve cero dos", "[digits]"),
        ("dos nueves y tres ceros", "[digits]"),
        ("diez y seis veinte y cinco", "[digits]"),
        ("nací el tres de marzo del ochenta y cinco", "nací el [digits]"),
        ("quince de marzo de mil novecientos ochenta y cinco", "[digits]"),
        ("el 3 de marzo de 1985", "el [digits]"),
        ("nine cero two uno oh", "[digits]"),
        ("cuatro mil ciento once", "[digits]"),
        # fit to be logged
        ("el quince de diciembre", "el quince de diciembre"),
        ("el primero de mayo", "el primero de mayo"),
        ("veinticinco", "veinticinco"),
        ("treinta y uno", "treinta y uno"),
        ("un momento, una pregunta y un favor", "un momento, una pregunta y un favor"),
        ("mil gracias", "mil gracias"),
        ("I told you once already", "I told you once already"),
        ("once upon a time", "once upon a time"),
        ("call me once in two days", "call me once in two days"),
        ("does she know the sin of it", "does she know the sin of it"),
        ("hasta luego", "hasta luego"),
    ],
)
def test_redact_in_spanish(text: str, logged: str) -> None:
    assert redact(text) == logged


SPANISH_NUMBERS = {
    *words_es.UNITS, *words_es.TEEN_VALUES, *words_es.TENS, *words_es.HUNDRED_VALUES,
    *words_es.REPEATS, words_es.THOUSAND,
} - set(words_es.ARTICLES)  # fmt: skip
SPANISH_GAPS = st.sampled_from(["", "eh", "este", "y", "perdón", "o sea", "uh", "no", "guión"])


def _pair(number: str) -> str:
    value = int(number)
    if value < 10:
        return f"cero {words_es.UNITS[value]}"
    if value % 10 == 0:
        return words_es.TENS[value // 10 - 2] if value > 10 else "diez"
    if value < 30:
        return next(word for word, each in words_es.TEEN_VALUES.items() if each == value)
    return f"{words_es.TENS[value // 10 - 2]} y {words_es.UNITS[value % 10]}"


@given(
    st.sampled_from(["", "my zip is", "mi código es", "sí es", "it's", "pues mire"]),
    st.text("0123456789", min_size=3, max_size=9),
    st.booleans(),
    st.lists(SPANISH_GAPS, min_size=9, max_size=9),
    st.sampled_from(["", "gracias", "please", "señorita", "y ya"]),
)
def test_no_spanish_number_survives(
    before: str, digits: str, in_pairs: bool, gaps: list[str], after: str
) -> None:
    if in_pairs:
        parts = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        said = [_pair(part) if len(part) == 2 else words_es.UNITS[int(part)] for part in parts]
    else:
        said = [words_es.UNITS[int(digit)] for digit in digits]
    if in_pairs:  # "treinta y uno" is 31, which is too short to be masked
        gaps = ["luego" if gap == "y" else gap for gap in gaps]
    spoken = " ".join(f"{word}, {gap}" for word, gap in zip(said, gaps, strict=False))
    logged = redact(f"{before} {spoken} {after}")
    assert not set(fold(logged).replace(",", " ").split()) & SPANISH_NUMBERS


@given(st.sampled_from(words_es.MONTHS), st.integers(1, 31), st.integers(30, 99), st.booleans())
def test_no_spanish_birth_date_survives(month: str, day: int, year: int, full: bool) -> None:
    century = "mil novecientos " if full else ""
    logged = redact(f"nací el {_pair(f'{day:02}')} de {month} de {century}{_pair(str(year))}")
    assert logged == "nací el [digits]"


def test_a_private_name_is_masked_with_and_without_accents() -> None:
    assert redact("soy Garcia", frozenset({"garcía"})) == "soy [private]"
    assert redact("soy García", frozenset({"garcia"})) == "soy [private]"


NUMBER_VOCABULARY = [
    *words_es.UNIT_VALUES, *words_es.TEEN_VALUES, *words_es.TENS_VALUES, *words_es.HUNDRED_VALUES,
    *words_es.REPEATS, words_es.THOUSAND, "ceros", "veinti", "y", "i", "eh", "este", "perdón",
    "guión", "o", "a", "9", "90", "nine", "oh", "ninety",
]  # fmt: skip


@given(st.lists(st.sampled_from(NUMBER_VOCABULARY), max_size=10))
def test_understanding_finds_no_number_in_what_was_redacted(said: list[str]) -> None:
    text = " ".join(said)
    for grammar in GRAMMARS.values():
        if len(read_digits(text, grammar)) >= 3:
            assert read_digits(redact(text), grammar) == ""
