"""Names, addresses, times and the caller's own words, where they were asked for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.schema import Slot
from appliance.nlu.addresses import read_address
from appliance.nlu.contact_words import AddressWords, NamePatterns
from appliance.nlu.grammar import TimePatterns
from appliance.nlu.names import read_name
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.spanish.grammar import SPANISH
from appliance.nlu.times import find_time
from appliance.nlu.understander import Context

NLU = RuleUnderstander()


def read(text: str, slot: Slot, wanted: str = "") -> str | None:
    return NLU.understand(text, Context(slot)).slots.get(wanted or slot)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("John Smith", "John Smith"),
        ("john", "John"),
        ("my name is John Smith", "John Smith"),
        ("yes it's um john smith", "John Smith"),
        ("this is maria", "Maria"),
        ("it's Kathleen O'Brien", "Kathleen O'Brien"),
        ("john smith s m i t h", "John Smith"),
        ("John Q Public", "John Q Public"),
        ("first name john last name smith", "John Smith"),
        ("april jones please", "April Jones"),
        ("will smith", "Will Smith"),
        ("my name is john and I live on oak street", "John"),
        ("I don't want to", None),
        ("why do you need that", None),
        ("forget it", None),
        ("no", None),
        ("yes", None),
        ("12 oak street", None),
        ("this is not a good time", None),
        ("my name is not important", None),
        ("I am busy", None),
        ("a leak", None),
        ("", None),
    ],
)
def test_names(said: str, name: str | None) -> None:
    assert read(said, "name") == name


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("12 oak street", "12 Oak Street"),
        ("twelve thirty four maple avenue apartment two", "1234 Maple Avenue Apartment 2"),
        ("it's 1234 Maple Ave, Apt 2B", "1234 Maple Avenue Apartment 2B"),
        ("one oh five north main street springfield", "105 North Main Street, Springfield"),
        ("five forty second street", "5 42nd Street"),
        ("twelve fifth avenue", "12 5th Avenue"),
        ("I live at two hundred elm court", "200 Elm Court"),
        ("twelve broadway", "12 Broadway"),
        ("twenty one oh five sunset boulevard", "2105 Sunset Boulevard"),
        ("twelve hundred lake drive unit b", "1200 Lake Drive Unit B"),
        ("no it's 14 oak street", "14 Oak Street"),
        ("12 no 14 oak street", "14 Oak Street"),
        ("twelve oak street in springfield and my name is john smith", "12 Oak Street"),
        ("12 oak street springfield nine oh two one oh", "12 Oak Street, Springfield"),
        ("oak street", None),
        ("ninety nine", None),
        ("yes", None),
        ("I don't know", None),
        ("", None),
    ],
)
def test_addresses(said: str, address: str | None) -> None:
    assert read(said, "address") == address


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("ten thirty in the morning", "10:30"),
        ("ten", "10:00"),
        ("three", "15:00"),
        ("3pm", "15:00"),
        ("at 3 p.m.", "15:00"),
        ("monday at 10:30", "10:30"),
        ("half past two", "14:30"),
        ("quarter to nine", "08:45"),
        ("a quarter past eleven", "11:15"),
        ("after three", "15:00"),
        ("between two and four", "14:00"),
        ("ten o'clock", "10:00"),
        ("noon", "12:00"),
        ("tomorrow morning", "morning"),
        ("tomorrow morning at ten", "10:00"),
        ("tomorrow evening at seven", "19:00"),
        ("on the fifteenth at ten", "10:00"),
        ("in the afternoon", "afternoon"),
        ("after work", "evening"),
        ("tonight", "evening"),
        ("any time", "any"),
        ("whenever you can", "any"),
        ("ten, no, eleven", "11:00"),
        ("good morning", None),
        ("not in the morning", None),
        ("friday", None),
        ("the tenth", None),
        ("I have two kids", None),
        ("in two days", None),
        ("at ten hundred dollars", None),
        ("", None),
    ],
)
def test_times(said: str, time: str | None) -> None:
    assert read(said, "time") == time


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("my water heater is leaking", True),
        ("plumbing", True),
        ("there is no hot water", True),
        ("yes", False),
        ("yes please", False),
        ("what", False),
        ("are you a robot", False),
        ("I have a question about my bill", False),
        ("I won't tell you that", False),
        ("", False),
    ],
)
def test_own_words(said: str, kept: bool) -> None:
    assert read(said, "text") == (said if kept else None)


def test_what_is_told_beside_the_answer_is_read_too() -> None:
    said = "there's a leak at 12 oak street and my name is john smith"
    assert read(said, "text", "address") == "12 Oak Street"
    assert read(said, "text", "name") == "John Smith"


@pytest.mark.parametrize("wanted", ["name", "address", "time", "text"])
@pytest.mark.parametrize("slot", ["yes_no", "zip", "amount"])
def test_nothing_of_it_is_kept_where_it_was_not_asked_for(slot: Slot, wanted: str) -> None:
    said = "my name is john smith, 12 oak street, at ten in the morning"
    assert read(said, slot, wanted) is None


def test_a_language_without_these_readers_reads_none() -> None:
    bare = replace(SPANISH, names=NamePatterns(), addresses=AddressWords(), times=TimePatterns())
    assert read_name("juan perez", SPANISH, asked=True) == "Juan Perez"
    assert read_name("juan perez", bare, asked=True) == ""
    assert read_address("12 main", bare, asked=True) == ""
    assert find_time("a las diez", bare, asked=True) == ""


@given(st.integers(1, 12), st.sampled_from([0, 15, 30, 45]), st.sampled_from(["a m", "p m"]))
def test_every_time_of_the_clock_is_read(hour: int, minute: int, half: str) -> None:
    said = f"at {hour}:{minute:02} {half}" if minute else f"at {hour} {half}"
    of_day = hour % 12 + (12 if half == "p m" else 0)
    assert read(said, "time") == f"{of_day:02}:{minute:02}"


@given(st.text(max_size=120), st.sampled_from(["name", "address", "time", "text"]))
def test_any_text_is_read_without_a_fault(text: str, slot: Slot) -> None:
    for language in ("en", "es"):
        slots = NLU.understand(text, Context(slot, language)).slots  # type: ignore[arg-type]
        assert all(slots.values())
