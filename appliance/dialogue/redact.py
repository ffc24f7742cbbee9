"""Masks numbers that must not reach a log, said in English or Spanish (callers mix them).

A run of digits could be a ZIP, a card or an account number, and a date could be one of birth.
Over-masking is harmless, a leak is not, so three digits are enough.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from appliance.dialogue import words, words_es
from appliance.dialogue.letters import fold

MASK = "[digits]"
PRIVATE = "[private]"
LIMIT = 3
"""This many digits in a row are masked."""

_TOKEN = re.compile(r"[\w']+")
_NUMERIC_DATE = re.compile(r"\b\d{1,4}(\s*[-/.]\s*\d{1,4}){2,}\b")
_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{0,255}\w"
    r"|(?<![\w'])(?:\w (?:(?:dot|punto) )?"
    r"|\w{2,40} (?:dot|punto|underscore|dash|gui[oó]n(?: bajo)?) )"
    r"{0,40}\w{1,64} (?:at|arroba) \w{1,64} (?:dot|punto) \w+",
    re.IGNORECASE,
)
"""Written or said. Lengths are bounded so that a long text takes no long time."""
_ORDINAL_FIGURE = re.compile(r"\d{1,2}(st|nd|rd|th|ro|er|ero|do|da|ra)")
_GAP = {
    "uh", "um", "er", "erm", "ah", "and", "then", "dash", "hyphen", "space", "point", "dot",
    "like", "the", "of", "a", "so", "well", "sorry", "no", "it's", "is", "that's",
    "eh", "este", "em", "mm", "y", "i", "luego", "despues", "guion", "espacio", "punto", "coma",
    "pues", "bueno", "entonces", "perdon", "digo", "es", "el", "la", "de", "del", "dia", "mes",
    "con", "o", "sea", "ano", "en",
}  # fmt: skip
"""What people say between digits."""

_CUT = {"veinti", "dieci"}
"""Beginnings that a recognizer may cut from their unit."""
_TENS = {*words.TENS_VALUES, *words_es.TENS_VALUES, "diez", *_CUT}
_PAIRS = {*words.TEEN_VALUES, *words_es.TEEN_VALUES, *words.REPEATS, *words_es.REPEATS}
_PAIRS |= {*words_es.PLURALS, *words.PLURAL_VALUES} - {"ones"}
_PAIRS -= words_es.ALSO_ENGLISH
_SCALES = {*words.SCALES, *words_es.HUNDRED_VALUES, words_es.THOUSAND, "cientos", "cientas"}
_UNITS = {*words.UNIT_VALUES, *words_es.UNIT_VALUES} - set(words_es.ARTICLES)
_MONTHS = {*words.MONTHS, *words_es.MONTH_VALUES}
_SINGLES = {*_UNITS, *words.ORDINAL_VALUES, *words_es.FIRST, *_MONTHS}
_WITHIN = {*words.HOMOPHONES, *words_es.ARTICLES}
"""Digits only inside a run: "to", "for", and "un" as in "treinta y un mil"."""
_FIGURES_OF_SPEECH = {("mil", "gracias"), ("mil", "veces"), ("mil", "disculpas")}
_SPANISH = {
    *words_es.UNIT_VALUES, *words_es.TEEN_VALUES, *words_es.TENS_VALUES, *words_es.HUNDRED_VALUES,
    *words_es.MONTH_VALUES, *words_es.PLURALS, words_es.THOUSAND, "doble", "y", "o", "es", "mi",
    "codigo", "numero", "que", "por", "perdon", "este", "eh",
} - words_es.ALSO_ENGLISH  # fmt: skip
"""Words beside which "once" may be eleven."""


def redact(text: str, private: frozenset[str] = frozenset(), limit: int = LIMIT) -> str:
    """The text fit for a log: secret numbers as "[digits]", names and e-mail as "[private]".

    Args:
        text: what was heard.
        private: lower-case words of the account (`CallFlow.private_words`).
        limit: this many digits in the whole text are masked.

    Numbers could be as soon as the whole text holds three digits: people say one in pieces
    ("nine oh two, I mean, one oh"), and one or two pieces left standing would give it away.
    """
    text = _EMAIL.sub(PRIVATE, unicodedata.normalize("NFC", text))
    text = _NUMERIC_DATE.sub(MASK, text)
    if private:
        hidden = frozenset(map(fold, private))
        text = _TOKEN.sub(lambda word: _hidden(word.group(), hidden), text)
    tokens = list(_TOKEN.finditer(text))
    said = [fold(token.group()) for token in tokens]
    runs = list(_runs(said, _doubtful(said, limit)))
    if sum(weight for _, _, weight in runs) < limit:
        return text
    masked, at = [], 0
    for start, end, _ in runs:
        masked.append(text[at : tokens[start].start()] + MASK)
        at = tokens[end].end()
    return "".join(masked) + text[at:]


def _hidden(word: str, private: frozenset[str]) -> str:
    bare = fold(word).removesuffix("'s")
    return PRIVATE if bare in private else word


def _doubtful(said: list[str], limit: int) -> frozenset[str]:
    """Which of the words that are English too are numbers here: "I told you once" has none."""
    spanish = not _SPANISH.isdisjoint(said) or any(word.isdigit() for word in said)
    repeated = any(said.count(word) > 1 for word in words_es.ALSO_ENGLISH)
    return words_es.ALSO_ENGLISH if spanish or repeated or limit < LIMIT else frozenset()


def _runs(said: list[str], doubtful: frozenset[str]) -> Iterator[tuple[int, int, int]]:
    """First token, last token and number of digits of each run of number words."""
    index = 0
    while index < len(said):
        end, weight = _run(said, index, doubtful)
        if weight:
            yield index, end, weight
        index = end + 1


def _run(said: list[str], start: int, doubtful: frozenset[str]) -> tuple[int, int]:
    """The last token of the run that begins here, and how many digits it may stand for."""
    weight, end, gap = _weight(said, start, doubtful), start, 0
    if weight == 0:
        return start, 0
    for index in range(start + 1, len(said)):
        added = 1 if said[index] in _WITHIN else _weight(said, index, doubtful)
        if added:
            weight, end, gap = weight + added, index, 0
        elif said[index] in _GAP and gap < 3:
            gap += 1
        else:
            break
    return end, weight


def _weight(said: list[str], index: int, doubtful: frozenset[str]) -> int:
    """How many digits a token may stand for."""
    word, following = said[index], said[index + 1] if index + 1 < len(said) else ""
    if any(character.isdigit() for character in word):
        figures = sum(character.isdigit() for character in word)
        return 1 if _ORDINAL_FIGURE.fullmatch(word) else figures
    if word in words_es.ARTICLES:  # "un nueve", but not "un momento"
        return int(following in _TENS | _PAIRS | _SCALES | _UNITS)
    if word in _TENS or word in _PAIRS or word in doubtful:
        return 1 if _is_joined(said, index) or _is_day(said, index) else 2
    if word in _SCALES and (word, following) not in _FIGURES_OF_SPEECH:
        return LIMIT
    return int(word in _SINGLES)


def _is_joined(said: list[str], index: int) -> bool:
    """Whether tens go on with a unit, one digit each: "twenty one", "treinta y uno"."""
    word, following = said[index], said[index + 1 : index + 3]
    if word in words.TENS_VALUES:
        unit = following[0] if following else ""
        return words.UNIT_VALUES.get(unit, 0) > 0 or unit in words.ORDINAL_VALUES
    if word in _TENS and following[:1] in (["y"], ["i"]):
        following = following[1:]
    elif word not in _CUT:
        return False
    value = words_es.UNIT_VALUES.get(following[0] if following else "", 0)
    return value > (5 if word == "diez" else 0)  # "diez y seis" is 16, "diez y uno" is 10 and 1


def _is_day(said: list[str], index: int) -> bool:
    """Whether it is the day of a month ("quince de diciembre"), as much as an ordinal is."""
    following = said[index + 1 : index + 3]
    return following[:1] == ["de"] and not _MONTHS.isdisjoint(following[1:])
