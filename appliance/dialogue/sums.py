"""Sums of money in a running text: "$5", "1.204,05 €", "20 USD", "$5-$10", "$5/hr".

sums("en") ── Rule ──> "five to ten dollars an hour"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from appliance.dialogue.readout import Rule, rule
from appliance.dialogue.speech import Currency, speak_money, speak_number
from appliance.types import Language

_SIGNS: Mapping[str, Currency] = {
    "$": "USD", "€": "EUR", "£": "GBP", "USD": "USD", "EUR": "EUR", "GBP": "GBP",
}  # fmt: skip
_SIGN = r"(?:[$€£]|\b(?:USD|EUR|GBP)\b)"
_AMOUNTS: Mapping[Language, str] = {
    "en": r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{2})?|\.\d{2}",
    "es": r"(?:\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,]\d{2})?",
}
_END = r"(?!\d|[.,]\d| ?(?:thousand|million|billion|mil|millón|millones)\b)"
_TO: Mapping[Language, str] = {"en": "to", "es": "a"}
_PER: Mapping[Language, Mapping[str, str]] = {
    "en": {"month": "a month", "mo": "a month", "hour": "an hour", "hr": "an hour",
           "day": "a day", "week": "a week", "wk": "a week", "year": "a year", "yr": "a year",
           "night": "a night", "person": "a person"},
    "es": {"mes": "al mes", "hora": "por hora", "h": "por hora", "día": "al día",
           "semana": "a la semana", "año": "al año", "noche": "por noche",
           "persona": "por persona"},
}  # fmt: skip


def sums(language: Language) -> list[Rule]:
    """Sums with their sign before or after, ranges of them, and what they are paid for."""
    amount, per = _AMOUNTS[language], "|".join(_PER[language])
    tail = rf"(?:/(?P<per>{per})\b)?"
    before = (
        rf"(?P<sign>{_SIGN}) ?(?P<low>{amount}){_END}"
        rf"(?: ?[-–] ?{_SIGN}?(?P<high>{amount}){_END})?{tail}"
    )
    after = (
        rf"(?<![\w.,$€£-])(?P<low>{amount})(?: ?[-–] ?(?P<high>{amount}))?"
        rf" ?(?P<sign>[$€£]|(?:USD|EUR|GBP)\b)(?!\d){tail}"
    )
    return [rule(each, lambda found: _say(found, language)) for each in (before, after)]


def _say(found: re.Match[str], language: Language) -> str:
    currency = _SIGNS[found["sign"]]
    low = _amount(found["low"])
    said = speak_money(low, language, currency)
    if found["high"]:
        high = _amount(found["high"])
        whole = low == int(low) and high == int(high)
        first = speak_number(int(low), language) if whole else said
        said = f"{first} {_TO[language]} {speak_money(high, language, currency)}"
    return f"{said} {_PER[language][found['per']]}" if found["per"] else said


def _amount(written: str) -> Decimal:
    """Two figures after the last sign are cents; other signs part thousands."""
    cents = re.search(r"[.,](\d{2})$", written)
    whole = re.sub(r"\D", "", written[: cents.start()] if cents else written)
    return Decimal(f"{whole or 0}.{cents[1] if cents else 0}")
