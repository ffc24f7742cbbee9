"""What an English voice would read wrong; see `readout`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from appliance.dialogue import words
from appliance.dialogue.readout import STOP, Rule, clock, figures, rule, short_words
from appliance.dialogue.speech import speak_digits, speak_number, speak_year

_TITLES = {
    "Mr": "Mister", "Mrs": "Missis", "Ms": "Miz", "Prof": "Professor", "Rev": "Reverend",
    "Sgt": "Sergeant", "Lt": "Lieutenant", "Gov": "Governor", "Sen": "Senator",
}  # fmt: skip
"""Before a name: the full stop ends no sentence."""
_SHORT = {
    "Inc.": "Inc", "Co.": "Company", "Corp.": "Corporation", "Ltd.": "Limited", "Bros.": "Brothers",
    "Dept.": "Department", "Ave.": "Avenue", "Blvd.": "Boulevard", "Rd.": "Road", "Ln.": "Lane",
    "Hwy.": "Highway", "Apt.": "apartment", "Ste.": "suite", "ext.": "extension", "vs.": "versus",
    "approx.": "approximately", "e.g.": "for example", "i.e.": "that is", "etc.": "et cetera",
    "sq. ft.": "square feet", "sq ft": "square feet", "ft.": "feet", "lbs": "pounds",
    "hrs": "hours", "mins": "minutes", "and/or": "and or", "N/A": "not applicable",
    "A/C": "A C", "24/7": "twenty four seven", "Jr.": "Junior", "Sr.": "Senior",
}  # fmt: skip
_CAPITALS = {"ZIP": "zip", "PIN": "pin", "OSB": "O S B", "HOA": "H O A", "VIN": "vin"}
"""Written in capitals and said as words, or the other way round; all others espeak knows."""
_MONTHS = {name[:3]: name.title() for name in words.MONTHS}
_WRITTEN_MONTHS = [
    *(each.title() for each in words.MONTHS),
    "Sept",
    *(each.title() for each in _MONTHS),
]
_FRACTIONS: Mapping[str, str] = {
    "1/2": "a half", "1/3": "a third", "2/3": "two thirds", "1/4": "a quarter",
    "3/4": "three quarters", "1/8": "an eighth", "3/8": "three eighths",
    "5/8": "five eighths", "7/8": "seven eighths",
}  # fmt: skip
_A_M = {"a": "ˌeɪˈɛm", "p": "pˌiːˈɛm"}
"""Written in letters, "a m" would be an article and an m."""
_NAME = r" (?!(?:Is|Are|Do|Does|Can|Will|The|We|You|It|I|If|And|Or|Please|That|This)\b)[A-Z]| ?$"
"""What follows is a name, or the place of one; no new sentence."""


def _fraction(found: re.Match[str]) -> str:
    part = _FRACTIONS[found["part"]]
    whole = found["whole"]
    return f"{speak_number(int(whole))} and {part}" if whole else part


def _day(found: re.Match[str]) -> str:
    month = _MONTHS[found["month"][:3].lower()]
    year = f", {speak_year(int(found['year']))}" if found["year"] else ""
    return f"{month} {words.ordinal(int(found['day']))}{year}"


def _written_day(found: re.Match[str]) -> str:
    day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    month = words.MONTHS[day.month - 1].title()
    return f"{month} {words.ordinal(day.day)}, {speak_year(day.year)}"


def _large(found: re.Match[str]) -> str:
    amount = Decimal(found[1].replace(",", ""))
    whole, _, part = str(amount).partition(".")
    said = speak_number(int(whole)) + (f" point {speak_digits(part)}" if part else "")
    return f"{said} {found[2]} dollars"


_DATES = [
    rule(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b", _written_day),
    rule(r"\b(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})\b", _written_day),
    rule(
        rf"\b(?P<month>{'|'.join(_WRITTEN_MONTHS)})\.?"
        rf" (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>(?:19|20)\d{{2}}))?\b(?!:)",
        _day,
    ),
    rule(r"(?<=\b[Ii]n )(?:19|20)\d{2}\b|(?<=\bsince )(?:19|20)\d{2}\b",
         lambda found: speak_year(int(found[0]))),
]  # fmt: skip

_TIMES = [
    rule(
        r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:]|[.,]\d)",
        lambda found: clock(found, "en"),
    ),
    Rule(
        re.compile(
            rf"(?<![\w'’.])([ap])(?:\. ?m| m)\b{STOP}|(?<=\d)(?<! ) ?([ap])m\b", re.IGNORECASE
        ),
        lambda found: _A_M[(found[1] or found[2]).lower()],
        "phoneme",
    ),
]

RULES: tuple[Rule, ...] = (
    rule(r"\$ ?(\d+(?:\.\d+)?) (thousand|million|billion)", _large),
    *figures("en", {".": "dot", "/": "slash", "-": "dash"}),
    *_DATES,
    short_words(_SHORT),
    *_TIMES,
    rule(rf"\b({'|'.join(_TITLES)})\.?(?= |$)", lambda found: _TITLES[found[1]]),
    rule(rf"\bDr\.?(?={_NAME})", lambda _: "Doctor"),
    rule(rf"\bSt\.(?={_NAME})", lambda _: "Saint"),
    rule(rf"(?<=[a-z] )Dr(?=\.){STOP}", lambda _: "Drive"),
    rule(rf"(?<=[a-z] )St(?=\.){STOP}", lambda _: "Street"),
    rule(r"(?i)\b911\b|(?<=\bcall )[2-8]11\b|(?<=\bdial )[2-8]11\b",
         lambda found: speak_digits(found[0])),
    rule(r"(?i)(?<=\bzip code )\d{5}\b|(?<=\bzip )\d{5}\b", lambda found: speak_digits(found[0])),
    rule(rf"\b({'|'.join(_CAPITALS)})\b", lambda found: _CAPITALS[found[1]]),
    rule(rf"(?<![\w/])(?:(?P<whole>\d+) )?(?P<part>{'|'.join(_FRACTIONS)})(?![\w/])", _fraction),
    rule(r"(?<![\w-])(\d{1,3}) ?[-–] ?(\d{1,3})(?![\w-])",
         lambda found: f"{speak_number(int(found[1]))} to {speak_number(int(found[2]))}"),
    rule(r"\b(\d+) ?x ?(\d+)\b",
         lambda found: f"{speak_number(int(found[1]))} by {speak_number(int(found[2]))}"),
    rule(r"(?:#|\bNo\.) ?(\d+)\b", lambda found: f"number {speak_number(int(found[1]))}"),
    rule(r"(?<= )&(?= )", lambda _: "and"),
    rule(r"\b[a-z]+(?:/[a-z]+)+\b", lambda found: found[0].replace("/", " or ")),
)  # fmt: skip
