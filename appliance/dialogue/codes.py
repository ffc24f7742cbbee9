"""Numbers and codes that a caller writes down: said sign by sign, in groups, with pauses.

    "3105550100" -> 310 · 555 · 0100        "AB12-3C" -> A B 1 2 · 3 C

A person keeps three or four signs at a time. Groups are those of the written form, where it has
any that are short enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from appliance.dialogue import words, words_es
from appliance.dialogue.markup import escape, mark
from appliance.dialogue.spelling_words import AS_IN, JOINTS, LETTERS, NATO
from appliance.types import Language

Spelling = Literal["characters", "as-in", "nato"]
PAUSE = f" {mark('break', '200ms')} "
"""Between groups: a breath, on top of the pause that a comma makes."""
_MOST_IN_GROUP = 4
_MOST_SIGNS = 40
_SIZES = {5: (3, 2), 6: (3, 3), 7: (3, 4), 9: (3, 3, 3), 10: (3, 3, 4)}
_UNITS: dict[Language, tuple[str, ...]] = {"en": words.UNITS, "es": words_es.UNITS}
_CODE = re.compile(r"[^\W_]+(?:[ ./-][^\W_]+)*")


def parse_code(value: object) -> str:
    """A code in its written form: letters, digits, and what parts its groups; in capitals.

    Raises:
        ValueError: it has other signs, or too many.
    """
    code = " ".join(str(value).split()).upper()
    if len(code) > _MOST_SIGNS or not _CODE.fullmatch(code):
        raise ValueError(f"not a code of letters and digits, at most {_MOST_SIGNS}")
    return code


def groups(written: str) -> list[str]:
    """A number or code as the groups that it is said in."""
    parts = [part for part in re.split(r"[\W_]+", written) if part]
    return [group for part in parts for group in _split(part)]


def voice_digits(written: str, language: Language) -> str:
    """Digit by digit, marked: "nine zero two", a pause, "one zero"."""
    return PAUSE.join(_digits(group, language) for group in groups(written))


def voice_code(written: str, language: Language, spelling: Spelling = "characters") -> str:
    """Sign by sign, marked; with a word for every letter where that is asked for."""
    if spelling == "characters":
        return voice_signs(written, language)
    return ", ".join(
        _worded(sign, language, spelling) for group in groups(written) for sign in group
    )


def voice_signs(written: str, language: Language) -> str:
    """Letters and digits by their names, in groups, marked."""
    said = (" ".join(_sign(sign.upper(), language) for sign in group) for group in groups(written))
    return PAUSE.join(said)


def _split(part: str) -> Iterator[str]:
    sizes = _SIZES.get(len(part), ())
    if not sizes and len(part) > _MOST_IN_GROUP:
        sizes = (_MOST_IN_GROUP,) * (len(part) // _MOST_IN_GROUP)
        sizes += (len(part) % _MOST_IN_GROUP,)
    at = 0
    for size in (each for each in sizes or (len(part),) if each):
        yield part[at : at + size]
        at += size


def _digits(group: str, language: Language) -> str:
    return " ".join(_UNITS[language][int(digit)] for digit in group)


def _sign(sign: str, language: Language) -> str:
    """A digit or a letter by its name; alone, an English "a" would be an article."""
    if sign.isdecimal():
        return _UNITS[language][int(sign)]
    if sign == "A" and language == "en":
        return mark("phoneme", "ˈeɪ", "A")
    return escape(LETTERS[language].get(sign, sign))


def _worded(sign: str, language: Language, spelling: Spelling) -> str:
    if spelling == "nato":
        return escape(NATO.get(sign, "")) or _sign(sign, language)
    word = AS_IN[language].get(sign)
    return f"{_sign(sign, language)} {JOINTS[language]} {word}" if word else _sign(sign, language)
