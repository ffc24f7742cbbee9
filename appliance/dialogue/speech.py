"""How values are said: money and dates as words, so that the voice never guesses at figures."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_UP, Decimal, InvalidOperation

from appliance.dialogue.schema import VariableType
from appliance.dialogue.words import MONTHS, WEEKDAYS, cardinal, ordinal


def speak(value: object, kind: VariableType) -> str:
    """A variable's value as English words.

    Raises:
        ValueError: the value is not of its kind; the message names it by kind only, for it may
            be account data.
    """
    if kind == "money":
        return speak_money(parse_money(value))
    if kind == "date":
        return speak_date(parse_date(value))
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("not a text, or empty")


def speak_money(amount: Decimal) -> str:
    """240.50 is "two hundred forty dollars and fifty cents"."""
    dollars, cents = divmod(int(amount * 100), 100)
    words = []
    if dollars or not cents:
        words.append(f"{cardinal(dollars)} dollar{'' if dollars == 1 else 's'}")
    if cents:
        words.append(f"{cardinal(cents)} cent{'' if cents == 1 else 's'}")
    return " and ".join(words)


def speak_date(day: date) -> str:
    """The year is left out: "Friday, November twenty seventh"."""
    return (
        f"{WEEKDAYS[day.weekday()].capitalize()}, "
        f"{MONTHS[day.month - 1].capitalize()} {ordinal(day.day)}"
    )


SHARES = ("full", "half")
"""What a fact may say in place of a sum that is account data."""


def share_of(whole: Decimal, share: str) -> Decimal:
    """A share of a sum in whole cents; half a cent is rounded up."""
    if share == "half":
        return (whole / 2).quantize(Decimal("0.01"), rounding=ROUND_UP)
    return whole


def parse_money(value: object) -> Decimal:
    """A non-negative amount below a million, in whole cents.

    Raises:
        ValueError: it is something else.
    """
    try:
        amount = Decimal(str(value))
        exact = amount == amount.quantize(Decimal("0.01"))
    except InvalidOperation as error:
        raise ValueError("not an amount of money") from error
    if not exact or not 0 <= amount < 1_000_000:
        raise ValueError("not an amount of money from 0 to 999999.99")
    return amount


def parse_date(value: object) -> date:
    """A date, or its ISO 8601 text.

    Raises:
        ValueError: it is something else.
    """
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError("not a date as YYYY-MM-DD") from error
