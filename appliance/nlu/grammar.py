"""What a language brings to the rule layer, so that the readers themselves know none.

    Grammar -- normalize            an utterance in the form that rules and readers expect
            |- numbers              how digits and numbers are said      -> nlu/numbers.py, numerals
            |- money                how an amount is offered             -> nlu/amounts.py
            |- dates                how a day is named                   -> nlu/dates.py
            |- times                how a time of day is named           -> nlu/times.py
            |- names                how people give their name           -> nlu/names.py
            |- addresses            how a street address is said         -> nlu/addresses.py
            |- verbatim             the same form, but with no word put right: for names
            |- spelling             how letters are said                 -> nlu/spelling.py
            |- phones, emails       how they are said                    -> nlu/phones.py, emails.py
            |- negation             what takes something back            -> nlu/negation.py
            `- filler, trailing     what means nothing, what goes on     -> nlu/rules.py

`nlu/english` and `nlu/spanish` are siblings: the same modules, one `Grammar` each. The words of
the intents are beside them as data, in `rules.*.yaml` and `polarity.*.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from appliance.nlu.contact_words import (
    AddressWords,
    Alphabet,
    EmailWords,
    NamePatterns,
    PhoneWords,
)
from appliance.types import Language

NOTHING: re.Pattern[str] = re.compile(r"(?!)")
"""Matches nowhere: the default of a language that does not read this yet."""

CardinalReader = Callable[[Sequence[str], int], "tuple[int, int] | None"]
"""Words and an index to the number that begins there and the index after it; None for none."""
DateReader = Callable[["re.Match[str]"], str]
"""A match to its phrase (see `appliance.dialogue.calendar`); "" for what is no coming day."""


@dataclass(frozen=True, slots=True)
class DigitRepairs:
    """How digits are taken back, in a normalized utterance; matched in this order.

    Attributes:
        restart: what was said before it is void ("scratch that").
        place: names digits of the number ("the last two are").
        denial: what follows is not meant ("five, not nine").
        correction: what follows takes the place of what was just said ("sorry", "I mean").
        doubt: a denial where what follows was said before, else a correction ("cinco no nueve").
        place_named: a match of `place` to the index of the first digit meant, from the end where
            it is negative.
    """

    restart: re.Pattern[str]
    place: re.Pattern[str]
    denial: re.Pattern[str]
    correction: re.Pattern[str]
    place_named: Callable[[re.Match[str]], int]
    doubt: re.Pattern[str] = NOTHING


@dataclass(frozen=True, slots=True)
class QuantityWords:
    """How a number is said that is no plain cardinal: "two and a half thousand", "a third".

    Attributes:
        ordinal: reads an ordinal ("twenty first"), also as the lower part of a fraction.
        multipliers: what multiplies the number before it ("million", "dozen", "k").
        point: words for the mark before decimals; `joints` what stands before a fraction.
        parts: words for a part of one ("half", "quarter"), with the lower part of the fraction.
        plural: how the lower part ends where the upper one is more than one.
        minus: words for the sign; `over` for the bar of a fraction.
        ones: articles that stand for one before a multiplier or a part.
        of: what may stand between a part and a multiplier ("half of a million").
        half_alone: words for a half that need nothing before them ("y medio").
    """

    ordinal: CardinalReader
    multipliers: Mapping[str, int]
    point: frozenset[str]
    joints: frozenset[str]
    parts: Mapping[str, int]
    plural: str
    minus: frozenset[str]
    over: frozenset[str]
    ones: frozenset[str]
    of: frozenset[str]
    half_alone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NumberWords:
    """How numbers are said.

    Attributes:
        cardinal: reads a number from 1 to below a thousand billions.
        below_hundred: reads a number from 1 to 99.
        units: the words for one digit; `zeros` are those for 0.
        plurals: digits as things: "three zeros".
        decades: words that begin a number from 10 to 99.
        scales: words in a number that is money beyond doubt ("hundred").
        repeats: "double" is 2.
        homophones: what a recognizer writes for a digit, trusted only between digits.
        fillers: what people say between digits.
        repairs: how they take digits back.
        quantities: how numbers are said that are no plain cardinals.
        articles: words for one that are no digit by themselves.
        exclaimed: zeros that may be an interjection before the first digit ("oh").
        counted: what follows a count, which is no digit ("one moment").
    """

    cardinal: CardinalReader
    below_hundred: CardinalReader
    units: Mapping[str, int]
    zeros: frozenset[str]
    plurals: Mapping[str, int]
    decades: frozenset[str]
    scales: frozenset[str]
    repeats: Mapping[str, int]
    homophones: Mapping[str, int]
    fillers: frozenset[str]
    repairs: DigitRepairs
    quantities: QuantityWords
    articles: frozenset[str] = frozenset()
    exclaimed: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MoneyWords:
    """How an amount is offered.

    Attributes:
        units: words or signs for a currency (several words with a space between them), with the
            name of the currency.
        cents: the same for its hundredth part.
        percent: what follows a number of hundredths.
        counted: what follows a number that is no money ("years").
        joining: what may stand between dollars and cents.
        decimal: of these, what makes cents of the number after it without a currency word.
        vague: what may stand between a number and its currency ("fifty something dollars").
        ranges: what joins the ends of a range ("fifty to sixty"); the first counts.
        offering: words, or pairs of them, right before a bare number that make it an offer.
        limits: the same for a number that is offered even by "not": "no more than fifty".
        sums: set phrases, as words, with their value.
        hundreds_to: the largest number that counts hundreds before a second number: in English
            "twelve fifty" is 1250, but "forty nine ninety five" is 49.95.
        shares: what says anywhere in the utterance that a share of the sum is meant.
        asked_shares: whole replies that mean a share, where an amount was asked for.
        correction: said between two amounts, makes the last one count.
    """

    units: Mapping[str, str]
    cents: Mapping[str, str]
    percent: frozenset[str]
    counted: frozenset[str]
    joining: frozenset[str]
    decimal: frozenset[str]
    vague: frozenset[str]
    ranges: frozenset[str]
    offering: frozenset[str]
    limits: frozenset[str]
    sums: Mapping[tuple[str, ...], int]
    hundreds_to: int
    shares: tuple[tuple[re.Pattern[str], str], ...]
    asked_shares: Mapping[str, str]
    correction: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class DatePatterns:
    """How a day is named: patterns from the most to the least specific, each with its reader.

    Attributes:
        anywhere: count in every utterance.
        asked: bare forms, which count only where a date was asked for.
        correction: said between two dates, makes the last one count.
        about: ends right before a date that is only about right ("around").
        either: all that is said between two dates of which one is meant ("or").
        span: the word before the first of two dates, a bar and what is said between them, where
            all days from one to the other are meant ("from|to").
    """

    anywhere: tuple[tuple[re.Pattern[str], DateReader], ...]
    asked: tuple[tuple[re.Pattern[str], DateReader], ...]
    correction: re.Pattern[str]
    about: re.Pattern[str] = NOTHING
    either: re.Pattern[str] = NOTHING
    span: re.Pattern[str] = NOTHING


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
    verbatim: Callable[[str], str]
    numbers: NumberWords
    money: MoneyWords
    dates: DatePatterns
    negation: Negation
    filler: re.Pattern[str]
    trailing: frozenset[str]
    times: TimePatterns = TimePatterns()
    names: NamePatterns = field(default_factory=NamePatterns)
    addresses: AddressWords = field(default_factory=AddressWords)
    spelling: Alphabet = field(default_factory=Alphabet)
    phones: PhoneWords = field(default_factory=PhoneWords)
    emails: EmailWords = field(default_factory=EmailWords)
