"""Marks: what is written stays plain, what is spoken is checked, and no value can be a mark."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.markup import (
    Piece,
    around_slot,
    assert_authored,
    escape,
    heard,
    mark,
    parse,
    plain,
)

FAULTS = [
    ("a < b", "write &lt;"),
    ("<emphasis>Now</emphasis>", "<emphasis> is no mark here: there are break, phoneme, prosody"),
    ("Wait<brake time='1s'/>", "is no mark here"),
    ("<break/>", 'has one attribute: time="…"'),
    ('<break strength="weak"/>', 'has one attribute: time="…"'),
    ('<break time="300"/>', "as 300ms or 1.5s"),
    ('<break time="10ms"/>', "from 20ms to 3s"),
    ('<break time="9s"/>', "from 20ms to 3s"),
    ('<break time="1s">', "write <break"),
    ('a</break>', "has none"),
    ('<prosody rate="slow">so', "is not closed: add </prosody>"),
    ("so</prosody>", "closes no <prosody>: nothing is open"),
    ('<prosody rate="slow"><sub alias="x">y</prosody></sub>', "</sub> is due"),
    ('<prosody rate="fast"><prosody rate="slow">x</prosody></prosody>', "inside another"),
    ('<prosody rate="10%">x</prosody>', "50% to 150%"),
    ('<prosody pitch="high">x</prosody>', 'has one attribute: rate="…"'),
    ('<prosody rate="slow" pitch="low">x</prosody>', "has one attribute"),
    ('<sub alias="">x</sub>', "alias is empty"),
    ('<sub alias="a"><break time="1s"/></sub>', "holds text alone"),
    ('<sub alias="a"><phoneme ph="b">c</phoneme></sub>', "holds text alone"),
    ('<phoneme ph="wɪk!">x</phoneme>', "! is no sign of IPA"),
    ('<say-as interpret-as="digits">12</say-as>', "only texts of a flow have it"),
]  # fmt: skip


@pytest.mark.parametrize(("speech", "said"), FAULTS)
def test_a_faulty_mark_is_named_with_its_remedy(speech: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        parse(speech)
    assert said in str(error.value)


def test_a_text_is_parsed_into_its_pieces() -> None:
    speech = (
        'Hold on.<break time="0.3s"/> <prosody rate="slow">You owe '
        '<slot name="sum">two &amp; <sub alias="a half">1/2</sub></slot></prosody>, '
        '<phoneme ph="nwˈɛn">Nguyen</phoneme>.'
    )
    assert parse(speech) == (
        Piece("Hold on.", "Hold on."),
        Piece(pause_ms=300),
        Piece(" ", " "),
        Piece("You owe ", "You owe ", rate=0.8),
        Piece("two & ", "two & ", rate=0.8, slot="sum"),
        Piece("1/2", "a half", rate=0.8, slot="sum"),
        Piece(", ", ", "),
        Piece("Nguyen", "Nguyen", "nwˈɛn"),
        Piece(".", "."),
    )
    assert plain(speech) == "Hold on. You owe two & 1/2, Nguyen."
    assert heard(speech) == "Hold on. You owe two & a half, Nguyen."


@pytest.mark.parametrize(
    ("speech", "text"),
    [
        ("One,<break time='1s'/>two", "One,two"),
        ("One <break time='1s'/> two", "One two"),
        ("One<break time='1s'/> two", "One two"),
        ("R&B &amp; T&C &copy;", "R&B & T&C &copy;"),
        ('half <prosody rate="slow">open', "half open"),
        ("a > b", "a > b"),
    ],
)
def test_a_text_without_its_marks(speech: str, text: str) -> None:
    assert plain(speech) == text


def test_the_place_of_a_slot_is_seen_by_who_proves_texts() -> None:
    assert heard(f"You owe {around_slot('balance', '')}.") == "You owe [balance]."


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs",))))
def test_no_value_can_be_a_mark(value: str) -> None:
    """Whatever an account holds, it comes out as text, inside its slot and in one piece."""
    speech = f"Hello {around_slot('name', escape(value))}."
    pieces = [piece for piece in parse(speech) if piece.slot]
    if value:
        assert "".join(piece.text for piece in pieces) == value
        assert not any(piece.phones or piece.pause_ms for piece in pieces)
        assert {piece.rate for piece in pieces} <= {1.0}


@given(
    st.text(alphabet=string.ascii_letters + "<>&\"'= /", min_size=1).map(str.strip).filter(bool),
    st.text(alphabet=string.ascii_letters + "<>&\"'= /[]", min_size=1),
)
def test_a_mark_holds_any_words(alias: str, text: str) -> None:
    assert parse(mark("sub", alias, text)) == (Piece(text, alias),)


@pytest.mark.parametrize(
    "text",
    ['<slot name="x">y</slot>', 'Hi <slot name="x"/>', '<sub alias="{name}">x</sub>', "</slot>"],
)
def test_what_only_the_engine_writes_is_refused_in_a_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"write {name}|only around it"):
        assert_authored(text)
