"""Amounts that callers offer."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.speech import speak_money
from appliance.nlu.amounts import read_amount
from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.english.words import normalize


@pytest.mark.parametrize(
    ("said", "asked", "amount"),
    [
        ("two hundred dollars", False, "200.00"),
        ("fifty", True, "50.00"),
        ("fifty", False, ""),
        ("I can do fifty", False, "50.00"),
        ("fifty bucks", False, "50.00"),
        ("one hundred and twenty dollars and fifty cents", False, "120.50"),
        ("twenty dollars fifty", False, "20.50"),
        ("fifty cents", False, "0.50"),
        ("a hundred", True, "100.00"),
        ("a hundred dollars", False, "100.00"),
        ("twelve hundred", True, "1200.00"),
        ("one fifty", True, "150.00"),
        ("two twenty five", True, "225.00"),
        ("a couple hundred", True, "200.00"),
        ("one grand", True, "1000.00"),
        ("$240.50", False, "240.50"),
        ("1,200 dollars", False, "1200.00"),
        ("the full amount", False, "full"),
        ("all of it", True, "full"),
        ("I'll pay it in full", False, "full"),
        ("everything", True, "full"),
        ("half", True, "half"),
        ("half of it", False, "half"),
        ("in half an hour", False, ""),
        ("I can't pay it in full", False, ""),
        ("I can't pay two hundred", False, ""),
        ("I cannot pay two hundred but fifty dollars is okay", False, "50.00"),
        ("maybe forty", True, "40.00"),
        ("thirty percent", True, ""),
        ("I have three kids", False, ""),
        ("zero", True, ""),
        ("a thousand grand", True, ""),
        ("1000000 dollars", True, ""),
        ("nothing", True, ""),
        ("yes", True, ""),
    ],
)
def test_amounts(said: str, asked: bool, amount: str) -> None:
    assert read_amount(normalize(said).split(), ENGLISH, asked=asked) == amount


@given(st.integers(1, 99_999_999))
def test_what_the_voice_says_is_understood_again(cents: int) -> None:
    amount = Decimal(cents) / 100
    said = normalize(speak_money(amount)).split()
    assert Decimal(read_amount(said, ENGLISH, asked=True)) == amount
