"""Spanish numbers before nouns: "veintiún días", "veintiuna personas", "doscientas casas".

A number that ends in one loses or turns its end, and hundreds have a gender. The gender of a noun
is guessed by its ending, with a list of the common ones that an ending tells wrongly.
"""

from __future__ import annotations

import re

from num2words import num2words

_FEMININE = re.compile(
    r".*(?:as?|[cs]i[oó]n(?:es)?|dad(?:es)?|tad(?:es)?|tud(?:es)?|umbres?|ez|eces)$", re.IGNORECASE
)
_ALSO_FEMININE = frozenset({
    "mano", "noche", "tarde", "clase", "llave", "calle", "parte", "foto", "moto", "imagen", "luz",
    "red", "ley", "clave", "base", "frase", "serie", "nube", "torre", "orden", "señal", "flor",
    "sal", "piel", "cárcel", "mujer", "labor", "fuente", "suerte", "sangre", "leche", "gente",
    "muerte", "carne", "fase",
})  # fmt: skip
_MASCULINE = frozenset({
    "día", "mapa", "programa", "problema", "sistema", "tema", "clima", "idioma", "planeta",
    "cometa", "poema", "esquema", "diploma", "síntoma", "trauma", "turista", "electricista",
    "dentista", "pijama", "sofá", "papá", "gas", "mes", "interés", "país", "autobús", "avión",
    "camión", "guion", "peatón", "buzón", "balcón", "jabón", "pez", "juez", "diez", "guardia",
    "policía",
})  # fmt: skip
_NO_NOUNS = frozenset({
    "por", "para", "con", "que", "mil", "millón", "millones", "del", "los", "las", "una", "uno",
    "unos", "unas", "desde", "hasta", "entre", "sin", "según", "más", "menos", "sobre", "como",
    "cuando", "pero", "esta", "este", "ese", "esa", "eso", "está", "son", "fue", "hay",
})  # fmt: skip
_UNITS = (
    "", "primero", "segundo", "tercero", "cuarto", "quinto", "sexto", "séptimo", "octavo", "noveno",
    "décimo",
)  # fmt: skip


def is_feminine(noun: str) -> bool:
    """Whether a noun, singular or plural, is feminine as far as its look tells."""
    word = noun.lower()
    singular = word.removesuffix("es") if word.removesuffix("es") in _ALSO_FEMININE else word
    one = singular.removesuffix("s")
    if word.endswith("ces"):
        singular = f"{word[:-3]}z"
    if {word, one, singular, word.removesuffix("es")} & _MASCULINE:
        return False
    return bool({word, one, singular} & _ALSO_FEMININE or _FEMININE.fullmatch(word))


def is_noun(word: str) -> bool:
    """Whether what follows a number is what it counts, and no other word."""
    return len(word) > 2 and word.lower() not in _NO_NOUNS


def counted(value: int, noun: str) -> str:
    """A whole number as it stands before a noun, without the noun."""
    words = _words(value)
    if is_feminine(noun):
        words = re.sub(r"cientos\b", "cientas", words).replace("quinientos", "quinientas")
        return re.sub(r"uno$", "una", words)
    return re.sub(r"\buno$", "un", re.sub(r"veintiuno$", "veintiún", words))


def before_noun(value: int, following: str) -> str:
    """A whole number in the form that the text after it asks for: "veintiún", "una", "uno"."""
    found = re.match(r" ([^\W\d_]+)", following)
    return counted(value, found[1]) if found and is_noun(found[1]) else _words(value)


def feminine(words: str) -> str:
    """Number words of a feminine thing, the hours above all: "veintiuna"."""
    return re.sub(r"uno$", "una", words)


def ordinal(value: int, ending: str = "o") -> str:
    """An ordinal by what is written after the figure: "3er" is "tercer", "2ª" "segunda".

    Past ten, people say the cardinal.
    """
    if not 1 <= value < len(_UNITS):
        return _words(value)
    word = _UNITS[value]
    if ending in ("ª", "a", "ra", "da", "ta", "ma", "va", "na"):
        return f"{word[:-1]}a"
    return word[:-1] if ending == "er" and word in ("primero", "tercero") else word


def _words(value: int) -> str:
    said = str(num2words(value, lang="es"))
    return said.replace("veintiuno mil", "veintiún mil").replace(" uno mil", " un mil")
