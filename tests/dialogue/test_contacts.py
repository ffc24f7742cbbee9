"""Telephone numbers and e-mail addresses: written form, shape and how they are said."""

import pytest

from appliance.dialogue.contacts import parse_email, parse_phone
from appliance.dialogue.speech import speak


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("3105550100", "3105550100"),
        ("+1 (310) 555-0100", "3105550100"),
        ("13105550100", "3105550100"),
        ("310.555.0100x12", "3105550100x12"),
        ("+52 55 1234 5678", "+525512345678"),
        ("+34 612 345 678", "+34612345678"),
    ],
)
def test_a_number_has_one_written_form(said: str, written: str) -> None:
    assert parse_phone(said) == written
    assert parse_phone(written) == written


@pytest.mark.parametrize(
    "value",
    ["", "5550100", "1235550100", "310555010", "31055501000", "310555o100", "3102000",
     "+3105550100", "x12", "3105550100x12345678", None, "911", "+999123456789"],
)  # fmt: skip
def test_what_is_no_number_is_refused_without_being_told(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not a telephone number"):
        parse_phone(value)


def test_a_number_of_another_country_is_told_apart() -> None:
    assert parse_phone("8112345678", ("US", "MX")) == "+528112345678"
    assert parse_phone("5512345678", ("US", "MX")) == "5512345678"


@pytest.mark.parametrize(
    ("value", "language", "said"),
    [
        ("3105550100", "en", "three one zero, five five five, zero one zero zero"),
        ("+13105550100", "en", "one, three one zero, five five five, zero one zero zero"),
        ("+525512345678", "es", ("más cinco dos, cinco cinco, uno dos tres cuatro, cinco seis"
         " siete ocho")),
        ("3105550100x12", "es", ("tres uno cero, cinco cinco cinco, cero uno cero cero,"
         " extensión uno dos")),
        ("911", "en", "nine one one"),
        ("+34612345678", "es", ("más tres cuatro, seis uno dos, tres cuatro, cinco seis,"
         " siete ocho")),
        ("612345678", "es", "seis uno dos, tres cuatro cinco, seis siete ocho"),
        ("15550101", "en", "one five five five, zero one zero one"),
        ("+999999999", "en", "plus nine nine nine, nine nine nine, nine nine nine"),
    ],
)  # fmt: skip
def test_a_number_is_said_in_groups(value: str, language: str, said: str) -> None:
    assert speak(value, "phone", language) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "language", "said"),
    [
        ("lee.b_85@gmail.com", "en", "l e e, dot, b, underscore, eight five, at, gmail dot com"),
        ("ana@acme-ny.org", "en", "a, n a, at, a, c m e dash n y dot org"),
        ("Yuw@Gmail.com", "es", "i griega u doble uve, arroba, g mail punto com"),
    ],
)
def test_an_address_is_spelled(value: str, language: str, said: str) -> None:
    assert speak(value, "email", language) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    ["", "maria", "maria@", "@gmail.com", "maria@gmail", "a b@c.com", "a..b@c.com", ".a@c.com",
     "a.@c.com", "maría@gmail.com", "a@-c.com", "a@c-.com", "a@c.c", "a@b@c.com", None,
     f"{'a' * 65}@c.com", f"a@{'b' * 250}.com"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_being_told(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not an e-mail address$"):
        parse_email(value)
