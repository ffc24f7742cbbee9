"""Addresses of the United States as they are said: "1420 N. Main St., Apt 4B, CA 90210".

    fourteen twenty North Main Street, apartment four B, California, nine zero two one zero

House numbers go by twos, ZIP codes digit by digit, and what is short in writing is said in full.
In Spanish the names of streets stay what they are: they are names. Their English endings are
written so that a Spanish voice says them in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from num2words import num2words

from appliance.dialogue import words, words_es
from appliance.dialogue.grammar_es import ordinal
from appliance.types import Language

_DIRECTIONS: Mapping[Language, Mapping[str, str]] = {
    "en": {"n": "North", "s": "South", "e": "East", "w": "West", "ne": "Northeast",
           "nw": "Northwest", "se": "Southeast", "sw": "Southwest"},
    "es": {"n": "Norte", "s": "Sur", "e": "Este", "w": "Oeste", "ne": "Noreste",
           "nw": "Noroeste", "se": "Sureste", "sw": "Suroeste"},
}  # fmt: skip
_STREETS = {
    "st": "Street", "ave": "Avenue", "av": "Avenue", "blvd": "Boulevard", "rd": "Road",
    "dr": "Drive", "ln": "Lane", "ct": "Court", "pl": "Place", "hwy": "Highway", "pkwy": "Parkway",
    "cir": "Circle", "ter": "Terrace", "sq": "Square", "trl": "Trail", "fwy": "Freeway",
    "expy": "Expressway", "aly": "Alley", "xing": "Crossing", "pt": "Point", "mt": "Mount",
    "ft": "Fort", "rte": "Route",
}  # fmt: skip
"""USPS Publication 28, appendix C1: the ones that people write."""
_CALLES = {
    "av": "Avenida", "avda": "Avenida", "c": "Calle", "c/": "Calle", "blvd": "Bulevar",
    "col": "Colonia", "pza": "Plaza", "plza": "Plaza", "pº": "Paseo", "ctra": "Carretera",
    "urb": "Urbanización", "calz": "Calzada", "fracc": "Fraccionamiento", "sto": "Santo",
    "sta": "Santa",
}  # fmt: skip
_UNITS: Mapping[Language, Mapping[str, str]] = {
    "en": {"apt": "apartment", "ste": "suite", "bldg": "building", "fl": "floor", "rm": "room",
           "unit": "unit", "lot": "lot", "#": "number", "no": "number"},
    "es": {"apt": "apartamento", "apto": "apartamento", "depto": "departamento",
           "ste": "suite", "bldg": "edificio", "edif": "edificio", "fl": "piso", "rm": "cuarto",
           "unit": "unidad", "int": "interior", "#": "número", "no": "número", "nº": "número",
           "núm": "número", "num": "número", "esc": "escalera", "pta": "puerta"},
}  # fmt: skip
_ENDINGS_ES = {
    "Street": "strit", "Avenue": "áveniu", "Boulevard": "búlevard", "Road": "roud",
    "Drive": "draiv", "Lane": "lein", "Court": "cort", "Place": "pleis", "Highway": "jáiuei",
    "Parkway": "párcuei", "Circle": "sércol", "Terrace": "terras", "Square": "scuer",
    "Trail": "treil", "Freeway": "fríuei", "Route": "rut",
}  # fmt: skip
_STATE_NAMES = (
    "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,"
    "DE Delaware,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,"
    "KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,"
    "MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,"
    "NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,"
    "ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,"
    "SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,"
    "WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC D C,PR Puerto Rico"
)
_STATES = dict(each.split(" ", 1) for each in _STATE_NAMES.split(","))
_SIDES = {"izda": "izquierda", "izq": "izquierda", "dcha": "derecha", "der": "derecha",
          "bj": "bajo", "ext": "exterior"}  # fmt: skip
"""What stands after a floor in Spanish."""
_OTHERS = {"po": "P O", "jr": "Junior", "sr": "Senior", "co": "County"}
_TOKEN = re.compile(
    r"#|c/|[np]\.?º|\d{5}-\d{4}\b|\d+(?:st|nd|rd|th|\.?er|\.?[ºª°])(?!\w)|\d+"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*\.?|\S",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(\d+)\.?(\D+)")


def speak_address(value: object, language: Language = "en") -> str:
    """An address in words, in its own order.

    Raises:
        ValueError: it is no text, or empty.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError("not an address, or empty")
    said = [_part(part, not number, language) for number, part in enumerate(value.split(","))]
    return ", ".join(part for part in said if part)


def by_twos(value: int) -> str:
    """A house number below 10000: 1420 is "fourteen twenty", 105 "one oh five"."""
    if value < 100:
        return words.cardinal(value)
    head, rest = divmod(value, 100)
    if not rest:
        return words.cardinal(value) if value % 1000 == 0 else f"{words.cardinal(head)} hundred"
    return f"{words.cardinal(head)} {'oh ' if rest < 10 else ''}{words.cardinal(rest)}"


def _part(part: str, first: bool, language: Language) -> str:
    tokens = _TOKEN.findall(part)
    said = (_word(tokens, at, first, language) for at in range(len(tokens)))
    return " ".join(" ".join(said).split())


def _word(tokens: list[str], at: int, first: bool, language: Language) -> str:
    token, bare = tokens[at], _bare(tokens[at])
    before = _bare(tokens[at - 1]) if at else ""
    after = _bare(tokens[at + 1]) if at + 1 < len(tokens) else ""
    if token[0].isdecimal():
        return _figures(token, first and not at, language)
    if len(bare) == 1 and bare.isalpha() and _is_letter(before, after):
        return bare.upper()
    if bare in _UNITS[language] and (after or _ORDINAL.fullmatch(before)):
        return _UNITS[language][bare]
    if token in _STATES and not first:
        return _STATES[token]
    if bare in _DIRECTIONS[language] and token[0].isupper() and len(bare) < 3:
        return _DIRECTIONS[language][bare]
    return _street(token, before, after, language)


def _is_letter(before: str, after: str) -> bool:
    """Whether a lone letter is one, and no direction: "4 B", "Apt C", "E Street"."""
    units = {*_UNITS["en"], *_UNITS["es"]}
    ends = not after or after in _SIDES
    return after in _STREETS or before in units or (before[:1].isdecimal() and ends)


def _street(token: str, before: str, after: str, language: Language) -> str:
    """A word of a street's name, in full where it is short."""
    bare = _bare(token)
    begins = (not before or before.isdecimal()) and (bool(after) or not before)
    if bare == "st" and after and begins:
        return "Saint" if language == "en" else "seint"
    if language == "es" and bare in _CALLES and after:
        return _CALLES[bare]
    if language == "es" and bare in _SIDES:
        return _SIDES[bare]
    if bare in _OTHERS:
        return _OTHERS[bare]
    full = _STREETS.get(bare, token.rstrip(".")) if not begins else token.rstrip(".")
    return full if language == "en" else _ENDINGS_ES.get(full.title(), full)


def _bare(token: str) -> str:
    return token.rstrip(".").lower().replace(".º", "º")


def _figures(token: str, house: bool, language: Language) -> str:
    """A number: of the house, a ZIP code, or of a flat, street or road."""
    digits = re.sub(r"\D", "", token)
    if found := _ORDINAL.fullmatch(token):
        if language == "es":
            return ordinal(int(digits), found[2].lower())
        return str(num2words(int(digits), to="ordinal", lang=language)).replace("-", " ")
    if len(digits) > 4 or digits.startswith("0"):
        units = words.UNITS if language == "en" else words_es.UNITS
        if not (house and language == "es" and len(digits) == 5):
            return " ".join(units[int(digit)] for digit in digits)
    return by_twos(int(digits)) if language == "en" else str(num2words(int(digits), lang="es"))
