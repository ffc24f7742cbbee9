"""The words that Spanish dates are made of, as the patterns of `spanish.dates` use them."""

from __future__ import annotations

from appliance.dialogue.words_es import FIRST, MONTH_VALUES, MONTHS, WEEKDAYS
from appliance.nlu.dates import numbered
from appliance.nlu.spanish.holidays import HOLIDAYS
from appliance.nlu.spanish.numbers import spoken_numbers
from appliance.nlu.words import any_of

COUNTS = spoken_numbers(60) | {str(number): number for number in range(1, 61)}
COUNTS |= {f"0{number}": number for number in range(1, 10)}
DAYS = {name: day for name, day in COUNTS.items() if day <= 31 and name not in ("un", "una")}
DAYS |= {FIRST[0]: 1}
_ORDINALS = ("primero", "segundo", "tercero", "cuarto", "quinto", "sexto", "septimo", "octavo",
             "noveno", "decimo")  # fmt: skip
NTH_DAYS = {name: day for day, name in enumerate(_ORDINALS, 1)}
NTH_DAYS |= {f"vigesimo {name}": 20 + day for day, name in enumerate(_ORDINALS[:-1], 1)}
"""Days as ordinals, which only some say, and only before a month."""
NTH = {"primer": 1, "primero": 1, "segundo": 2, "tercer": 3, "tercero": 3, "cuarto": 4}
NTH |= {"ultimo": -1}
SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
MONTH_NUMBERS = {**MONTH_VALUES, **SHORT_MONTHS}
WEEKDAY_VALUES = numbered(WEEKDAYS)
YEARS = {
    f"dos mil {name}": 2000 + year
    for name, year in spoken_numbers(49).items()
    if year >= 16 and " un" not in name
}
UNITS = {"dia": "days", "semana": "weeks", "mes": "months"}

DAY, COUNT, NTH_DAY = any_of(DAYS), any_of(COUNTS), any_of(NTH_DAYS)
MONTH, WEEKDAY = any_of(MONTH_VALUES), any_of(WEEKDAYS)
SHORT_MONTH = any_of(SHORT_MONTHS)
HOLIDAY = "|".join(f"({name})" for name in HOLIDAYS)
YEAR = rf"( (de |del )?(?P<year>20\d\d|19\d\d|{any_of(YEARS)})\b(?! (dolar|peso)))?"
FIGURES = r"0?[1-9]|[12]\d|3[01]"
"""A month or a day of it, in figures."""
FIGURED_YEAR = r"( (slash )?(?P<year>(19|20)\d\d)\b| slash (?P<short_year>\d\d)\b)?"
NEXT_WEEK = (
    r"(la )?((proxima|siguiente|otra) semana|semana (que (viene|entra|sigue)|proxima|entrante"
    r"|siguiente))"
)
NEXT_MONTH = (
    r"(el )?((proximo|siguiente|otro) mes|mes (que (viene|entra|sigue)|proximo|entrante|siguiente))"
)
# "El viernes, primero Dios" is Friday, God willing.
NOT_A_DAY = (
    r"(?! (pagos?|cosas?|veces|vez|dolar(es)?|pesos?|centavos?|cientos|mil|porciento|que|en|y|por"
    r"|de (la|los|ellos|cada)|minutos?|horas?|dias?|semanas?|mes(es)?|anos?|personas?|dios"
    r"|am|pm|slash|colon)\b)"
)


def on_weekday(pattern: str) -> str:
    """A pattern with the weekday that may be said before it, the group `named`."""
    return rf"((el )?(?P<named>{WEEKDAY}) )?{pattern}"
