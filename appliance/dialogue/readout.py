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
from datetime import time
from decimal import Decimal
from typing import Literal

from appliance.dialogue.codes import groups
from appliance.dialogue.contacts import speak_email, speak_phone
from appliance.dialogue.markup import escape, mark
from appliance.dialogue.speech import speak_digits, speak_money, speak_number, speak_time
from appliance.types import Language

STOP = r"(?:\.(?!\s*$|\s+[\"'¿¡]?(?-i:[A-ZÁÉÍÓÚÑ])))?"
"""Ends a pattern of an abbreviation: its full stop, unless that ends the sentence too."""
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


def short_words(words: Mapping[str, str]) -> Rule:
    """Abbreviations, each with its words: with a full stop, or without where `.` is not given."""
    known = {short.rstrip(".").lower(): full for short, full in words.items()}
    dotted = "|".join(re.escape(each[:-1]) for each in words if each.endswith("."))
    bare = "|".join(re.escape(each) for each in words if not each.endswith("."))
    ways = [rf"(?:{dotted})(?=\.)" if dotted else "", rf"(?:{bare})\b" if bare else ""]
    pattern = rf"(?<![\w'’.])({'|'.join(filter(None, ways))}){STOP}"
    return Rule(re.compile(pattern, re.IGNORECASE), lambda found: known[found[1].lower()])


def figures(language: Language, signs: Mapping[str, str]) -> list[Rule]:
    """What is written alike in all languages: mail, web, telephone numbers, sums, long numbers.

    Args:
        language: of the words.
        signs: the words for ".", "/" and "-" there.
    """

    def say_web(found: re.Match[str]) -> str:
        said = re.sub(r"^(?:https?://)?(?:www\.)?", "", found[0], flags=re.IGNORECASE)
        for sign, word in signs.items():
            said = said.replace(sign, f" {word} ")
        return " ".join(said.split())

    def say_sum(found: re.Match[str]) -> str:
        return speak_money(Decimal(found[1].replace(",", "") + (found[2] or "")), language)

    def say_long(found: re.Match[str]) -> str:
        return ", ".join(speak_digits(group, language) for group in groups(found[0]))

    return [
        rule(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", lambda found: speak_email(found[0], language)),
        rule(
            r"\b(?:https?://)?(?:www\.)?(?:[a-z0-9-]+\.)+(?:com|org|net|gov|edu|us|info|mx)\b"
            r"(?:/[\w-]+)*",
            say_web,
            small=True,
        ),
        rule(
            rf"{_BEFORE}(?:\+?1[-. ]?)?(?:\(\d{{3}}\) ?|\d{{3}}[-. ])\d{{3}}[-. ]\d{{4}}{_AFTER}",
            lambda found: speak_phone(found[0], language),
        ),
        rule(r"\$ ?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{2})?(?![\d]|[.,]\d| (?:thousand|million|mil))",
             say_sum),
        rule(rf"{_BEFORE}(?:\d{{7,}}|0\d+){_AFTER}", say_long),
    ]  # fmt: skip


def clock(found: re.Match[str], language: Language) -> str:
    """Hours and minutes without the part of the day: 5:30 is "five thirty".

    Raises:
        ValueError: there is no such time.
    """
    hour, minute = int(found["hour"]), int(found["minute"])
    time(hour, minute)
    if language == "es":
        part = f" y {speak_number(minute, 'es')}" if minute else " en punto"
        return ("una" if hour == 1 else speak_number(hour, "es")) + part
    if not minute:
        return f"{speak_number(hour)} o'clock"
    return speak_time(time(hour % 12 or 12, minute)).rsplit(" ", 2)[0]
