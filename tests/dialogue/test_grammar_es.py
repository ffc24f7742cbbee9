"""Spanish numbers agree with what they count."""

import pytest

from appliance.dialogue.grammar_es import before_noun, counted, feminine, is_feminine, ordinal


@pytest.mark.parametrize(
    "noun",
    ["persona", "casas", "habitación", "habitaciones", "ciudad", "noches", "luces", "mano", "ley"],
)
def test_feminine_nouns(noun: str) -> None:
    assert is_feminine(noun)


@pytest.mark.parametrize("noun", ["día", "días", "problemas", "meses", "pisos", "camiones", "país"])
def test_masculine_nouns(noun: str) -> None:
    assert not is_feminine(noun)


@pytest.mark.parametrize(
    ("value", "noun", "words"),
    [
        (1, "semana", "una"),
        (1, "día", "un"),
        (21, "personas", "veintiuna"),
        (31, "meses", "treinta y un"),
        (11, "meses", "once"),
        (200, "casas", "doscientas"),
        (500, "veces", "quinientas"),
        (500, "pisos", "quinientos"),
        (21_000, "pisos", "veintiún mil"),
    ],
)
def test_a_number_before_its_noun(value: int, noun: str, words: str) -> None:
    assert counted(value, noun) == words
    assert before_noun(value, f" {noun}.") == words


def test_a_number_of_nothing_keeps_its_form() -> None:
    assert [before_noun(21, after) for after in ("", ".", " por ciento", " y", ": casas")] == [
        "veintiuno"
    ] * 5
    assert feminine("veintiuno") == "veintiuna"


def test_ordinals() -> None:
    assert [ordinal(3, end) for end in ("er", "º", "ª", "o")] == [
        "tercer", "tercero", "tercera", "tercero",
    ]  # fmt: skip
    assert ordinal(2, "er") == "segundo"
    assert ordinal(21, "ª") == "veintiuno"
