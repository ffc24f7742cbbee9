"""Words that make a letter plain on the telephone, where B, D, P and T sound alike."""

from __future__ import annotations

import string
from collections.abc import Mapping

from appliance.types import Language


def _by_letter(words: str) -> dict[str, str]:
    return dict(zip(string.ascii_uppercase, words.split(), strict=True))


NATO: Mapping[str, str] = _by_letter(
    "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet Kilo Leema Mike November"
    " Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
)
"""The ICAO alphabet, in any language; Lima as it is said."""

AS_IN: Mapping[Language, Mapping[str, str]] = {
    "en": _by_letter(
        "Adam boy Charles David Edward Frank George Henry Ida John king Lincoln Mary Nora"
        " ocean Paul queen Robert Sam Tom union Victor William X-ray young zebra"
    ),
    "es": _by_letter(
        "Antonio Barcelona Carmen domingo España Francia gato hotel Inés José kilo Lorenzo"
        " Madrid Navarra Oviedo París queso Ramón sábado Tarragona Ulises Valencia Washington"
        " xilófono yegua Zaragoza"
    ) | {"Ñ": "ñandú"},
}  # fmt: skip
"""What is said after "as in" (APCO, the police of the United States) and "de"."""

LETTERS: Mapping[Language, Mapping[str, str]] = {
    "en": {},
    "es": {"B": "be", "H": "hache", "V": "uve", "W": "doble uve", "Y": "i griega"},
}
"""Names of letters that a voice does not know, or that would be mistaken for others."""
JOINTS: Mapping[Language, str] = {"en": "as in", "es": "de"}
