"""What an English voice would read wrong; see `readout`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from appliance.dialogue import words
from appliance.dialogue.clocks import clock_en
from appliance.dialogue.readout import FOLLOWED, STOP, Rule, figures, rule, short_words
from appliance.dialogue.speech import speak_digits, speak_number, speak_year
from appliance.dialogue.sums import sums

_TITLES = {
    "Mr": "Mister", "Mrs": "Missis", "Ms": "Miz", "Prof": "Professor", "Rev": "Reverend",
    "Sgt": "Sergeant", "Lt": "Lieutenant", "Gov": "Governor", "Sen": "Senator",
}  # fmt: skip
"""Before a name: the full stop ends no sentence."""
_SHORT = {
    "Inc.": "Inc", "Co.": "Company", "Corp.": "Corporation", "Ltd.": "Limited", "Bros.": "Brothers",
    "Dept.": "Department", "Ave.": "Avenue", "Blvd.": "Boulevard", "Rd.": "Road", "Ln.": "Lane",
    "Hwy.": "Highway", "vs.": "versus", "e.g.": "for example", "i.e.": "that is",
    "etc.": "et cetera", "sq. ft.": "square feet", "sq ft": "square feet", "ft.": "feet",
    "lbs": "pounds", "hrs": "hours", "mins": "minutes", "and/or": "and or", "N/A": "not applicable",
    "A/C": "A C", "24/7": "twenty four seven", "Jr.": "Junior", "Sr.": "Senior",
}  # fmt: skip
_BEFORE_FIGURES = {"Apt.": "apartment", "Ste.": "suite", "ext.": "extension",
                   "approx.": "approximately", "Rte.": "Route"}  # fmt: skip
_BEFORE_NAMES = {"Mt": "Mount", "Ft": "Fort", "Gen": "General", "Col": "Colonel", "Capt": "Captain",
                 "Hon": "Honorable", "Natl": "National"}  # fmt: skip
_STREETS = {"St": "Street", "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Dr": "Drive",
            "Ln": "Lane", "Ct": "Court", "Pl": "Place"}  # fmt: skip
_CORNERS = {"NE": "Northeast", "NW": "Northwest", "SE": "Southeast", "SW": "Southwest",
            "N": "North", "S": "South", "E": "East", "W": "West"}  # fmt: skip
_MEASURES = {
    "km/h": "kilometers per hour", "mph": "miles per hour", "km": "kilometers", "kg": "kilograms",
    "cm": "centimeters", "lb": "pounds", "lbs": "pounds", "oz": "ounces", "ft": "feet",
    "sq. ft": "square feet", "sq ft": "square feet", "°F": "degrees Fahrenheit",
    "°C": "degrees Celsius", "°": "degrees",
}  # fmt: skip
_SINGULAR = {"feet": "foot", "inches": "inch"}
_DECADES = ("", "", "twenties", "thirties", "forties", "fifties", "sixties", "seventies",
            "eighties", "nineties")  # fmt: skip
_WEEKDAYS = {each[:2].title(): each.title() for each in words.WEEKDAYS}
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_PARTS = "Chapter|Part|Section|Phase|Title|War|Article|Stage|Class|Type|Level"
_RULERS = "Henry|Louis|George|Edward|Charles|Elizabeth|James|William|Richard|Philip|John Paul|Pius"
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


def _days(found: re.Match[str]) -> str:
    first, last = _WEEKDAYS[found["first"][:2]], found["last"]
    return f"{first} to {_WEEKDAYS[last[:2]]}" if last else first


def _roman(found: re.Match[str]) -> str:
    value = _ROMANS.index(found["roman"]) + 1
    if found["part"]:
        return f"{found['name']} {speak_number(value)}"
    return f"{found['name']} the {words.ordinal(value)}"


def _decade(found: re.Match[str]) -> str:
    tens = _DECADES[int(found["tens"])]
    return f"{speak_number(int(found['century']))} {tens}" if found["century"] else tens


def _zip(found: re.Match[str]) -> str:
    return ", ".join(speak_digits(part) for part in found[0].split("-"))


def _measure(found: re.Match[str]) -> str:
    measure = _MEASURES[found["unit"]]
    if found["count"] == "1":
        first, _, rest = measure.partition(" ")
        measure = f"{_SINGULAR.get(first, first.removesuffix('s'))} {rest}".rstrip()
    return f"{found['count']} {measure}"


_DAY = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_AFTER_DAY = rf"(?=,| (?:at|from|to|and|or)\b| \d| {_DAY}\b)"
_WEEK = [
    rule(rf"\b(?P<first>{_DAY})\.? ?[-–] ?(?P<last>{_DAY})\b{STOP}", _days),
    rule(rf"\b(?P<first>{_DAY})(?P<last>)(?:\.|(?=,)){_AFTER_DAY}",
         _days),
]  # fmt: skip
_NAMES = [
    rule(rf"\b((?:[A-Z]\.){{2,}})(?={_NAME})", lambda found: found[1][:-1]),
    rule(r"\b([B-Z])\.(?= [A-Z]\. )|(?<=[A-Z]\. )([B-Z])\.(?= [A-Z][a-z])"
         r"|(?<=\bM[rs]\. )([B-Z])\.(?= )|(?<=\bMrs\. )([B-Z])\.(?= )",
         lambda found: next(filter(None, found.groups()))),
    rule(rf"\b({'|'.join(_BEFORE_NAMES)})\.(?= [A-Z])", lambda found: _BEFORE_NAMES[found[1]]),
]  # fmt: skip
_STREET = [
    rule(rf"\b({'|'.join(_STREETS)})\.? ([NS][EW]\b\.?|(?<!Dr\. )[NSEW]\b(?=,|\.?$)\.?)",
         lambda found: f"{_STREETS[found[1]]} {_CORNERS[found[2].rstrip('.')]}"),
    rule(r"(?<=\d(?:st|nd|rd|th) )St\b" + STOP, lambda _: "Street"),
    rule(r"\bSt\.(?= [A-Z]{2}\b)", lambda _: "Street"),
]  # fmt: skip
_COUNTS = [
    rule(r"(?<![\w.,])(?P<count>\d+(?:[.,]\d+)*) ?(?P<unit>"
         + "|".join(re.escape(each) for each in sorted(_MEASURES, key=len, reverse=True))
         + rf")(?![\w/°]){STOP}", _measure),
    rule(r"(?<![\w.,])(\d{1,2})['’] ?(\d{1,2})[\"”]",
         lambda found: f"{found[1]} {'foot' if found[1] == '1' else 'feet'} {found[2]} inches"),
    rule(r"(?:\b(?P<century>1[89]|20)|(?<!\w)['’])(?P<tens>[2-9])0s\b", _decade),
    rule(rf"\b(?P<name>(?P<part>{_PARTS})|{_RULERS}) "
         rf"(?P<roman>{'|'.join(_ROMANS[::-1])})\b", _roman),
]  # fmt: skip

RULES: tuple[Rule, ...] = (
    rule(r"\$ ?(\d+(?:\.\d+)?) (thousand|million|billion)", _large),
    *sums("en"),
    *figures("en", {".": "dot", "/": "slash", "-": "dash"}),
    *_DATES,
    *_WEEK,
    *clock_en(),
    *_STREET,
    *_NAMES,
    *_COUNTS,
    short_words(_SHORT),
    short_words(_BEFORE_FIGURES, FOLLOWED),
    rule(rf"\b({'|'.join(_TITLES)})\.?(?= |$)", lambda found: _TITLES[found[1]]),
    rule(rf"\bDr\.?(?={_NAME})", lambda _: "Doctor"),
    rule(rf"\bSt\.(?={_NAME})(?! ?(?<=[a-z] St\.)$)", lambda _: "Saint"),
    rule(rf"(?<=[a-z] )Dr(?=\.){STOP}", lambda _: "Drive"),
    rule(rf"(?<=[a-z] )St(?=\.){STOP}", lambda _: "Street"),
    rule(r"(?i)\b911\b|(?<=\bcall )[2-8]11\b|(?<=\bdial )[2-8]11\b",
         lambda found: speak_digits(found[0])),
    rule(r"(?i)(?<=\bzip code )\d{5}(?:-\d{4})?\b|(?<=\bzip )\d{5}(?:-\d{4})?\b", _zip),
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
_COMPANIES = ("Inc.", "Co.", "Corp.", "Ltd.", "Bros.", "Dept.")
IN_VALUES: tuple[Rule, ...] = (short_words({each: _SHORT[each] for each in _COMPANIES}, FOLLOWED),)
"""Before the others in a value, which is one thing: "Acme Corp. LLC"."""
