"""How Spanish-speaking callers say dates, times and sums of money (see `numbers` for digits)."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random
import re

from models.stt.recipe.grammar import pick

from .numbers import before_noun, cardinal

WEEKDAYS = "lunes martes miércoles jueves viernes sábado domingo".split()
MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()
_RELATIVE = """
hoy|mañana|pasado mañana|ayer|esta semana|la próxima semana|la semana que viene|el fin de semana
este fin de semana|a fin de mes|a fines de mes|a finales de mes|a principios de mes
a mediados de mes|la quincena|en la quincena|el mes que viene|el próximo mes|hoy mismo
mañana mismo|anteayer|antier|hoy en la tarde|mañana por la mañana|mañana en la tarde
de hoy en ocho|de mañana en ocho
el último día del mes|el primero|la semana pasada|el mes pasado|dentro de quince días
hasta el otro mes
"""
_WEEKDAY_FRAMES = """
el {0}|el {0}|{0}|el próximo {0}|el {0} que viene|este {0}|el {0} {1}|el otro {0}
el {0} de la otra semana|el {0} pasado|el {0} por la mañana
"""
_DATE_LEADS = """
le pago|puedo pagar|qué tal|podría ser|tal vez|me pagan|digamos|puedo|qué le parece|fue
nací|nací el|vence|este|probablemente|cobro|hasta|para|a partir de|desde|antes de|sería|mejor
"""
_PARTS_OF_DAY = """
en la mañana|en la tarde|por la mañana|por la tarde|en la noche|al mediodía|a mediodía
a medianoche|temprano|por la noche|ahorita
"""
_MINUTES = (
    "|||y media|y cuarto|y diez|y veinte|treinta|quince|menos cuarto|y cinco|cuarenta y cinco|"
    "y veinticinco|menos diez"
)
_TIMES_OF_DAY = "de la mañana|de la tarde|de la noche|en punto|más o menos|por favor"
_ROUND = (10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100, 120, 125, 150, 180, 200, 250, 300, 350)
_ROUND += (400, 450, 500, 600, 700, 750, 800, 900, 1000, 1200, 1500, 2000, 2500, 3000, 5000, 10000)
_SUM_FRAMES = """
puedo pagar {}|le puedo dar {}|qué tal {}|como {}|puedo pagar {} hoy|tal vez {}|solo tengo {}
puedo dar {}|eran {}|quiero pagar {}|debo {}|{} al mes|{} por mes|{} a la semana|nada más {}
pagué {}|le mando {} ahora|me cobraron {}|mi saldo es de {}|{} es todo lo que tengo|unos {}
podría pagar {} al mes|pongamos {}|la cantidad es {}|hasta {}|por lo menos {}|máximo {}
{} por favor|{} y el resto después|{} cada quincena|le doy {}|no puedo más de {}|serían {}
"""


def date(rng: random.Random) -> str:
    """A day as callers say it: "el quince de marzo", "el viernes que viene", "mañana"."""
    style = rng.random()
    if style < 0.22:
        return pick(rng, _RELATIVE)
    if style < 0.42:
        day = rng.choice(WEEKDAYS)
        frame = pick(rng, _WEEKDAY_FRAMES)
        return frame.format(day, cardinal(rng.randrange(2, 32)))
    if style < 0.5:
        count = rng.choice((2, 3, 4, 5, 6, 8, 10, 15, 20, 30))
        unit = rng.choice(("días", "semanas", "meses"))
        lead = rng.choice(("en", "dentro de", "hace"))
        return f"{lead} {before_noun(count, unit == 'semanas')} {unit}"
    if style < 0.58:
        return f"el {_day(rng)}" + rng.choice(("", "", " del mes que viene", " de este mes"))
    return _full_date(rng)


def _full_date(rng: random.Random) -> str:
    day, month = _day(rng), rng.choice(MONTHS)
    if rng.random() < 0.12:
        numbers = f"{day} del {cardinal(rng.randrange(1, 13))}"
        return f"{numbers} del {cardinal(rng.randrange(30, 100))}"
    article = rng.choice(("el ", "el ", ""))
    lead = f"{rng.choice(WEEKDAYS)} " if rng.random() < 0.12 else ""
    said = f"{article}{lead}{day} de {month}"
    if rng.random() < 0.06:
        said = f"{month} {day}"
    return f"{said} {_year(rng)}" if rng.random() < 0.45 else said


def _day(rng: random.Random) -> str:
    number = rng.randrange(1, 32)
    return "primero" if number == 1 and rng.random() < 0.7 else cardinal(number)


def _year(rng: random.Random) -> str:
    if rng.random() < 0.4:
        late = 2000 + rng.randrange(31)
        return f"{rng.choice(('de', 'del'))} {cardinal(late)}"
    short = rng.randrange(40, 100)
    if rng.random() < 0.4:
        return f"del {cardinal(short)}"
    return f"de mil novecientos {cardinal(short)}"


def call_date(rng: random.Random) -> str:
    """A date in the words around it that callers use, sometimes with a time."""
    said = date(rng)
    if rng.random() < 0.45:
        said = f"{pick(rng, _DATE_LEADS)} {said}"
    said = re.sub(r"\b(de|a) el\b", r"\1l", said)
    return f"{said} {clock_time(rng)}" if rng.random() < 0.12 else said


def clock_time(rng: random.Random) -> str:
    """A time of day: "a las tres y media", "cuarto para las ocho", "en la tarde"."""
    style = rng.random()
    if style < 0.18:
        return pick(rng, _PARTS_OF_DAY)
    hour = rng.randrange(1, 13)
    article = "la" if hour == 1 else "las"
    name = before_noun(hour, feminine=True)
    if style < 0.28:
        return f"{rng.choice(('cuarto', 'diez', 'veinte', 'cinco'))} para {article} {name}"
    minutes = pick(rng, _MINUTES)
    lead = rng.choice(
        ("a", "a", "a", "", "como a", "después de", "antes de", "hasta", "desde", "puede ser a")
    )
    tail = pick(rng, _TIMES_OF_DAY) if rng.random() < 0.4 else ""
    return " ".join(f"{lead} {article} {name} {minutes} {tail}".split())


def bare_sum(rng: random.Random) -> str:
    """A sum of money without words around it."""
    scale = rng.random()
    if scale < 0.3:
        units = rng.randrange(1, 100)
    elif scale < 0.6:
        units = rng.choice(_ROUND)
    elif scale < 0.9:
        units = rng.randrange(100, 1000)
    else:
        units = rng.randrange(1000, 20000)
    unit = "dólar" if units == 1 else "dólares"
    if rng.random() < 0.05:
        unit = "peso" if units == 1 else "pesos"
    style = rng.random()
    if style < 0.3:
        return cardinal(units)
    if style < 0.8:
        return f"{before_noun(units)} {unit}"
    cents = rng.choice((5, 10, 20, 25, 50, 75, 99, rng.randrange(2, 100)))
    if style < 0.87:
        return f"{cardinal(units)} con {cardinal(cents)}"
    if style < 0.95:
        return f"{before_noun(units)} {unit} con {before_noun(cents)} centavos"
    return rng.choice(("la mitad", "todo", "el total", "la tercera parte", "el saldo completo"))


def amount(rng: random.Random) -> str:
    """A sum of money as callers say it, alone or in an offer to pay."""
    said = bare_sum(rng)
    return said if rng.random() < 0.4 else pick(rng, _SUM_FRAMES).format(said)
