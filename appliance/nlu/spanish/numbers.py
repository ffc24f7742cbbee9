"""Spanish numbers: "noventa mil doscientos diez" is 90210, "vigesimo primero" the 21st."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from appliance.dialogue.words_es import (
    ARTICLES,
    HUNDRED_VALUES,
    PLURALS,
    REPEATS,
    TEEN_VALUES,
    TENS,
    TENS_VALUES,
    THOUSAND,
    UNIT_VALUES,
)
from appliance.nlu.grammar import DigitRepairs, NumberWords, QuantityWords

_WITH_UNITS = TENS_VALUES | {"diez": 10}
_ROUND = "cien"
"""One hundred where nothing follows: "cien diez" are two numbers."""
_LARGE = {"millon": 10**6, "millones": 10**6, "billon": 10**12, "billones": 10**12}


def read_cardinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to below 10^18 at `index`: its value and the index after it."""
    total, end, below = 0, index, 10**18
    while (head := _below_million(words, end)) is not None:
        value, after = head
        scale = _LARGE.get(_word(words, after), 1)
        if scale >= below:
            break
        total, end, below = total + value * scale, after + (scale > 1), scale
        if scale == 1:
            break
    return (total, end) if total else None


def _below_million(words: Sequence[str], index: int) -> tuple[int, int] | None:
    head = _below_thousand(words, index)
    if head is None:
        head = (1, index) if _word(words, index) == THOUSAND else None
    if head is None or _word(words, head[1]) != THOUSAND:
        return head
    value, index = head[0] * 1000, head[1] + 1
    rest = _below_thousand(words, index)
    return (value + rest[0], rest[1]) if rest else (value, index)


def _below_thousand(words: Sequence[str], index: int) -> tuple[int, int] | None:
    word = _word(words, index)
    if word not in HUNDRED_VALUES:
        return read_below_hundred(words, index)
    value, index = HUNDRED_VALUES[word], index + 1
    rest = None if word == _ROUND else read_below_hundred(words, index)
    return (value + rest[0], rest[1]) if rest else (value, index)


def read_below_hundred(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 99 at `index`: its value and the index after it.

    Tens and unit need the "y": "noventa dos" are two numbers, as in "noventa, dos diez".
    """
    word = _word(words, index)
    if word in _WITH_UNITS:
        unit = UNIT_VALUES.get(_word(words, index + 2), 0) if _joined(words, index) else 0
        return _WITH_UNITS[word] + unit, index + (3 if unit else 1)
    if word in TEEN_VALUES:
        return TEEN_VALUES[word], index + 1
    value = UNIT_VALUES.get(word, 0)
    return (value, index + 1) if value else None


def _joined(words: Sequence[str], index: int) -> bool:
    return _word(words, index + 1) == "y"


def _word(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""


def spoken_numbers(limit: int) -> dict[str, int]:
    """The ways to say each number from 1 to `limit` (at most 99), with its value."""
    names = {word: value for word, value in UNIT_VALUES.items() if value} | TEEN_VALUES
    for tens, value in _WITH_UNITS.items():
        names[tens] = value
        names |= {f"{tens} y {unit}": value + one for unit, one in UNIT_VALUES.items() if one}
    return {name: value for name, value in names.items() if value <= limit}


_TENTHS = ("decim", "vigesim", "trigesim", "cuadragesim", "quincuagesim", "sexagesim",
           "septuagesim", "octogesim", "nonagesim")  # fmt: skip
_HUNDREDTHS = ("centesim", "ducentesim", "tricentesim", "cuadringentesim", "quingentesim",
               "sexcentesim", "septingentesim", "octingentesim", "noningentesim")  # fmt: skip
_STEMS = {
    stem: value
    for value, stem in enumerate(
        ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven"), 1
    )
}
_STEMS |= {stem: 10 * value for value, stem in enumerate(_TENTHS, 1)}
_STEMS |= {stem: 100 * value for value, stem in enumerate(_HUNDREDTHS, 1)}
_STEMS |= {"undecim": 11, "duodecim": 12, "terci": 3}
_STEMS |= {f"decimo{stem}": 10 + _STEMS[stem] for stem in tuple(_STEMS)[:9]}
_MULTIPLYING = {"milesim": 1000, "millonesim": 10**6, "billonesim": 10**12}
_ENDINGS = ("", "o", "a", "os", "as")
_ADDED = {stem + ending: value for stem, value in _STEMS.items() for ending in _ENDINGS}
_TIMES = {stem + ending: value for stem, value in _MULTIPLYING.items() for ending in _ENDINGS[1:]}


def read_ordinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """An ordinal in words at `index`, or the lower part of a fraction ("treintavos").

    "dos mil", written apart or in one word, multiplies: "dosmilesimo tercero" is the 2003rd.
    """
    head = read_cardinal(words, index)
    total, end = (head[0], head[1]) if head and _word(words, head[1]) in _TIMES else (0, index)
    found = False
    while end < len(words):
        word = words[end]
        times, glued = _TIMES.get(word), _glued(word)
        if word in _ADDED:
            total += _ADDED[word]
        elif times:
            total = _times(total, times)
        elif glued:
            total += glued
        else:
            break
        found, end = True, end + 1
    return (total, end) if found else None


def _times(total: int, times: int) -> int:
    """The last group below the multiplier times it: three millions and two, times a thousand."""
    kept, group = divmod(total, times * 1000)
    return kept * times * 1000 + (group or 1) * times


_FRACTION_ENDING = re.compile(
    r"(?P<stem>[a-z]{2,}?)(?P<ending>av[oa]s?|milesim[oa]s?|(?:m|b)illonesim[oa]s?)"
)


@lru_cache(maxsize=1024)
def _glued(word: str) -> int:
    """A lower part in one word: "veintiunavo" is 21, "dosmilesimo" 2000; 0 for none."""
    match = _FRACTION_ENDING.fullmatch(word)
    if match is None:
        return 0
    stem = _apart(match["stem"]) or _apart(f"{match['stem']}a")  # "treintavos"
    found = read_cardinal(stem, 0) if stem else None
    if found is None or found[1] != len(stem):
        return 0
    return found[0] * _TIMES.get(match["ending"], 1)


_PIECES = tuple(sorted({*UNIT_VALUES, *TEEN_VALUES, *_WITH_UNITS, *HUNDRED_VALUES, THOUSAND, "y"},
                       key=len, reverse=True))  # fmt: skip


def _apart(glued: str) -> tuple[str, ...]:
    """The number words in one: "cientocinco" is ("ciento", "cinco"); () where it is none."""
    glued = re.sub(rf"({'|'.join(TENS[1:])})i", r"\1y", glued)
    words: list[str] = []
    while glued:
        piece = next((each for each in _PIECES if glued.startswith(each)), "")
        if not piece:
            return ()
        words.append(piece)
        glued = glued[len(piece) :]
    return tuple(words)


_PLACES = ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven")
_THING = r" (?:numero|digito|cifra)s?"
_BE = r" (?:es|era|son|eran|seria|debe ser|tiene que ser)"


def _place_named(match: re.Match[str]) -> int:
    if match["ends"]:
        return -1
    if match["starts"]:
        return 0
    if match["last"]:
        count = match["count"] or match["more"] or "uno"
        return -2 if match["last"] == "penultim" else -UNIT_VALUES[count]
    return _PLACES.index(match["nth"])


_REPAIRS = DigitRepairs(
    restart=re.compile(
        r"\b(?:olvid(?:e|a|elo|alo|ese|ate)(?: (?:de )?(?:eso|lo anterior|todo))?"
        r"|(?:borr|cancel|anul)[ae](?:lo)?(?: (?:eso|todo))?"
        r"|(?:empiezo|empecemos|comienzo|empezamos|otra vez|de nuevo|va)(?: de nuevo| otra vez)?"
        r"(?: desde el principio| desde cero)|(?:empiezo|comienzo|empecemos) (?:de nuevo|otra vez)"
        r"|vuelvo a empezar|desde el principio)\b"
    ),
    place=re.compile(
        rf"\b(?:el|la|los|las) (?:(?P<count>dos|tres|cuatro) )?(?:(?P<last>ultim|penultim)"
        rf"|(?P<nth>{'|'.join(_PLACES)}))[oa]?s?(?: (?P<more>dos|tres|cuatro))?(?:{_THING})?{_BE}"
        r"(?: (?:un|una|el))?\b"
        r"|\b(?:(?P<ends>(?:termina|acaba) (?:en|con))|(?P<starts>(?:empieza|comienza) con))"
        r"(?: (?:un|una|el))?\b"
    ),
    denial=re.compile(
        r"\bno (?:es|era|son)(?: (?:un|una|el))?\b|\bno (?:un|una)\b"
        r"|\ben (?:vez|lugar) de(?: un)?\b"
    ),
    correction=re.compile(
        r"\bno ;|\b(?:perdon|perdone|perdona|disculpe|disculpa|digo|quise decir|quiero decir"
        r"|mejor dicho|corrijo|correccion|me equivoque|mas bien|ay)\b"
    ),
    place_named=_place_named,
    doubt=re.compile(r"\bno\b"),
)

_QUANTITIES = QuantityWords(
    ordinal=read_ordinal,
    multipliers={
        "cientos": 100, "cien": 100, "mil": 1000, "k": 1000, "luca": 1000, "lucas": 1000,
        "docena": 12, "docenas": 12, **_LARGE,
    },
    point=frozenset({"coma", "con", "punto"}),
    joints=frozenset({"y", "con"}),
    parts={
        "medio": 2, "medios": 2, "media": 2, "medias": 2, "mitad": 2,
    },
    plural="s",
    minus=frozenset({"menos", "-"}),
    over=frozenset({"sobre"}),
    ones=frozenset({"un", "una"}),
    of=frozenset({"de"}),
    half_alone=frozenset({"medio", "media"}),
)  # fmt: skip

NUMBERS = NumberWords(
    cardinal=read_cardinal,
    below_hundred=read_below_hundred,
    units=UNIT_VALUES,
    zeros=frozenset({"cero", "ceros"}),
    plurals=dict(zip(PLURALS, (0, *range(2, 10)), strict=True)) | {"unos": 1},
    decades=frozenset({*TENS_VALUES, *TEEN_VALUES}),
    scales=frozenset({*HUNDRED_VALUES, THOUSAND, *_LARGE}),
    repeats=REPEATS,
    homophones={"o": 0},
    fillers=frozenset(
        {"eh", "este", "em", "mm", "mmm", "ah", "y", "luego", "despues", "guion", "coma",
         "espacio", "pues", "bueno", "entonces", "o", "sea"}
    ),
    repairs=_REPAIRS,
    quantities=_QUANTITIES,
    articles=frozenset(ARTICLES),
    counted=frozenset({"minuto", "minutos", "segundo", "segundos", "momento", "veces", "pregunta",
                       "preguntas", "cosas"}),
)  # fmt: skip
