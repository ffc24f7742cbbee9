"""Telephone numbers and e-mail addresses: their one written form, and how they are said.

    figures, words' figures -> parse_phone -> "3105550100", "+525512345678", "3105550100x12"
    "Maria.Lopez@Gmail.com" -> parse_email -> "maria.lopez@gmail.com"
                               speak_*     -> words that understanding reads as the same value again

A number of the country code 1 is its ten figures; any other is in E.164 with its plus. Whether a
number can exist is looked up in the tables of libphonenumber, which are data on the box: nothing
is asked of a network. That it exists, or is the caller's, nobody here knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from phonenumbers import (
    NumberParseException,
    PhoneNumberFormat,
    format_number,
    is_valid_number,
    parse,
)

from appliance.dialogue import words, words_es
from appliance.dialogue.codes import groups, voice_signs
from appliance.types import Language

HOME_REGION = "US"
EXTENSION = "x"
NATIONAL_DIGITS = 10
_MOST_DIGITS = 15
"""Of E.164."""
_MOST_EXTENSION = 7

_DIGITS: Mapping[Language, tuple[str, ...]] = {"en": words.UNITS, "es": words_es.UNITS}
_EXTENSION: Mapping[Language, str] = {"en": "extension", "es": "extensión"}
_PLUS: Mapping[Language, str] = {"en": "plus", "es": "más"}
_SIGNS: Mapping[Language, dict[str, str]] = {
    "en": {".": "dot", "-": "dash", "_": "underscore", "+": "plus", "@": "at"},
    "es": {".": "punto", "-": "guion", "_": "guion bajo", "+": "más", "@": "arroba"},
}
_LETTERS: Mapping[Language, dict[str, str]] = {
    "en": {"a": "a,"},
    "es": {"y": "i griega", "w": "doble uve"},
}
"""Letters that a voice says wrongly where they stand alone: an "a" without a pause after it is an
article, "y" is "and". All others are said by their names."""
_WHOLE = {"gmail", "hotmail", "yahoo", "outlook", "icloud", "mail", "example", "com", "net", "org"}
_SAID_WHOLE: Mapping[Language, Mapping[str, str]] = {
    "en": {word: word for word in _WHOLE},
    "es": {word: word for word in _WHOLE} | {"gmail": "g mail"},
}
"""Parts of a domain that are said as words; everything else is spelled."""

_LOCAL = r"[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*"
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_EMAIL = re.compile(rf"(?P<local>{_LOCAL})@(?:{_LABEL}\.)+[a-z]{{2,24}}")
_MOST_LOCAL, _MOST_EMAIL = 64, 254
"""RFC 5321, 4.5.3.1; of a whole address as erratum 1690 of RFC 3696 corrects it."""


def parse_phone(value: object, regions: tuple[str, ...] = (HOME_REGION,)) -> str:
    """A number that can exist, in its written form.

    Args:
        value: figures with or without a plus, marks between them, and `x12` for an extension.
        regions: whose national numbers are understood, the first one first (ISO 3166).

    Raises:
        ValueError: it is none; the message does not tell it, for it is personal.
    """
    number, _, extension = str(value).partition(EXTENSION)
    figures = re.sub(r"[\s().-]", "", number)
    plain = re.fullmatch(rf"\+?[0-9]{{3,{_MOST_DIGITS}}}", figures)
    if not plain or not re.fullmatch(rf"[0-9]{{0,{_MOST_EXTENSION}}}", extension):
        raise ValueError("not a telephone number")
    for region in regions:
        if found := _valid(figures, region):
            return found + (f"{EXTENSION}{extension}" if extension else "")
    raise ValueError("not a telephone number that can exist")


def _valid(figures: str, region: str) -> str:
    """The written form, or "" for a number that cannot exist."""
    try:
        number = parse(figures, region)
    except NumberParseException:
        return ""
    if not is_valid_number(number):
        return ""
    national = f"{number.national_number}"
    if number.country_code != 1:
        return f"+{number.country_code}{national}"
    return national if len(national) == NATIONAL_DIGITS else ""  # 310 xxxx is one in Canada


def speak_phone(value: object, language: Language = "en") -> str:
    """In groups with pauses, as people of its country write it; the country code comes first.

    Raises:
        ValueError: it has other signs than those of a number.
    """
    number, _, extension = str(value).partition(EXTENSION)
    digits = re.sub(r"[\s+().-]", "", number)
    if not re.fullmatch(r"[0-9]{1,32}", digits) or not re.fullmatch(r"[0-9]*", extension):
        raise ValueError("not digits")
    abroad = number.lstrip().startswith("+") and not digits.startswith("1")
    parts = _parts_abroad(digits) if abroad else _parts(digits)
    said = ", ".join(_spoken(group, language) for group in parts)
    if abroad:
        said = f"{_PLUS[language]} {said}"
    if extension:
        said = f"{said}, {_EXTENSION[language]} {_spoken(extension, language)}"
    return said


def _parts(digits: str) -> list[str]:
    """The groups of a number of the country code 1, or of one that tells no country."""
    if len(digits) == NATIONAL_DIGITS + 1 and digits.startswith("1"):
        return [digits[0], *groups(digits[1:])]
    return groups(digits)


def _parts_abroad(digits: str) -> list[str]:
    """The country code and the groups that libphonenumber writes there."""
    try:
        written = format_number(parse(f"+{digits}"), PhoneNumberFormat.INTERNATIONAL)
    except NumberParseException:
        return groups(digits)
    return groups(written)


def parse_email(value: object) -> str:
    """An address by its shape, in small letters.

    Raises:
        ValueError: it is none; the message does not tell it, for it is personal.
    """
    text = str(value).strip().lower()
    found = _EMAIL.fullmatch(text) if len(text) <= _MOST_EMAIL else None
    if not found or len(found["local"]) > _MOST_LOCAL:
        raise ValueError("not an e-mail address")
    return text


def speak_email(value: object, language: Language = "en") -> str:
    """Letter by letter, with pauses at the signs: "j o e, dot, l e e, at, gmail dot com".

    Raises:
        ValueError: it is no e-mail address.
    """
    local, _, domain = parse_email(value).partition("@")
    signs, whole = _SIGNS[language], _SAID_WHOLE[language]
    parts = re.findall(r"[a-z]+|[0-9]+|[._+-]", local)
    name = ", ".join(signs.get(part) or _spelled(part, language) for part in parts)
    joint = f" {signs['.']} "
    labels = (whole.get(label) or _spelled(label, language) for label in domain.split("."))
    said = f"{name}, {signs['@']}, {joint.join(labels)}"
    return said.replace(",,", ",")


def voice_email(value: object, language: Language = "en") -> str:
    """An address as `speak_email` has it, marked: letters in groups, none taken for an article.

    Raises:
        ValueError: it is no e-mail address.
    """
    local, _, domain = parse_email(value).partition("@")
    signs, whole = _SIGNS[language], _SAID_WHOLE[language]

    def voiced(part: str) -> str:
        return signs.get(part) or voice_signs(part, language)

    name = ", ".join(map(voiced, re.findall(r"[a-z]+|[0-9]+|[._+-]", local)))
    labels = (
        whole.get(label) or " ".join(map(voiced, re.findall(r"[a-z]+|[0-9]+|-", label)))
        for label in domain.split(".")
    )
    return f"{name}, {signs['@']}, " + f" {signs['.']} ".join(labels)


def _spelled(text: str, language: Language) -> str:
    """Letters, figures and dashes, each by itself."""
    said = (
        _SIGNS[language]
        | _LETTERS[language]
        | dict(zip("0123456789", _DIGITS[language], strict=True))
    )
    return " ".join(said.get(sign, sign) for sign in text).removesuffix(",")


def _spoken(digits: str, language: Language) -> str:
    return " ".join(_DIGITS[language][int(digit)] for digit in digits)
