"""What a voice would read wrong in a running text, and the words that it is given instead.

    "Call 310-555-0100 by 5:30."
        ── read_out ──> Call <sub alias="three one zero, …">310-555-0100</sub> by <sub …>5:30</sub>.

Sums, times, telephone numbers, addresses on the web, abbreviations: what a flow's text, an
operator's campaign or an account may hold. The text itself stays; only marks are added. The full
stop of an abbreviation stays outside its mark where it ends the sentence too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from appliance.dialogue.codes import groups
from appliance.dialogue.contacts import speak_email, speak_phone
from appliance.dialogue.markup import escape, mark
from appliance.dialogue.speech import speak_digits
from appliance.dialogue.spelling_words import LETTERS
from appliance.types import Language

STOP = r"(?:\.(?!\s*$|\s+[\"'¿¡]?(?-i:[A-ZÁÉÍÓÚÑ\d])))?"
"""Ends a pattern of an abbreviation: its full stop, unless that ends the sentence too."""
FOLLOWED = r"(?:\.(?!\s*$))?"
"""The same of an abbreviation that has its thing after it: a name, a number."""
_BEFORE, _AFTER = r"(?<![\w$€.,:/-])", r"(?![\w]|[.,:/-]\w)"
"""Around figures: no part of a longer number, word or date."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Where `pattern` is found, `say` gives what is heard: words, or IPA for a `phoneme`.

    A ValueError of `say` leaves the text as it is.
    """

    pattern: re.Pattern[str]
    say: Callable[[re.Match[str]], str]
    mark: Literal["sub", "phoneme"] = "sub"


def read_out(text: str, rules: Iterable[Rule]) -> str:
    """A plain text in its marked form. The first rule that finds something has it."""
    found: list[tuple[int, int, str]] = []
    for each in rules:
        for match in each.pattern.finditer(text):
            start, end = match.span()
            if match[0].strip() and not any(start < e and s < end for s, e, _ in found):
                with suppress(ValueError):
                    found.append((start, end, mark(each.mark, each.say(match), match[0])))
    said, at = [], 0
    for start, end, marked in sorted(found):
        said += [escape(text[at:start]), marked]
        at = end
    return "".join((*said, escape(text[at:])))


def rule(pattern: str, say: Callable[[re.Match[str]], str], *, small: bool = False) -> Rule:
    """A rule whose words take the place of the text; `small`: capitals do not matter."""
    return Rule(re.compile(pattern, re.IGNORECASE if small else 0), say)


def short_words(words: Mapping[str, str], stop: str = STOP) -> Rule:
    """Abbreviations, each with its words: with a full stop, or without where `.` is not given.

    `stop` tells which full stops are theirs: `STOP` or `FOLLOWED`.
    """
    known = {short.rstrip(".").lower(): full for short, full in words.items()}
    dotted = "|".join(re.escape(each[:-1]) for each in words if each.endswith("."))
    bare = "|".join(re.escape(each) for each in words if not each.endswith("."))
    ways = [rf"(?:{dotted})(?=\.)" if dotted else "", rf"(?:{bare})\b" if bare else ""]
    pattern = rf"(?<![\w'’.])({'|'.join(filter(None, ways))}){stop}"
    return Rule(re.compile(pattern, re.IGNORECASE), lambda found: known[found[1].lower()])


def figures(language: Language, signs: Mapping[str, str]) -> list[Rule]:
    """What is written alike in all languages: mail, web, telephone numbers, long numbers.

    Args:
        language: of the words.
        signs: the words for ".", "/" and "-" there.
    """

    def say_web(found: re.Match[str]) -> str:
        said = re.sub(r"^(?:https?://)?(?:www\.)?", "", found[0], flags=re.IGNORECASE)
        for sign, word in signs.items():
            said = said.replace(sign, f" {word} ")
        return " ".join(said.split())

    def say_groups(found: re.Match[str]) -> str:
        return ", ".join(speak_digits(group, language) for group in groups(found[0]))

    def say_reference(found: re.Match[str]) -> str:
        parts = (_signs(group, language) for group in groups(found["code"]))
        return f"{_NUMBER[language]} {', '.join(parts)}" if found["sign"] else ", ".join(parts)

    def say_phone(found: re.Match[str]) -> str:
        return speak_phone(found[0], language)

    return [
        rule(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", lambda found: speak_email(found[0], language)),
        rule(rf"(?:https?://|\bwww\.){_HOST}\.[a-z]{{2,}}{_PATH}", say_web, small=True),
        rule(rf"\b{_HOST}\.(?:{_ENDS})\b{_PATH}", say_web, small=True),
        rule(rf"{_BEFORE}\+\d{{1,3}}(?:[ .-]?\(?\d{{1,4}}\)?){{2,5}}{_AFTER}", say_phone),
        rule(
            rf"{_BEFORE}(?:\+?1[-. ]?)?(?:\(\d{{3}}\) ?|\d{{3}}[-. ])\d{{3}}[-. ]\d{{4}}{_AFTER}",
            say_phone,
        ),
        rule(rf"{_BEFORE}(?:{_GROUPED}){_AFTER}", say_groups),
        rule(rf"(?P<sign>#) ?(?P<code>\d{{4,}}){_AFTER}", say_reference),
        rule(rf"(?P<sign>){_BEFORE}(?P<code>[A-Z]{{2,}}\d{{2,}}[A-Z\d]*(?:-[A-Z\d]+)*){_AFTER}",
             say_reference),
        rule(rf"{_BEFORE}(?:\d{{7,}}|0\d+){_AFTER}", say_groups),
    ]  # fmt: skip


_HOST = r"[a-z0-9-]+(?:\.[a-z0-9-]+)*"
_PATH = r"(?:/[\w-]+)*"
_ENDS = "com|org|net|gov|edu|us|info|mx|es|io|co|ar|cl|pe"
_GROUPED = (
    r"\d{3} \d{3} \d{3}|\d{3}(?: \d{2}){3}|\d{2,3}[ -]\d{3,4}[ -]\d{4}"
    r"|\d{3}-\d{4}|(?!(?:19|20)\d\d-(?:19|20)\d\d)\d{4}-\d{4}"
)
"""Numbers that are written in groups as telephone numbers are."""
_NUMBER: Mapping[Language, str] = {"en": "number", "es": "número"}


def _signs(group: str, language: Language) -> str:
    """A code sign by sign; the comma keeps an English "A" from being an article."""
    names = (
        speak_digits(sign, language) if sign.isdecimal() else LETTERS[language].get(sign, sign)
        for sign in group
    )
    return " ".join("A," if name == "A" and language == "en" else name for name in names)
