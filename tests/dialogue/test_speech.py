"""Values as words."""

from datetime import date
from decimal import Decimal

import pytest

from appliance.dialogue.speech import SHARES, parse_date, parse_money, share_of, speak, speak_money
from appliance.dialogue.words import cardinal, ordinal

NINES = "nine hundred ninety nine"


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("240.50", "two hundred forty dollars and fifty cents"),
        ("1", "one dollar"),
        ("0.01", "one cent"),
        ("1.01", "one dollar and one cent"),
        ("0", "zero dollars"),
        ("1180.00", "one thousand one hundred eighty dollars"),
        ("999999.99", f"{NINES} thousand {NINES} dollars and ninety nine cents"),
        (75.25, "seventy five dollars and twenty five cents"),
    ],
)  # fmt: skip
def test_money(amount: object, said: str) -> None:
    assert speak(amount, "money") == said


@pytest.mark.parametrize(
    ("share", "amount"),
    [("full", "240.55"), ("half", "120.28"), ("third", "80.19"), ("quarter", "60.14"),
     ("two_thirds", "160.37"), ("three_quarters", "180.42")],
)  # fmt: skip
def test_a_share_is_rounded_up_to_the_cent(share: str, amount: str) -> None:
    assert share_of(Decimal("240.55"), share) == Decimal(amount)
    assert share in SHARES


@pytest.mark.parametrize(
    ("at", "english", "spanish"),
    [
        ("12:00", "noon", "las doce del mediodía"),
        ("00:00", "midnight", "las doce de la noche"),
        ("12:30", "twelve thirty p m", "las doce y treinta de la tarde"),
        ("13:05", "one oh five p m", "la una y cinco de la tarde"),
    ],
)
def test_noon_and_midnight_are_no_halves_of_a_day(at: str, english: str, spanish: str) -> None:
    assert (speak(at, "time"), speak(at, "time", "es")) == (english, spanish)


def test_currencies() -> None:
    assert speak_money(Decimal("21.01"), "es", "EUR") == "veintiún euros con un céntimo"
    assert speak_money(Decimal(1), "es", "GBP") == "una libra"
    assert speak_money(Decimal("1.02"), "en", "GBP") == "one pound and two pence"


def test_date() -> None:
    assert speak("2026-11-27", "date") == "Friday, November twenty seventh"
    assert speak(date(2026, 11, 20), "date") == "Friday, November twentieth"


@pytest.mark.parametrize("value", ["", "ten", "-1", "1000000", "1.001", None, "nan", "inf"])
def test_what_is_no_money_is_refused_without_being_told(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not an amount"):
        parse_money(value)


@pytest.mark.parametrize("value", ["", "tomorrow", "2026-02-30", None])
def test_what_is_no_date_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not a date"):
        parse_date(value)


@pytest.mark.parametrize("value", ["", "  ", None, 7])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not a text"):
        speak(value, "text")


def test_money_is_exact() -> None:
    assert parse_money("240.5") == Decimal("240.50")


def test_ordinals_and_limits() -> None:
    assert [ordinal(day) for day in (1, 12, 20, 21, 30, 31)] == [
        "first", "twelfth", "twentieth", "twenty first", "thirtieth", "thirty first",
    ]  # fmt: skip
    for wrong in (0, 32):
        with pytest.raises(ValueError, match="no day"):
            ordinal(wrong)
    for number in (-1, 1_000_000):
        with pytest.raises(ValueError, match="no words"):
            cardinal(number)
