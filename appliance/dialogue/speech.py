"""How values are said: money, dates, times and digits as words, so that the voice never guesses.

    speak(value, type, language) -> words        parse_*(value) -> checked value, or ValueError

Number words are num2words', names of days and months are babel's (CLDR); what is added here is
how the parts are joined on the telephone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import ROUND_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

from babel.dates import format_date
from num2words import num2words

from appliance.dialogue.codes import parse_code
from appliance.dialogue.contacts import speak_email, speak_phone
from appliance.dialogue.declarations import VariableType
from appliance.dialogue.grammar_es import counted
from appliance.types import Language

Currency = Literal["USD", "EUR", "GBP"]


def speak(value: object, kind: VariableType, language: Language = "en") -> str:
    """A variable's value as words of a language.

    Raises:
        ValueError: the value is not of its kind; the message names it by kind only, for it may
            be account data.
    """
    return _SPEAKERS[kind](value, language)


def speak_money(amount: Decimal, language: Language = "en", currency: Currency = "USD") -> str:
    """240.50 is "two hundred forty dollars and fifty cents"."""
    whole, part = divmod(int(amount * 100), 100)
    unit, subunit = _MONEY[language][currency]
    words = []
    if whole or not part:
        words.append(_counted(whole, unit, language))
    if part:
        words.append(_counted(part, subunit, language))
    return _AND[language].join(words)


def speak_date(day: date, language: Language = "en") -> str:
    """The year is left out: "Friday, November twenty seventh", "viernes veintisiete de …"."""
    if language == "es":
        number = "primero" if day.day == 1 else speak_number(day.day, "es")
        return f"{format_date(day, 'EEEE', 'es')} {number} de {format_date(day, 'MMMM', 'es')}"
    ordinal = num2words(day.day, to="ordinal", lang="en").replace("-", " ")
    return f"{format_date(day, 'EEEE, MMMM', 'en')} {ordinal}"


def speak_year(year: int, language: Language = "en") -> str:
    """2025 is "twenty twenty five", "dos mil veinticinco"."""
    if language == "es":
        return speak_number(year, "es")
    return str(num2words(year, to="year", lang="en")).replace("-", " ")


def speak_time(at: time, language: Language = "en") -> str:
    """15:30 is "three thirty p m", "las tres y treinta de la tarde"; 12:00 is "noon"."""
    hour = at.hour % 12 or 12
    sharp = not at.minute and hour == 12
    if language == "es":
        words = f"la{'' if hour == 1 else 's'} {'una' if hour == 1 else speak_number(hour, 'es')}"
        minutes = f" y {speak_number(at.minute, 'es')}" if at.minute else ""
        if sharp:
            return f"{words} {'de la noche' if at.hour < 12 else 'del mediodía'}"
        return f"{words}{minutes} {_part_of_day(at.hour)}"
    if sharp:
        return "midnight" if at.hour < 12 else "noon"
    minutes = f" {'oh ' if at.minute < 10 else ''}{speak_number(at.minute)}" if at.minute else ""
    return f"{speak_number(hour)}{minutes} {'a' if at.hour < 12 else 'p'} m"


def speak_number(value: int, language: Language = "en") -> str:
    """A whole number: 240 is "two hundred forty"."""
    words = str(num2words(value, lang=language))
    if language == "es":
        return words.replace("veintiuno mil", "veintiún mil").replace(" uno mil", " un mil")
    return words.replace(" and ", " ").replace("-", " ").replace(",", "")


def speak_digits(digits: str, language: Language = "en") -> str:
    """Digit by digit: "nine zero two one zero"."""
    return " ".join(speak_number(int(each), language) for each in digits)


def _speak_text(value: object, _: Language) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("not a text, or empty")


def _speak_whole(value: object, language: Language) -> str:
    try:
        return speak_number(int(str(value)), language)
    except ValueError as error:
        raise ValueError("not a whole number") from error


def _unspeakable(_value: object, _language: Language) -> str:
    raise ValueError("a passage: only its flow knows the text")


_SPEAKERS: dict[VariableType, Callable[[object, Language], str]] = {
    "text": _speak_text,
    "name": _speak_text,
    "address": _speak_text,
    "money": lambda value, language: speak_money(parse_money(value), language),
    "date": lambda value, language: speak_date(parse_date(value), language),
    "time": lambda value, language: speak_time(parse_time(value), language),
    "digits": lambda value, language: speak_digits(parse_digits(value), language),
    "code": lambda value, _: parse_code(value),
    "phone": speak_phone,
    "email": speak_email,
    "number": _speak_whole,
    "passage": _unspeakable,
}

_AND: dict[Language, str] = {"en": " and ", "es": " con "}
_MONEY: dict[Language, dict[Currency, tuple[tuple[str, str], tuple[str, str]]]] = {
    "en": {
        "USD": (("dollar", "dollars"), ("cent", "cents")),
        "EUR": (("euro", "euros"), ("cent", "cents")),
        "GBP": (("pound", "pounds"), ("penny", "pence")),
    },
    "es": {
        "USD": (("dólar", "dólares"), ("centavo", "centavos")),
        "EUR": (("euro", "euros"), ("céntimo", "céntimos")),
        "GBP": (("libra", "libras"), ("penique", "peniques")),
    },
}


def _counted(count: int, noun: tuple[str, str], language: Language) -> str:
    """A number with its noun; Spanish shortens "uno" before one: "veintiún dólares"."""
    words = counted(count, noun[0]) if language == "es" else speak_number(count)
    return f"{words} {noun[count != 1]}"


def _part_of_day(hour: int) -> str:
    if hour < 6:
        return "de la madrugada"
    if hour < 12:
        return "de la mañana"
    return "de la tarde" if hour < 20 else "de la noche"


SAMPLES: Mapping[VariableType | Literal["data"], str] = {
    "text": "something",
    "name": "Maria Lopez",
    "address": "1420 N. Main St., Apt 4B",
    "date": "2026-11-20",
    "time": "15:30",
    "money": "100.00",
    "number": "3",
    "digits": "12345",
    "code": "KX47-2",
    "phone": "15550100",
    "email": "someone@example.com",
    "passage": "",
    "data": "{}",
}
"""A value of each type, invented: for rehearsals, and in logs in place of a private one.

Passages have none: each flow has its own (`rehearsal.sample_fact`).
"""


SHARES: Mapping[str, Fraction] = {
    "full": Fraction(1),
    "three_quarters": Fraction(3, 4),
    "two_thirds": Fraction(2, 3),
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
}
"""What a fact may say in place of a sum that is account data."""


def share_of(whole: Decimal, share: str) -> Decimal:
    """A share (see `SHARES`) of a sum in whole cents; a part of a cent is rounded up."""
    part = SHARES[share]
    exact = whole * part.numerator / part.denominator
    return exact.quantize(Decimal("0.01"), rounding=ROUND_UP)


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


def parse_time(value: object) -> time:
    """A time of day, or its ISO 8601 text.

    Raises:
        ValueError: it is something else.
    """
    try:
        return value if isinstance(value, time) else time.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError("not a time as HH:MM") from error


def parse_digits(value: object) -> str:
    """Digits; a telephone number's plus, spaces and dashes are dropped.

    Raises:
        ValueError: it is something else.
    """
    digits = re.sub(r"[\s+().-]", "", str(value))
    if not re.fullmatch(r"[0-9]{1,32}", digits):
        raise ValueError("not digits")
    return digits
