"""That a voice never passes for a person: what denies being automated, and what announces it.

Both are looked for in the words that are heard. Where these differ from the written ones (`sub`,
a lexicon, IPA), they may not lose what the text announces: sounds cannot be read by a proof, so
words under IPA announce nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appliance.dialogue.markup import heard, marks, plain
from appliance.types import Language

_DENIALS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(not (a|an|just a) (\w+ )?(robot|bot|machine|computer|recording|automated|ai)\b"
        r"|(am|i'm|is|are) not (automated|artificial)\b"
        r"|(am|i'm|speaking (to|with)) (a|an) (real|live|actual|human|living) (person|human|being)"
        r"|i('m| am) (a|an) (\w+ )?(person|human)\b(?! resources)"
        r"|i'?\s?a?m (a )?human\b)",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(no (soy|es|está hablando con) (un|una) (\w+ )?(robot|m[aá]quina|computadora|bot|"
        r"grabaci[oó]n)|(?<!\bno )soy (un |una )?(\w+ )?(persona|humano|humana|ser humano)\b)",
        re.IGNORECASE,
    ),
}
"""Sentences that deny being automated: a caller who asks must be told the truth."""

_ANNOUNCES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(automat\w+|robot|computer\w*|machine|virtual|artificial)\b", re.IGNORECASE
    ),
    "es": re.compile(
        r"\b(autom[aá]tic\w+|automatizad\w+|robot|virtual|m[aá]quina|artificial)\b", re.IGNORECASE
    ),
}
"""A call begins by saying that it is automated (California AB 2905), and who asks is told so."""


def denies_automation(text: str, language: Language = "en") -> bool:
    """Whether a text says that a person speaks, or that no machine does."""
    return _DENIALS[language].search(text.replace("’", "'")) is not None


def announces(text: str, language: Language) -> bool:
    """Whether a text has a word that says that it is automated."""
    return _ANNOUNCES[language].search(text) is not None


def loses_announcement(speech: str, language: Language) -> str:
    """The announcing word of a marked text that is not heard as it is written; "" where all are.

    Args:
        speech: the text with its marks.
        language: of the text.

    Raises:
        ValueError: a mark is faulty.
    """
    written = _ANNOUNCES[language].findall(plain(speech))
    said = _ANNOUNCES[language].findall(heard(_without_sounds(speech)))
    return written[len(said)] if len(said) < len(written) else ""


def _without_sounds(speech: str) -> str:
    """A marked text without what is under IPA."""
    kept: list[str] = []
    under_sounds = False
    for each in marks(speech):
        if each.name == "phoneme":
            under_sounds = not each.closes
        elif not under_sounds:
            kept.append(each.source)
    return "".join(kept)
