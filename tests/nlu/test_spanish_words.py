"""The form that the Spanish rules read, and what negates what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.nlu.negation import end_of_denial, is_negated
from appliance.nlu.spanish.grammar import SPANISH
from appliance.nlu.spanish.words import normalize


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        ("¡Sí, mañana le pago $1,200.50, porfa!", "si manana le pago $1200.50 por favor"),
        ("No, soy yo.", "no ; soy yo"),
        ("no soy yo", "no soy yo"),
        ("No.", "no"),
        ("no... no quiero", "no ; no quiero"),
        ("ma\u00f1ana", "manana"),
        ("man\u0303ana", "manana"),
        ("el 1ro de mayo", "el primero de mayo"),
        ("28/11", "28 slash 11"),
        ("veinti dós", "veintidos"),
        ("treinta i dos", "treinta y dos"),
        ("dos cientos", "doscientos"),
        ("el 30%", "el 30 porciento"),
        ("por ciento veinte", "por ciento veinte"),
        ("dos ceros", "doble cero"),
        ("mm hmm", "aja"),
        ("okey, ahorita", "ok ahorita"),
        ("deje de yamarme", "deje de yamarme"),
        ("numro equivocdo", "numero equivocado"),
        ("una persna", "una persona"),
        ("el jueves o el vierns", "el jueves o el viernes"),
        ("", ""),
    ],
)
def test_normalize(said: str, normal: str) -> None:
    assert normalize(said) == normal


@pytest.mark.parametrize(
    "word",
    ["vienes", "entero", "pasar", "cuarto", "siente", "marco", "personal", "dolores", "mayor",
     "manzana", "nueva", "abrir", "cierto", "junto", "llamo", "supervisora"],
)  # fmt: skip
def test_real_words_are_left_alone(word: str) -> None:
    assert normalize(word) == word


@given(st.text(max_size=100) | st.text("no,. síñ12/", max_size=30))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once


@pytest.mark.parametrize(
    ("text", "word", "negated"),
    [
        ("no puedo pagar doscientos", "doscientos", True),
        ("no puedo hoy", "hoy", True),
        ("no hoy", "hoy", True),
        ("no viernes", "viernes", False),  # an answer: "no, viernes"
        ("no ; viernes", "viernes", False),
        ("no puedo hasta el viernes", "viernes", False),
        ("no puedo hoy pero el viernes", "viernes", False),
        ("el viernes", "viernes", False),
    ],
)
def test_negation(text: str, word: str, negated: bool) -> None:
    words = text.split()
    assert is_negated(words, words.index(word), SPANISH.negation) is negated


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("hoy no puedo", 2),
        ("hoy yo no puedo", 3),
        ("hoy no hay problema", 0),
        ("hoy si", 0),
        ("hoy", 0),
    ],
)
def test_denial_after_a_word(text: str, end: int) -> None:
    assert end_of_denial(text.split(), 0, 1, SPANISH.negation) == end


def test_after_until_a_denial_turns_the_meaning() -> None:
    assert end_of_denial(["hasta", "hoy", "no"], 1, 2, SPANISH.negation) == 0
