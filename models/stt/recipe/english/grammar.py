"""The English grammar: which sentences of which kinds (see `models.stt.recipe.grammar`)."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import functools
import random
import re
from pathlib import Path

from models.stt.recipe import lines
from models.stt.recipe.grammar import Grammar, split_patterns

from . import names, numbers, phrases, readings
from .spelling import normalize

WEIGHTS: dict[str, float] = {
    "zip": 0.07,
    "digits": 0.06,
    "yesno": 0.08,
    "date": 0.06,
    "amount": 0.05,
    "time": 0.02,
    "name": 0.07,
    "phone": 0.02,
    "address": 0.02,
    "call": 0.06,
    "callers": 0.07,
    "intent": 0.22,
    "everyday": 0.12,
    "general": 0.02,
    "words": 0.04,
    "corpus": 0.02,
}
# Names that are common words too stay where they stand in a line.
_NOT_ONLY_NAMES = frozenset(
    """
    mark rose grace bill art hope joy faith frank jack pat sue rob ray may will dale price brown
    white black green gray wood woods stone hill fields park street day knight bush rice cook baker
    king page young long love little best rich ward bell fox mills hunter ford wells palmer rosa
    cruz diana carter mason cole virginia jordan austin madison jean logan amber washington jackson
    hunt hicks holmes wagner warren foster cooper hall wright alice bob cox walker turner james
    """.split()
)
_GROUPS = (names.FIRST, names.LAST, readings.MONTHS, readings.WEEKDAYS)
_DIGIT_WORDS = "|".join((*numbers.ONES, "oh"))
_DIGIT_RUN = re.compile(rf"\b(?:(?:{_DIGIT_WORDS}) ){{2,}}(?:{_DIGIT_WORDS})\b")
_TENS = "|".join(word for word in numbers.TENS if word != "_")
_SUM = re.compile(
    rf"\b(?:(?:{_TENS}|{'|'.join(numbers.ONES[2:])}) (?:hundred )?)+(?=(?:dollars|bucks)\b)"
)


def intent_line(rng: random.Random) -> str:
    """A training line of the intent model, its names, numbers and days mostly replaced."""
    text = normalize(lines.expand(rng, rng.choice(lines.intent_lines("en"))))
    return vary(rng, text) if rng.random() < 0.7 else text


def vary(rng: random.Random, text: str) -> str:
    """The normalized text with other names, digits, sums, months and weekdays."""
    text = _DIGIT_RUN.sub(lambda match: numbers.digits(rng, len(match.group(0).split())), text)
    text = _SUM.sub(lambda _: f"{numbers.cardinal(rng.randrange(2, 1000))} ", text)
    return lines.replace_words(rng, text, _GROUPS, _NOT_ONLY_NAMES)


def everyday(rng: random.Random) -> str:
    """A general sentence."""
    return normalize(rng.choice(lines.general_sentences("en")))


@functools.cache
def _vocabulary() -> list[str]:
    """Words of the lines and the sentences, the names and the nouns, each as often as the other."""
    own = set(names.FIRST + names.LAST + phrases.NOUNS + phrases.ADJECTIVES)
    return sorted(own | lines.vocabulary("en", normalize))


def word_row(rng: random.Random) -> str:
    """Random words, which keep the decoder from learning sentences by heart."""
    return " ".join(rng.choice(_vocabulary()) for _ in range(rng.randint(1, 7)))


def address(rng: random.Random) -> str:
    """A street address, with a town now and then."""
    number = rng.randrange(1, 9999)
    said = numbers.read_digits(rng, [int(digit) for digit in str(number)])
    said = numbers.cardinal(number) if number < 100 else said
    street = f"{said} {rng.choice(names.STREETS)} {rng.choice(names.STREET_KINDS)}"
    return street if rng.random() < 0.7 else f"{street} {rng.choice(names.TOWNS)}"


@functools.cache
def grammar() -> Grammar:
    """The grammar of English."""
    callers = Path(__file__).with_name("callers.txt").read_text(encoding="utf-8").splitlines()
    return Grammar(
        weights=WEIGHTS,
        makers={
            "zip": numbers.zip_code,
            "digits": numbers.digit_string,
            "phone": numbers.phone_number,
            "amount": readings.amount,
            "time": readings.clock_time,
            "date": readings.call_date,
            "address": address,
            "intent": intent_line,
            "everyday": everyday,
            "words": word_row,
        },
        patterns={
            "yesno": split_patterns(phrases.YES_NO),
            "name": split_patterns(phrases.NAMES),
            "general": split_patterns(phrases.GENERAL),
            "call": split_patterns(
                phrases.COLLECTIONS,
                phrases.COLLECTIONS,
                phrases.BOOKING,
                phrases.CAMPAIGN,
                phrases.RENOVATION,
                phrases.STATUS,
            ),
            "callers": [line for line in callers if line and not line.startswith("#")],
        },
        slots={
            "date": readings.date,
            "time": readings.clock_time,
            "sum": readings.bare_sum,
            "digits": lambda rng: numbers.digits(rng, rng.choice((4, 5, 6, 7, 8, 10))),
            "cardinal": lambda rng: numbers.cardinal(
                rng.choice((2, 3, 4, 5, 6, 10, 12, 20, 100, 200))
            ),
            "tens": lambda rng: numbers.cardinal(rng.randrange(20, 100)),
            "first": lambda rng: rng.choice(names.FIRST),
            "last": lambda rng: rng.choice(names.LAST),
            "noun": lambda rng: rng.choice(phrases.NOUNS),
            "adjective": lambda rng: rng.choice(phrases.ADJECTIVES),
            "month": lambda rng: rng.choice(readings.MONTHS),
            "address": address,
        },
        fillers=phrases.FILLERS,
        tails=phrases.TAILS,
        dev_kinds=(
            "zip yesno date amount name call digits general callers intent everyday".split()
        ),
    )
