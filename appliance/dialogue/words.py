"""English number words, the one table that speaking, redaction and understanding share."""

from __future__ import annotations

UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

UNIT_VALUES = {word: value for value, word in enumerate(UNITS)} | {
    "oh": 0, "o": 0, "nought": 0, "naught": 0, "niner": 9,
}  # fmt: skip
TEEN_VALUES = {word: value for value, word in enumerate(TEENS, 10)}
TENS_VALUES = {word: 10 * value for value, word in enumerate(TENS, 2)} | {"fourty": 40}
SCALES = {"hundred": 100, "thousand": 1000}
REPEATS = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
PLURAL_VALUES = {
    "zeros": 0, "zeroes": 0, "ohs": 0, "ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5,
    "sixes": 6, "sevens": 7, "eights": 8, "nines": 9,
}  # fmt: skip
"""Digits as things: "three zeros"."""

HOMOPHONES = {
    "to": "two",
    "too": "two",
    "for": "four",
    "ate": "eight",
    "won": "one",
    "tree": "three",
}
"""What a recognizer writes for a digit; trusted only between digits."""

ORDINAL_UNITS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
ORDINAL_TENS = {"twentieth": 20, "thirtieth": 30}
ORDINAL_VALUES = {word: value for value, word in enumerate(ORDINAL_UNITS, 1)} | ORDINAL_TENS

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def cardinal(value: int) -> str:
    """A whole number in words, "and"-less: 240 is "two hundred forty".

    Raises:
        ValueError: the number is negative or a million and more.
    """
    if not 0 <= value < 1_000_000:
        raise ValueError(f"no words for {value}")
    if value < 10:
        return UNITS[value]
    if value < 20:
        return TEENS[value - 10]
    if value < 100:
        return _joined(TENS[value // 10 - 2], value % 10)
    if value < 1000:
        return _joined(f"{UNITS[value // 100]} hundred", value % 100)
    return _joined(f"{cardinal(value // 1000)} thousand", value % 1000)


def _joined(head: str, rest: int) -> str:
    return f"{head} {cardinal(rest)}" if rest else head


def ordinal(value: int) -> str:
    """A day of the month in words: 21 is "twenty first".

    Raises:
        ValueError: outside 1..31.
    """
    if not 1 <= value <= 31:
        raise ValueError(f"no day {value}")
    if value < 20:
        return ORDINAL_UNITS[value - 1]
    if value % 10 == 0:
        return {20: "twentieth", 30: "thirtieth"}[value]
    return f"{TENS[value // 10 - 2]} {ORDINAL_UNITS[value % 10 - 1]}"
