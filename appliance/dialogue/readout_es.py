"""What a Spanish voice would read wrong; see `readout`."""

from __future__ import annotations

import re
from datetime import date

from babel.dates import format_date

from appliance.dialogue.clocks import clock_es
from appliance.dialogue.grammar_es import counted, is_feminine, is_noun, ordinal
from appliance.dialogue.readout import FOLLOWED, Rule, figures, rule, short_words
from appliance.dialogue.speech import speak_digits, speak_number
from appliance.dialogue.sums import sums

_TITLES = {
    "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor",
    "Dra": "doctora", "Lic": "licenciado", "Licda": "licenciada", "Ing": "ingeniero",
    "Prof": "profesor", "Profa": "profesora", "Ud": "usted", "Uds": "ustedes",
    "Vd": "usted", "Dña": "doña", "Gral": "general", "Sto": "santo", "Sta": "santa",
    "Mª": "María", "Mr": "míster", "Mrs": "míses", "Ms": "mis",
}  # fmt: skip
_SHORT = {
    "EE. UU.": "Estados Unidos", "EE.UU.": "Estados Unidos", "etc.": "etcétera",
    "Cía.": "compañía", "24/7": "veinticuatro siete", "y/o": "y o", "p. ej.": "por ejemplo",
}  # fmt: skip
_FOLLOWED = {
    "núm.": "número", "tel.": "teléfono", "ext.": "extensión", "aprox.": "aproximadamente",
    "Av.": "avenida", "Avda.": "avenida", "Apto.": "apartamento", "Depto.": "departamento",
    "Pza.": "plaza", "Plza.": "plaza", "Ctra.": "carretera", "Urb.": "urbanización",
    "Col.": "colonia", "pág.": "página", "págs.": "páginas", "cap.": "capítulo", "art.": "artículo",
}  # fmt: skip
"""Before a name or a number: the full stop ends no sentence."""
_MEASURES = {
    "km/h": "kilómetros por hora", "km": "kilómetros", "kg": "kilos", "cm": "centímetros",
    "m²": "metros cuadrados", "m2": "metros cuadrados", "°C": "grados centígrados",
    "ºC": "grados centígrados",
}  # fmt: skip
_WEEKDAYS = {"lun": "lunes", "mar": "martes", "mié": "miércoles", "jue": "jueves",
             "vie": "viernes", "sáb": "sábado", "dom": "domingo"}  # fmt: skip
_CAPITALS = {"ZIP": "zip", "PIN": "pin", "SMS": "ese eme ese"}
_FRACTIONS = {"1/2": "medio", "1/3": "un tercio", "2/3": "dos tercios", "1/4": "un cuarto",
              "3/4": "tres cuartos"}  # fmt: skip


def _fraction(found: re.Match[str]) -> str:
    part = _FRACTIONS[found["part"]]
    whole, noun = found["whole"], found["noun"]
    if part == "medio" and not whole and noun and is_feminine(noun):
        part = "media"
    return f"{speak_number(int(whole), 'es')} y {part}" if whole else part


def _written_day(found: re.Match[str]) -> str:
    day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    number = "primero" if day.day == 1 else speak_number(day.day, "es")
    return f"{number} de {format_date(day, 'MMMM', 'es')} de {speak_number(day.year, 'es')}"


def _count(found: re.Match[str]) -> str:
    """A number with a gender before what it counts."""
    value, noun = int(found["count"]), found["noun"]
    agrees = (value % 10 == 1 and value % 100 != 11) or value % 1000 >= 200
    if not agrees or not is_noun(noun):
        raise ValueError("a number without a gender, or of nothing")
    return counted(value, noun)


def _measure(found: re.Match[str]) -> str:
    measure, number = _MEASURES[found["unit"]], found["count"]
    if not number.isdecimal():
        return f"{number} {measure}"
    words = counted(int(number), measure.split()[0])
    return f"{words} {_one(measure) if number == '1' else measure}"


def _one(measure: str) -> str:
    first, _, rest = measure.partition(" ")
    return " ".join(filter(None, (first.removesuffix("s"), re.sub(r"s$", "", rest))))


def _days(found: re.Match[str]) -> str:
    return f"{_WEEKDAYS[found[1].lower()]} a {_WEEKDAYS[found[2].lower()]}"


def _number(figures: str) -> str:
    return speak_number(int(figures), "es")


_DAY = "|".join(_WEEKDAYS)

RULES: tuple[Rule, ...] = (
    *sums("es"),
    *figures("es", {".": "punto", "/": "barra", "-": "guion"}),
    rule(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b", _written_day),
    rule(r"\b1(?:º|ro\.?)?(?= de (?:ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic))",
         lambda _: "primero"),
    rule(r"\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})\b", _written_day),
    *clock_es(),
    rule(rf"\b({_DAY})\.? ?[-–] ?({_DAY})\b(?:\.(?!\s*$|\s+[A-ZÁÉÍÓÚ]))?", _days, small=True),
    rule(r"\b((?:[A-Z]\.){2,})(?= [A-ZÁÉÍÓÚÑ][a-z])", lambda found: found[1][:-1]),
    rule(r"\b[Cc]/( ?[A-ZÁÉÍÓÚÑ]\w*)", lambda found: f"calle {found[1].strip()}"),
    rule(r"(?<![A-Z]\. )\bD\.(?= [A-ZÁÉÍÓÚÑ])", lambda _: "don"),
    rule(r"\b[Nn]\.?º ?(\d+)\b", lambda found: f"número {_number(found[1])}"),
    rule(r"\b(\d{1,2})\.?(er|ero|era|[ºª])(?!\w)",
         lambda found: ordinal(int(found[1]), {"ero": "º", "era": "ª"}.get(found[2], found[2]))),
    rule(rf"(?<![\w.,])(?P<count>\d+(?:[.,]\d+)*) ?(?P<unit>{'|'.join(_MEASURES)})(?![\w/])",
         _measure),
    rule(rf"\b({'|'.join(_TITLES)})\.?(?= |$)", lambda found: _TITLES[found[1]]),
    short_words(_SHORT),
    short_words(_FOLLOWED, FOLLOWED),
    rule(rf"\b({'|'.join(_CAPITALS)})\b", lambda found: _CAPITALS[found[1]]),
    rule(r"(?i)\b911\b|(?<=\bal )[2-8]11\b", lambda found: speak_digits(found[0], "es")),
    rule(r"(?i)(?<=\bcódigo postal )\d{5}\b", lambda found: speak_digits(found[0], "es")),
    rule(rf"(?<![\w/])(?:(?P<whole>\d+) )?(?P<part>{'|'.join(_FRACTIONS)})(?![\w/])"
         r"(?=(?: de)?(?: (?P<noun>[a-záéíóúñ]+))?)", _fraction),
    rule(r"(?<![\w$.,])\d{1,3}(?:,\d{3})+(?![\w]|[.,]\d)",
         lambda found: speak_number(int(found[0].replace(",", "")), "es")),
    rule(r"(?<![\w-])(\d{1,3}) ?[-–] ?(\d{1,3})(?![\w-])",
         lambda found: f"{_number(found[1])} a {_number(found[2])}"),
    rule(r"(?<![\w$.,:/-])(?P<count>\d{1,6})(?= (?P<noun>[a-záéíóúñ]+)\b)", _count),
    rule(r"(?:#|\b[Nn]o\.) ?(\d+)\b", lambda found: f"número {_number(found[1])}"),
    rule(r"(?<= )&(?= )", lambda _: "y"),
    rule(r"\b[a-záéíóúñ]+(?:/[a-záéíóúñ]+)+\b", lambda found: found[0].replace("/", " o ")),
)  # fmt: skip
IN_VALUES: tuple[Rule, ...] = (short_words(_SHORT, FOLLOWED),)
"""Before the others in a value, which is one thing."""
