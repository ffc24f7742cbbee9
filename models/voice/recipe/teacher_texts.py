"""Spanish sentences for a voice to learn from: what the appliance says, and much besides.

Sources: the shipped flows' prompts, the recognizer's general sentences, and `teacher.es.txt`.
All numbers, dates and letters are words, so that espeak-ng has nothing to spell out in its own way.
`sentences` always draws the same ones in the same order: the kinds are mixed, so that the first
hour holds all of them.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from models.stt.recipe.lines import general_sentences
from models.stt.recipe.spanish import names, readings
from models.stt.recipe.spanish.numbers import ONES, before_noun, cardinal

_SEED = 19
_LINES = Path(__file__).with_name("teacher.es.txt")
_FLOWS = Path(__file__).parents[3] / "appliance" / "flows"
_ASKING = re.compile(
    r"^((a|de|con|en|por|para|hasta|desde|y) )?"
    r"(qué|cuánt[oa]s?|cuándo|dónde|cómo|quién(es)?|cuál(es)?)\b"
)
_OPENINGS = (
    "Mire|Disculpe|Bueno|Gracias|Entonces|Claro|Perdón|Muy bien|Por favor|Sí|No|Entiendo"
).split("|")
_ENDINGS = ("por favor|gracias|¿de acuerdo?|¿verdad?|¿sí o no?|señora|señor|como le dije").split(
    "|"
)
_ENGLISH = (
    "Kathleen Smith|John Miller|Bob Johnson|Mary Williams|Jennifer Davis|William Taylor|"
    "Michael Brown|Ashley Wilson|Emily Clark|George Walker|Susan Young|Kevin Marsh|Jason Hughes|"
    "Thomas Baker|Linda Green|Steve Jackson|Patrick O'Brien|Nancy Reed|Sharon Shaw|Sean Murphy"
).split("|")
_COMPANIES = (
    "Casa del Sol|Lakeview Credit|Banco del Norte|Servicios Médicos Unidos|Sunrise Energy|"
    "Seguros La Paz|Green Valley Homes|Agencia Robles|Cobranzas del Pacífico|Blue Ridge Solar"
).split("|")
_OFFERS = (
    "una revisión gratuita del techo|paneles solares para su casa|un seguro de auto más barato|"
    "internet de alta velocidad|una consulta dental sin costo|un plan de ahorro para la jubilación"
).split("|")


def sentences() -> Iterator[str]:
    """Different Spanish sentences without end, the same at each call; about 3 s each."""
    rng = random.Random(_SEED)
    seen: set[str] = set()
    general = [line for line in general_sentences("es") if 3 <= len(line.split()) <= 16]
    rng.shuffle(general)
    lines = _LINES.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and line[0] != "#"]
    frames = [line for line in lines if "{" in line]
    prompts = [*_prompts(), *(line for line in lines if "{" not in line)]
    rng.shuffle(prompts)
    while True:
        draw = rng.random()
        if prompts and draw < 0.2:
            text = _fill(rng, prompts.pop())
        elif draw < 0.45 or not general:
            text = _fill(rng, rng.choice(frames))
        else:
            text = _dressed(rng, general)
        if text.lower() not in seen:
            seen.add(text.lower())
            yield text


def _dressed(rng: random.Random, general: list[str]) -> str:
    """A plain line as a sentence: a statement, a question or a cry, sometimes with more around."""
    line = general.pop()
    draw = rng.random()
    if _ASKING.match(line):
        cry = line.startswith("qué ") and draw < 0.35
        return f"¡{_capital(line)}!" if cry else f"¿{_capital(line)}?"
    if draw < 0.14:
        return f"¿{_capital(line)}?"
    if draw < 0.18:
        return f"¡{_capital(line)}!"
    if draw < 0.3:
        return f"{rng.choice(_OPENINGS)}, {line}."
    if draw < 0.4:
        ending = rng.choice(_ENDINGS)
        return f"{_capital(line)}, {ending}" + ("" if ending.endswith("?") else ".")
    if draw < 0.52 and general and not _ASKING.match(general[-1]):
        other = general.pop()
        if rng.random() < 0.5:
            return f"{_capital(line)}. {_capital(other)}."
        return f"{_capital(line)}, {rng.choice(('y', 'pero'))} {other}."
    return f"{_capital(line)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _prompts() -> list[str]:
    """The shipped flows' Spanish texts, those with slots three times."""
    found: list[str] = []

    def collect(node: object) -> None:
        if isinstance(node, str):
            found.append(" ".join(node.split()))
        elif isinstance(node, list):
            for part in node:
                collect(part)
        elif isinstance(node, dict):
            for key in ("text", "styles"):
                collect(node.get(key))
            if "text" not in node and "styles" not in node:
                collect(list(node.values()))

    for path in sorted(_FLOWS.glob("*/prompts.es.yaml")):
        collect(yaml.safe_load(path.read_text(encoding="utf-8"))["prompts"])
    texts = [re.sub(r"<[^>]*>", "", text) for text in dict.fromkeys(found)]
    return [text for text in texts for _ in range(3 if "{" in text else 1)]


def _fill(rng: random.Random, text: str) -> str:
    return _capital(re.sub(r"\{(\w+)\}", lambda slot: _SLOTS[slot.group(1)](rng), text))


def _full_name(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(_ENGLISH)
    return f"{rng.choice(names.FIRST).capitalize()} {rng.choice(names.LAST).capitalize()}"


def _amount(rng: random.Random) -> str:
    number = rng.choice(
        (rng.randrange(2, 100), rng.randrange(100, 1000), rng.randrange(1000, 9000))
    )
    cents = f" con {before_noun(rng.randrange(2, 100))} centavos" if rng.random() < 0.5 else ""
    return f"{before_noun(number)} dólares{cents}"


def _date(rng: random.Random) -> str:
    day, month = rng.randrange(1, 32), rng.choice(readings.MONTHS)
    said = f"{'primero' if day == 1 else cardinal(day)} de {month}"
    weekday = f"{rng.choice(readings.WEEKDAYS)} " if rng.random() < 0.5 else ""
    year = f" de {cardinal(rng.randrange(1950, 2035))}" if rng.random() < 0.25 else ""
    return weekday + said + year


def _time(rng: random.Random) -> str:
    hour = rng.randrange(1, 13)
    minutes = rng.choice(("", "", " y media", " y cuarto", f" y {cardinal(rng.randrange(2, 59))}"))
    part = rng.choice(("", " de la mañana", " de la tarde", " de la noche", " en punto"))
    return f"{'la' if hour == 1 else 'las'} {before_noun(hour, feminine=True)}{minutes}{part}"


def _digits(rng: random.Random) -> str:
    groups = rng.choice(((5,), (4,), (3, 3, 4), (3, 3), (2, 2, 2), (3, 4), (1, 1, 1, 1, 1)))
    said = [" ".join(rng.choice(ONES) for _ in range(size)) for size in groups]
    return ", ".join(said)


def _letters(rng: random.Random) -> str:
    return ", ".join(rng.choice(names.LETTERS) for _ in range(rng.randrange(2, 7)))


def _address(rng: random.Random) -> str:
    street = rng.choice(names.STREETS).title()
    place = rng.choice(names.TOWNS).title()
    number = cardinal(rng.choice((rng.randrange(10, 100), rng.randrange(100, 4000))))
    return f"{number} {rng.choice(names.STREET_KINDS)} {street}, {place}"


_SLOTS: dict[str, Callable[[random.Random], str]] = {
    "first_name": lambda rng: rng.choice(names.FIRST).capitalize(),
    "full_name": _full_name,
    "agency": lambda rng: rng.choice(_COMPANIES),
    "company": lambda rng: rng.choice(_COMPANIES),
    "creditor": lambda rng: rng.choice(_COMPANIES),
    "offer": lambda rng: rng.choice(_OFFERS),
    "balance": _amount,
    "promise_amount": _amount,
    "amount": _amount,
    "number": lambda rng: cardinal(rng.randrange(0, 1000)),
    "big": lambda rng: cardinal(rng.randrange(1000, 999999)),
    "date": _date,
    "callback_date": _date,
    "promise_date": _date,
    "proposed_date": _date,
    "time": _time,
    "digits": _digits,
    "letters": _letters,
    "address": _address,
    "town": lambda rng: rng.choice(names.TOWNS).title(),
}
