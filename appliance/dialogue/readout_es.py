"""What a Spanish voice would read wrong; see `readout`."""

from __future__ import annotations

import re
from datetime import date, time

from babel.dates import format_date

from appliance.dialogue.readout import STOP, Rule, clock, figures, rule, short_words
from appliance.dialogue.speech import speak_digits, speak_number, speak_time

_TITLES = {
    "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor",
    "Dra": "doctora", "Lic": "licenciado", "Licda": "licenciada", "Ing": "ingeniero",
    "Prof": "profesor", "Profa": "profesora", "Ud": "usted", "Uds": "ustedes",
    "Vd": "usted", "Mr": "míster", "Mrs": "míses", "Ms": "mis",
}  # fmt: skip
_SHORT = {
    "EE. UU.": "Estados Unidos", "EE.UU.": "Estados Unidos", "núm.": "número",
    "tel.": "teléfono", "ext.": "extensión", "aprox.": "aproximadamente", "etc.": "etcétera",
    "Av.": "avenida", "Avda.": "avenida", "Apto.": "apartamento", "Depto.": "departamento",
    "Cía.": "compañía", "24/7": "veinticuatro siete", "y/o": "y o", "p. ej.": "por ejemplo",
}  # fmt: skip
_CAPITALS = {"ZIP": "zip", "PIN": "pin", "SMS": "ese eme ese"}
_FRACTIONS = {"1/2": "medio", "1/3": "un tercio", "2/3": "dos tercios", "1/4": "un cuarto",
              "3/4": "tres cuartos"}  # fmt: skip
_ALONE = r"(?![\w]|[.,:/-]\w)"


def _time(found: re.Match[str]) -> str:
    """A time with its part of the day: "3:30 p. m." is "tres y treinta de la tarde"."""
    hour = int(found["hour"])
    if not 1 <= hour <= 12:
        raise ValueError("no time of a clock of twelve hours")
    late = 12 if found["half"].lower() == "p" else 0
    said = speak_time(time(hour % 12 + late, int(found["minute"] or 0)), "es")
    return re.sub(r"^las? ", "", said)  # the text has its own article


def _fraction(found: re.Match[str]) -> str:
    part = _FRACTIONS[found["part"]]
    whole = found["whole"]
    return f"{speak_number(int(whole), 'es')} y {part}" if whole else part


def _written_day(found: re.Match[str]) -> str:
    day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    number = "primero" if day.day == 1 else speak_number(day.day, "es")
    return f"{number} de {format_date(day, 'MMMM', 'es')} de {speak_number(day.year, 'es')}"


def _number(figures: str) -> str:
    return speak_number(int(figures), "es")


RULES: tuple[Rule, ...] = (
    *figures("es", {".": "punto", "/": "barra", "-": "guion"}),
    rule(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b", _written_day),
    rule(r"\b1(?:º|ro\.?)?(?= de (?:ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic))",
         lambda _: "primero"),
    rule(
        r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap])(?:\. ?m|m)\b"
        + STOP,
        _time,
        small=True,
    ),
    rule(rf"\b(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}}){_ALONE}", lambda found: clock(found, "es")),
    rule(rf"\b({'|'.join(_TITLES)})\.?(?= |$)", lambda found: _TITLES[found[1]]),
    short_words(_SHORT),
    rule(rf"\b({'|'.join(_CAPITALS)})\b", lambda found: _CAPITALS[found[1]]),
    rule(r"(?i)\b911\b|(?<=\bal )[2-8]11\b", lambda found: speak_digits(found[0], "es")),
    rule(r"(?i)(?<=\bcódigo postal )\d{5}\b", lambda found: speak_digits(found[0], "es")),
    rule(rf"(?<![\w/])(?:(?P<whole>\d+) )?(?P<part>{'|'.join(_FRACTIONS)})(?![\w/])", _fraction),
    rule(r"(?<![\w$.,])\d{1,3}(?:,\d{3})+(?![\w]|[.,]\d)",
         lambda found: speak_number(int(found[0].replace(",", "")), "es")),
    rule(r"(?<![\w-])(\d{1,3}) ?[-–] ?(\d{1,3})(?![\w-])",
         lambda found: f"{_number(found[1])} a {_number(found[2])}"),
    rule(r"(?:#|\b[Nn]o\.) ?(\d+)\b", lambda found: f"número {_number(found[1])}"),
    rule(r"(?<= )&(?= )", lambda _: "y"),
    rule(r"\b[a-záéíóúñ]+(?:/[a-záéíóúñ]+)+\b", lambda found: found[0].replace("/", " o ")),
)  # fmt: skip
