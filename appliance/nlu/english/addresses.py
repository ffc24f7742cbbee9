"""How a street address is said in English."""

from __future__ import annotations

import re

from appliance.dialogue.words import ORDINAL_VALUES, TENS_VALUES, UNITS
from appliance.nlu.contact_words import AddressWords

_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
_TEENS = range(11, 14)


def _figure(value: int) -> str:
    suffix = "th" if value in _TEENS else _SUFFIXES.get(value % 10, "th")
    return f"{value}{suffix}"


_NO_STREET = frozenset(
    """
    a about actually after am an and any are at be because been but by call can cannot code come
    correct day days did do does dollars for from get had has have he hello her here him his
    hours how hundred i if in is it just kids know like live lives me mean minutes months my
    need next no not now number of okay on or our please problem right she so some sorry sure
    than thank thanks that the them then there they this thousand times to today tomorrow too uh
    um up us wait want was we weeks were what when where which who why will with work would
    years yes you your zip
    """.split()  # noqa: SIM905 (words are data)
)

ADDRESSES = AddressWords(
    kinds={
        "street": "Street", "st": "Street", "avenue": "Avenue", "ave": "Avenue", "road": "Road",
        "rd": "Road", "drive": "Drive", "dr": "Drive", "lane": "Lane", "ln": "Lane",
        "court": "Court", "boulevard": "Boulevard", "blvd": "Boulevard", "way": "Way",
        "place": "Place", "circle": "Circle", "terrace": "Terrace", "parkway": "Parkway",
        "highway": "Highway", "square": "Square", "trail": "Trail", "broadway": "Broadway",
        "crescent": "Crescent", "alley": "Alley",
    },
    units={
        "apartment": "Apartment", "apt": "Apartment", "unit": "Unit", "suite": "Suite",
        "room": "Room", "floor": "Floor", "number": "Number", "building": "Building",
        "lot": "Lot", "trailer": "Trailer",
    },
    ordinals={word: _figure(value) for word, value in ORDINAL_VALUES.items()},
    tens=TENS_VALUES,
    hundreds={f"{unit} hundred": 100 * value for value, unit in enumerate(UNITS) if value},
    joint="and",
    floors=frozenset({"floor"}),
    numbered=frozenset({"number"}),
    boxes=(re.compile(r"\b(p ?o|post office) box\b"), "PO Box"),
    directions=frozenset(
        {"north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest",
         "n", "s", "e", "w", "nw", "ne", "sw", "se"}
    ),
    never=_NO_STREET,
)  # fmt: skip
