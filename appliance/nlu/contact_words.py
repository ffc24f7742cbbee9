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
        code: words that show a letter after it ("b boy").
        radio: words that stand for a letter alone ("sierra"); `people` are names too.
        links: what stands between a letter and a word that begins with it ("as in", "de").
        repeats: "double l" is "ll".
        skipped: what means nothing between letters ("capital").
        alike: letters that are taken for each other on the telephone, in groups.
        partners: for a letter that is named ("with a k"), what may have been heard for it.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    sure: frozenset[str] = frozenset()
    phrases: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    radio: Mapping[str, str] = field(default_factory=dict)
    people: frozenset[str] = frozenset()
    links: tuple[tuple[str, ...], ...] = ()
    repeats: Mapping[str, int] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    alike: tuple[str, ...] = ()
    partners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamePatterns:
    """How people give their name.

    Attributes:
        introduced: what a name follows in any utterance ("my name is").
        lead: what may stand before a name that was asked for.
        tail: what may stand after it.
        first, last: what introduces first names and family names ("last name").
        joined: what stands for the hyphen of a double name.
        corrections: what takes back what stands before it ("no").
        never: words that are no part of a name.
        particles: small words within a name ("de la"); they count for no word.
        hints: "with" and "without", with how often a letter is then written.
        counts: what may stand between these and the letter ("two"), with its number.
        skipped: what means nothing beside a name ("with an accent").
        after_o: names that an O' stands before.
        most: words that a name has at most.
    """

    introduced: re.Pattern[str] = NOWHERE
    lead: re.Pattern[str] = NOWHERE
    tail: re.Pattern[str] = NOWHERE
    first: re.Pattern[str] = NOWHERE
    last: re.Pattern[str] = NOWHERE
    joined: re.Pattern[str] = NOWHERE
    corrections: re.Pattern[str] = NOWHERE
    never: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    hints: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int | None] = field(default_factory=dict)
    skipped: re.Pattern[str] = NOWHERE
    after_o: frozenset[str] = frozenset()
    most: int = 4


@dataclass(frozen=True, slots=True)
class AddressWords:
    """How a street address is said.

    Attributes:
        kinds: the words for a street after its name, each as it is written ("ave" is "Avenue").
        leading: those before its name ("calle"); where there are any, a street has its kind.
        units: the words for a part of a building, each as it is written.
        floors: of these, those that an ordinal may stand before ("third floor").
        districts: the words for a part of a town, each as it is written.
        numbered: what may stand before a house number ("numero").
        signs: what is written for such a word ("No. 20").
        between: small words between a number and its street ("de la").
        unnumbered: says that a house has no number, and how it is written.
        boxes: a box at the post office, and how it is written.
        directions: words that may end a street's name ("north").
        ordinals: "fifth" is "5th"; `tens` are words that make one number with those below ten.
        hundreds: what makes such a number too ("one hundred fifth"); `joint` may follow it.
        particles: words that are written small within a name.
        never: words that are no part of a street or a town.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    leading: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    floors: frozenset[str] = frozenset()
    districts: Mapping[str, str] = field(default_factory=dict)
    numbered: frozenset[str] = frozenset()
    signs: re.Pattern[str] = NOWHERE
    between: frozenset[str] = frozenset()
    unnumbered: tuple[re.Pattern[str], str] = (NOWHERE, "")
    boxes: tuple[re.Pattern[str], str] = (NOWHERE, "")
    directions: frozenset[str] = frozenset()
    ordinals: Mapping[str, str] = field(default_factory=dict)
    tens: Mapping[str, int] = field(default_factory=dict)
    hundreds: Mapping[str, int] = field(default_factory=dict)
    joint: str = ""
    particles: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


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
