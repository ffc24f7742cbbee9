"""Brings a Spanish utterance to the form that all rules read: no accents, one spelling each.

"¡Sí, mañana le pago $1,200.50, porfa!"  ->  "si manana le pago $1200.50 por favor"
"""

from __future__ import annotations

import re

from appliance.dialogue.words_es import (
    HUNDREDS,
    MONTHS,
    PLURALS,
    TEEN_VALUES,
    TENS,
    TENS_VALUES,
    TWENTIES,
    UNIT_VALUES,
    WEEKDAYS,
)
from appliance.nlu.acknowledgements import affirmed
from appliance.nlu.figures import decimal_commas, dollars_first, thousand_letter
from appliance.nlu.words import Mender, any_of, plain, unaccented

_SPELLINGS = {
    "porfa": "por favor", "porfis": "por favor", "porfavor": "por favor", "pa": "para",
    "q": "que", "k": "que", "okay": "ok", "okey": "ok", "oki": "ok", "oka": "ok", "ta": "esta",
    "toy": "estoy", "pos": "pues", "pus": "pues", "orita": "ahorita", "horita": "ahorita",
    "ahoritita": "ahorita", "uste": "usted", "nop": "no", "nope": "no", "sep": "si",
    "setiembre": "septiembre", "osea": "o sea", "talvez": "tal vez",
    "quiza": "quizas", "exacta": "exacto", "allo": "alo", "halo": "alo", "sabados": "sabado",
    "domingos": "domingo", "ablar": "hablar", "semanita": "semana",
    "viernecito": "viernes", "diitas": "dias", "dolaritos": "dolares", "dolarcitos": "dolares",
    "pesitos": "pesos", "kien": "quien",
}  # fmt: skip
_PAUSED_NO = re.compile(r"\bno\s*[,.;:!?]+")
"""A "no" that stands alone: "no, soy yo" is a yes, "no soy yo" is none."""
_TOKEN = re.compile(r"\$?\d+(?:\.\d+)?|[a-z]+|(?<=no );")


_PLAIN_TOKEN = re.compile(r"\d+(?:er|ro|do|to|mo|vo|no)?\b|\d+|[a-zñ']+(?:-[a-zñ']+)*|(?<=no );")

_UNIT = any_of(UNIT_VALUES)
_NUMBER = any_of([*UNIT_VALUES, *TENS_VALUES, *TEEN_VALUES])
_JOINS = tuple(
    (re.compile(rf"\b{apart}\b"), joined)
    for apart, joined in (
        (r"1 (?:er|ero|ro)", "primero"),
        (rf"(veinti|dieci) ({_UNIT})", r"\1\2"),
        (rf"({any_of([*TENS, 'diez'])}) i ({_UNIT})", r"\1 y \2"),
        (r"(dos|tres|cuatro|cinco|seis|siete|ocho|nueve) cient(os|as)", r"\1cient\2"),
        (r"dos ceros", "doble cero"),
        (r"tres ceros", "triple cero"),
        (rf"por ciento(?! ({_NUMBER}))", "porciento"),
        (r"a dios", "adios"),
    )
)


def normalize(text: str) -> str:
    """The utterance as the Spanish rules read it (see the module's example)."""
    text = plain(decimal_commas(text)).replace("%", " por ciento")
    text = _PAUSED_NO.sub("no ; ", thousand_letter(dollars_first(text), "mil"))
    tokens = _TOKEN.findall(affirmed(text, "aja").rstrip(" ;"))
    words = " ".join(_MENDER.mend(_SPELLINGS.get(token, token)) for token in tokens)
    for apart, joined in _JOINS:
        words = apart.sub(joined, words)
    return words


def verbatim(text: str) -> str:
    """The same form with no word put right and "ñ" kept: for names and what is spelled."""
    return " ".join(_PLAIN_TOKEN.findall(_PAUSED_NO.sub("no ; ", unaccented(text, kept="ñ"))))


_KEYWORDS = (
    "llame", "llamen", "llamar", "llamadas", "numero", "equivocado", "persona",
    "humano", "representante", "operador", "operadora", "supervisor", "agente", "gerente",
    "adios", "robot", "maquina", "grabacion", "correcto", "deuda", "dinero", "dolares",
    "manana", "quincena", "abogado", "repetir", "repita",  "mitad",
    *WEEKDAYS, *MONTHS, *TENS, *TEEN_VALUES, *TWENTIES, *HUNDREDS, *UNIT_VALUES,
)  # fmt: skip
_REAL_WORDS = (
    "llama", "llamas", "llaman", "llames", "llamo", "llave", "llamare", "llamada", "llamaron",
    "llamarle", "llamarte", "llamarse", "numeros", "equivocada", "equivocados", "personas",
    "personal", "humana", "humanos", "agentes", "gente", "audios", "robots", "robo", "maquinas",
    "correcta", "correctos", "deudas", "duda", "mananas", "repetirlo", "repito",
    "pagas", "pagan", "pagare", "pagara", "pagaria", "pague", "pagado", "pagada", "paga",
    "viene", "vienes", "vienen", "siente", "sienta", "cuarto", "cuatros", "circo", "nueva",
    "nuevo", "nuevas", "nuevos", "cierto", "cuento", "cientos", "abrir", "abria", "sabido",
    "junto", "julia", "mayor", "martha", "marta", "partes", "jueces", "lunas", "vente", "viento",
    "diner", "mitades", "doscientas", "trescientas", "cuatrocientas", "quinientas",
    "seiscientas", "setecientas", "ochocientas", "novecientas", "cobrar", "siendo", "dedos",
    "once", "onces", "marco", "marca", "marcos", "mareo", "entero", "entera",
    "cuadro", "robos", "dominio", "salado", "repite", "repiten", "manzana", "supervisar",
    *PLURALS, "supervisora", "dolores", "veinti", "dieci", "llamara", "abogada", "abogados",
)  # fmt: skip
_MENDER = Mender(_KEYWORDS, _REAL_WORDS)
