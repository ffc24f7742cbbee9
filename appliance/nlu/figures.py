"""Brings numbers in figures to one form, as they are written in a language: "1200.50".

    "1,200.50" and, in Spanish, "1.200,50"  ->  "1200.50"
    "$ 50", "50 $", "US$50"                 ->  "$50"
    "50%"                                   ->  "50 percent"

Recognizers write words; text channels write figures.
"""

from __future__ import annotations

import re

_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?(?![.,]?\d)")
_DECIMALS = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![.,]?\d)")
_SIGN_BEFORE = re.compile(r"(?:\bus)?\$\s*(?=\d)")
_SIGN_AFTER = re.compile(r"(?<![\w.,])(\d[\d.,]*\d|\d)\s*(?:us)?\$(?!\s*\d)")
_POINT_FIRST = re.compile(r"(?<=\$)\s*\.(?=\d)")
_EURO_BEFORE = re.compile(r"€\s*(\d[\d.,]*\d|\d)")
_THOUSAND_LETTER = re.compile(r"(?<=\d)\s?k\b")


def dollars_first(text: str) -> str:
    """One place for the signs of currencies: "50 $" is "$50", "€50" is "50 euros"."""
    text = _POINT_FIRST.sub("0.", text)
    text = _SIGN_AFTER.sub(r"$\1", _SIGN_BEFORE.sub("$", text))
    return _EURO_BEFORE.sub(r"\1 euros", text).replace("€", " euros ")


def decimal_commas(text: str) -> str:
    """Figures as they are written where the comma is the decimal mark."""
    text = _THOUSANDS.sub(
        lambda match: match[1].replace(".", "") + (f".{match[2]}" if match[2] else ""), text
    )
    return _DECIMALS.sub(r"\1.\2", text)


def thousand_letter(text: str, word: str) -> str:
    """The letter of "5k" as the language's word for a thousand."""
    return _THOUSAND_LETTER.sub(f" {word}", text)
