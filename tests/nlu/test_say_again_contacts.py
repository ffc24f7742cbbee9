"""What is said of a number or an address is read as it again; so is each way callers group it."""

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from appliance.dialogue.contacts import parse_email, parse_phone
from appliance.dialogue.schema import Slot
from appliance.dialogue.speech import speak, speak_digits, speak_number
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

LANGUAGES = st.sampled_from(get_args(Language))
NLU = RuleUnderstander()
DIGITS = st.text("0123456789", min_size=10, max_size=10)


def heard(said: str, slot: Slot, language: Language) -> str:
    return NLU.understand(said, Context(slot, language)).slots.get(slot, "")


def possible(digits: str) -> bool:
    try:
        return parse_phone(digits) == digits
    except ValueError:
        return False


@st.composite
def phones(draw: st.DrawFn) -> str:
    """Numbers of ten figures that can exist."""
    area = draw(st.sampled_from(["212", "310", "415", "202", "305", "787", "800", "907", "512"]))
    number = (
        area
        + draw(st.sampled_from("23456789"))
        + draw(st.text("0123456789", min_size=6, max_size=6))
    )
    assume(possible(number))
    return number


@given(phones(), LANGUAGES)
def test_a_number_that_is_said_is_read_again(number: str, language: Language) -> None:
    assert heard(speak(number, "phone", language), "phone", language) == number
    assert heard(speak(f"+1{number}", "phone", language), "phone", language) == number


@given(phones(), st.text("0123456789", min_size=1, max_size=5), LANGUAGES)
def test_an_extension_that_is_said_is_read_again(
    number: str, extension: str, language: Language
) -> None:
    value = f"{number}x{extension}"
    assert heard(speak(value, "phone", language), "phone", language) == value


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize(
    "number", ["+525512345678", "+34612345678", "+442079460958", "+4930901820"]
)
def test_a_foreign_number_that_is_said_is_read_again(number: str, language: Language) -> None:
    assert parse_phone(number) == number
    assert heard(speak(number, "phone", language), "phone", language) == number


def spoken(group: str, way: str, language: Language) -> list[str]:
    """A group of figures: one by one, or in pairs as far as they go, the odd one first."""
    if way == "one by one":
        return [speak_digits(each, language) for each in group]
    odd = len(group) % 2
    pairs = [group[:1]] * odd + [group[at : at + 2] for at in range(odd, len(group), 2)]
    return [
        speak_digits(pair, language) if pair[0] == "0" else speak_number(int(pair), language)
        for pair in pairs
    ]


GROUPINGS = ((3, 3, 4), (3, 3, 2, 2), (2, 2, 2, 2, 2), (2, 4, 4), (3, 7), (10,), (6, 4), (1, 3, 6))
WAYS = st.sampled_from(["one by one", "pairs"])
TENS = {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
UNITS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}


@given(phones(), st.sampled_from(GROUPINGS), st.lists(WAYS, min_size=5, max_size=5), LANGUAGES)
def test_a_number_is_read_in_every_grouping(
    number: str, grouping: tuple[int, ...], ways: list[str], language: Language
) -> None:
    at, said = 0, []
    for length, way in zip(grouping, ways, strict=False):
        said += spoken(number[at : at + length], way, language)
        at += length
    # "twenty" and then "one" sounds like "twenty one": nobody could tell them apart
    assume(not any(one in TENS and two in UNITS for one, two in pairwise(said)))
    assert heard(" ".join(said), "phone", language) == number


@given(phones(), st.integers(1, 9), LANGUAGES)
def test_a_number_may_come_in_two_turns(number: str, at: int, language: Language) -> None:
    assume(number[at] != number[0])  # what begins like the number may be said from its start again
    begun = NLU.understand(speak_digits(number[:at], language), Context("phone", language))
    assert begun.slots == {"digits": number[:at]}
    context = Context("phone", language, said_digits=number[:at])
    more = NLU.understand(speak_digits(number[at:], language), context)
    assert more.slots == {"phone": number}


LETTERS = "abcdefghijklmnopqrstuvwxyz"


@st.composite
def emails(draw: st.DrawFn) -> str:
    part = st.text(LETTERS + "0123456789", min_size=1, max_size=10)
    parts = draw(st.lists(part, min_size=1, max_size=3))
    signs = draw(st.lists(st.sampled_from("._-+"), min_size=3, max_size=3))
    local = "".join(a + b for a, b in zip(parts, signs, strict=False))[:-1]
    label = st.text(LETTERS, min_size=1, max_size=10)
    host = draw(st.sampled_from(["gmail", "hotmail", "yahoo", "outlook"]) | label)
    ending = draw(st.sampled_from(["com", "org", "net", "com.mx", "co.uk", "es"]))
    address = f"{local}@{host}.{ending}"
    assert parse_email(address) == address
    return address


@given(emails(), LANGUAGES)
def test_an_address_that_is_said_is_read_again(address: str, language: Language) -> None:
    assert heard(speak(address, "email", language), "email", language) == address


@given(emails(), LANGUAGES)
def test_a_written_address_is_read(address: str, language: Language) -> None:
    assert heard(f"sí, {address}.", "email", language) == address
    assert heard(address.upper(), "email", language) == address


@given(st.text(max_size=120), st.sampled_from(["phone", "email"]), LANGUAGES)
def test_any_text_is_read_without_a_fault(text: str, slot: Slot, language: Language) -> None:
    value = heard(text, slot, language)
    if value:
        assert (parse_email if slot == "email" else parse_phone)(value) == value
