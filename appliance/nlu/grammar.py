"""What a language brings to the rule layer, so that the readers themselves know none.

    Grammar -- normalize            an utterance in the form that rules and readers expect
            |- numbers              how digits and cardinals are said    -> nlu/numbers.py
            |- money                how an amount is offered             -> nlu/amounts.py
            |- dates                how a day is named                   -> nlu/dates.py
            |- times                how a time of day is named           -> nlu/times.py
            |- names                how people give their name           -> nlu/names.py
            |- addresses            how a street address is said         -> nlu/addresses.py
            |- negation             what takes something back            -> nlu/negation.py
            `- filler, trailing     what means nothing, what goes on     -> nlu/rules.py

`nlu/english` and `nlu/spanish` are siblings: the same modules, one `Grammar` each. The words of
the intents are beside them as data, in `rules.*.yaml` and `polarity.*.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from appliance.types import Language

CardinalReader = Callable[[Sequence[str], int], "tuple[int, int] | None"]
"""Words and an index to the number that begins there and the index after it; None for none."""
DateReader = Callable[["re.Match[str]"], str]
"""A match to its phrase (see `appliance.dialogue.calendar`); "" for what is no coming day."""


@dataclass(frozen=True, slots=True)
class NumberWords:
    """How numbers are said.

    Attributes:
        cardinal: reads a number from 1 to 999,999.
        below_hundred: reads a number from 1 to 99.
        units: the words for one digit; `zeros` are those for 0.
        decades: words that begin a number from 10 to 99.
        scales: words in a number that is money beyond doubt ("hundred").
        repeats: "double" is 2.
        homophones: what a recognizer writes for a digit, trusted only between digits.
        fillers: what people say between digits.
        articles: words for one that are no digit by themselves.
        exclaimed: zeros that may be an interjection before the first digit ("oh").
    """

    cardinal: CardinalReader
    below_hundred: CardinalReader
    units: Mapping[str, int]
    zeros: frozenset[str]
    decades: frozenset[str]
    scales: frozenset[str]
    repeats: Mapping[str, int]
    homophones: Mapping[str, int]
    fillers: frozenset[str]
    articles: frozenset[str] = frozenset()
    exclaimed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MoneyWords:
    """How an amount is offered.

    Attributes:
        currency: what follows a number that is dollars; `cents` what follows cents.
        percent: what follows a number that is no money.
        thousands: what multiplies a number by a thousand ("grand").
        joining: what may stand between dollars and cents.
        decimal: of these, what makes cents of the number after it without a currency word.
        offering: words right before a bare number that make it an offer.
        sums: set phrases, as words, with their value.
        half, full: say so anywhere in the utterance.
        all_of_it: whole replies that mean the full amount, where one was asked for.
    """

    currency: frozenset[str]
    cents: frozenset[str]
    percent: frozenset[str]
    thousands: frozenset[str]
    joining: frozenset[str]
    decimal: frozenset[str]
    offering: frozenset[str]
    sums: Mapping[tuple[str, ...], int]
    half: re.Pattern[str]
    full: re.Pattern[str]
    all_of_it: frozenset[str]


@dataclass(frozen=True, slots=True)
class DatePatterns:
    """How a day is named: patterns from the most to the least specific, each with its reader.

    Attributes:
        anywhere: count in every utterance.
        asked: bare forms, which count only where a date was asked for.
        correction: said between two dates, makes the last one count.
    """

    anywhere: tuple[tuple[re.Pattern[str], DateReader], ...]
    asked: tuple[tuple[re.Pattern[str], DateReader], ...]
    correction: re.Pattern[str]


NOTHING: re.Pattern[str] = re.compile(r"(?!)")
"""Matches nowhere: the default of a language that does not read this yet."""


@dataclass(frozen=True, slots=True)
class TimePatterns:
    """How a time of day is named: `HH:MM`, `morning`, `afternoon`, `evening` or `any`.

    Attributes:
        clock: a time by the clock, in every utterance; patterns as in `DatePatterns`.
        parts: a part of the day, or that any time will do.
        asked: bare forms of a clock time, which count only where a time was asked for.
    """

    clock: tuple[tuple[re.Pattern[str], DateReader], ...] = ()
    parts: tuple[tuple[re.Pattern[str], DateReader], ...] = ()
    asked: tuple[tuple[re.Pattern[str], DateReader], ...] = ()


@dataclass(frozen=True, slots=True)
class NamePatterns:
    """How people give their name.

    Attributes:
        introduced: what a name follows in any utterance ("my name is").
        lead: what may stand before a name that was asked for.
        tail: what may stand after it.
        labels: what is said between the parts of a name ("last name").
        never: words that are no part of a name.
    """

    introduced: re.Pattern[str] = NOTHING
    lead: re.Pattern[str] = NOTHING
    tail: re.Pattern[str] = NOTHING
    labels: re.Pattern[str] = NOTHING
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AddressWords:
    """How a street address is said, number first.

    Attributes:
        kinds: the words for a street, each as it is written ("ave" is "Avenue").
        units: the words for a part of a building, each as it is written.
        ordinals: "fifth" is "5th"; `tens` are words that make one number with those below ten.
        never: words that are no part of a street or a town.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    ordinals: Mapping[str, str] = field(default_factory=dict)
    tens: Mapping[str, int] = field(default_factory=dict)
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Negation:
    """What takes something back.

    Attributes:
        words: negate what follows in the same thought.
        stops: begin a new thought, or turn the meaning: "not until Friday" means Friday.
        replies: negations that, as the first word and right before something, only answer:
            "no, el viernes" is Friday.
        not_replies: what such a first word does negate: "no hoy".
        after: what right after something denies it: "hoy no puedo".
    """

    words: frozenset[str]
    stops: frozenset[str]
    replies: frozenset[str] = frozenset()
    not_replies: frozenset[str] = frozenset()
    after: re.Pattern[str] = NOTHING


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language. `filler` matches an utterance of nothing; after `trailing` more must follow.

    A language without `times`, `names` or `addresses` reads none.
    """

    language: Language
    normalize: Callable[[str], str]
    numbers: NumberWords
    money: MoneyWords
    dates: DatePatterns
    negation: Negation
    filler: re.Pattern[str]
    trailing: frozenset[str]
    times: TimePatterns = TimePatterns()
    names: NamePatterns = NamePatterns()
    addresses: AddressWords = field(default_factory=AddressWords)
