"""Spanish number words, the sibling of `words`: the table of redaction and understanding.

Without accents, for recognizers differ in writing them: who looks a word up folds it first
(`letters.fold`). Spoken Spanish is written elsewhere.
"""

from __future__ import annotations

UNITS = ("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve")
TEENS = (
    "diez", "once", "doce", "trece", "catorce",
    "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve",
)  # fmt: skip
TENS = ("veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
TWENTIES = tuple(f"veinti{unit}" for unit in UNITS[1:])
HUNDREDS = (
    "ciento", "doscientos", "trescientos", "cuatrocientos", "quinientos",
    "seiscientos", "setecientos", "ochocientos", "novecientos",
)  # fmt: skip

ARTICLES = ("un", "una")
"""One as an article: a number only beside other numbers ("un momento", "treinta y un mil")."""
ALSO_ENGLISH = frozenset({"once"})
"""Number words that are common English words too: eleven only where Spanish is spoken."""

UNIT_VALUES = {word: value for value, word in enumerate(UNITS)} | dict.fromkeys(ARTICLES, 1)
TENS_VALUES = {word: 10 * value for value, word in enumerate(TENS, 2)}
TEEN_VALUES = {word: value for value, word in enumerate(TEENS, 10)}
TEEN_VALUES |= {word: value for value, word in enumerate(TWENTIES, 21)} | {"veintiun": 21}
TEEN_VALUES |= {
    f"{tens}i{unit}": TENS_VALUES[tens] + value
    for tens in TENS[1:]
    for unit, value in UNIT_VALUES.items()
    if value
}
"""All numbers of two digits that are one word and no tens, "treintaiuno" among them."""
HUNDRED_VALUES = {word: 100 * value for value, word in enumerate(HUNDREDS, 1)}
HUNDRED_VALUES |= {f"{word[:-2]}as": value for word, value in HUNDRED_VALUES.items() if value > 100}
HUNDRED_VALUES |= {"cien": 100, "sietecientos": 700, "nuevecientos": 900, "cincocientos": 500}
THOUSAND = "mil"
PLURALS = ("ceros", "doses", "treses", "cuatros", "cincos", "seises", "sietes", "ochos", "nueves")
"""Digits as things: "dos nueves"."""
REPEATS = {"doble": 2, "dobles": 2, "triple": 3, "triples": 3, "cuadruple": 4}
FIRST = ("primero", "primer", "primera")
"""Days of the month are cardinals in Spanish, but for the first."""

MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip
MONTH_VALUES = {word: value for value, word in enumerate(MONTHS, 1)} | {"setiembre": 9}
WEEKDAYS = ("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo")
