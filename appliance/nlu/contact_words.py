"""What a language brings for names, numbers and e-mail addresses: letters, signs, corrections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

NOWHERE: re.Pattern[str] = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How letters are said.

    Attributes:
        names: what a letter is called ("ess", "ene"); some are words too, so they count in runs.
        sure: of these, what is no other word.
        phrases: names of several words ("double u", "i griega").
        code: words that stand for a letter, as in the spelling alphabets ("sierra").
        links: what stands between a letter and a word that begins with it ("as in", "de").
        repeats: "double l" is "ll".
        skipped: what means nothing between letters ("capital").
        alike: letters that are taken for each other on the telephone, in groups.
        partners: for a letter that is named ("with a k"), those that it may have been heard as.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    sure: frozenset[str] = frozenset()
    phrases: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    links: tuple[tuple[str, ...], ...] = ()
    repeats: Mapping[str, int] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    alike: tuple[str, ...] = ()
    partners: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PhoneWords:
    """How telephone numbers are said.

    Attributes:
        between: what is said between groups and means nothing ("area code", "then").
        plus: what begins an international number.
        extension: what an extension follows.
        rounded: hundreds as figures, for where a number goes on after them ("eight hundred five").
        correction: what takes back what stands before it.
        regions: whose national numbers are understood, the first one first (ISO 3166).
    """

    between: re.Pattern[str] = NOWHERE
    plus: re.Pattern[str] = NOWHERE
    extension: re.Pattern[str] = NOWHERE
    rounded: Mapping[str, str] = field(default_factory=dict)
    correction: re.Pattern[str] = NOWHERE
    regions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmailWords:
    """How e-mail addresses are said.

    Attributes:
        at: the words for "@".
        signs: words and phrases for the other signs, each with its sign.
        nothing: what is said within an address and is no part of it ("all one word").
        spelled: what introduces the letters of the word before it ("that is").
        begins: words that an address follows ("is"), and that are no part of one.
        hosts: what is said for a well-known host, as it is written.
        whole: hosts that are named without their ending, with it.
    """

    at: frozenset[str] = frozenset()
    signs: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    nothing: re.Pattern[str] = NOWHERE
    spelled: re.Pattern[str] = NOWHERE
    begins: frozenset[str] = frozenset()
    hosts: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    whole: Mapping[str, str] = field(default_factory=dict)
