"""The Spanish grammar: which sentences of which kinds (see `models.stt.recipe.grammar`)."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import functools
import random
import re

from models.stt.recipe import lines
from models.stt.recipe.grammar import Grammar, split_patterns

from . import names, numbers, phrases, readings
from .spelling import normalize

WEIGHTS: dict[str, float] = {
    "zip": 0.09,
    "digits": 0.07,
    "yesno": 0.10,
    "date": 0.08,
    "amount": 0.06,
    "time": 0.03,
    "name": 0.08,
    "phone": 0.03,
    "address": 0.04,
    "call": 0.05,
    "intent": 0.21,
    "everyday": 0.12,
    "words": 0.04,
}
# Names that are common nouns too stay where they stand in a line.
_NOT_ONLY_NAMES = frozenset(
    "luz rosa blanca reina perla sol paz gloria esperanza dolores consuelo soledad mercedes pilar "
    "victoria norma salvador israel ángel jesús clara domingo santiago paco".split()
)
_GROUPS = (names.FIRST, names.LAST, readings.MONTHS, readings.WEEKDAYS)
_DIGIT_WORDS = "|".join(numbers.ONES)
_DIGIT_RUN = re.compile(rf"\b(?:(?:{_DIGIT_WORDS}) ){{2,}}(?:{_DIGIT_WORDS})\b")


def intent_line(rng: random.Random) -> str:
    """A training line of the intent model, its names, numbers and days mostly replaced."""
    text = normalize(lines.expand(rng, rng.choice(lines.intent_lines("es"))))
    return vary(rng, text) if rng.random() < 0.7 else text


def vary(rng: random.Random, text: str) -> str:
    """The normalized text with other names, digits, months and weekdays."""
    text = _DIGIT_RUN.sub(lambda match: numbers.digits(rng, len(match.group(0).split())), text)
    return lines.replace_words(rng, text, _GROUPS, _NOT_ONLY_NAMES)


def everyday(rng: random.Random) -> str:
    """A general sentence; an intent line as long as there are none."""
    found = lines.general_sentences("es")
    return normalize(rng.choice(found)) if found else intent_line(rng)


def word_row(rng: random.Random) -> str:
    """Random words, which keep the decoder from learning sentences by heart."""
    return " ".join(rng.choice(_vocabulary()) for _ in range(rng.randint(1, 7)))


@functools.cache
def _vocabulary() -> list[str]:
    """Words of the lines and the sentences, the names and the nouns, each as often as the other."""
    own = set(names.FIRST + names.LAST + phrases.NOUNS + phrases.ADJECTIVES)
    return sorted(own | lines.vocabulary("es", normalize))


def _house(rng: random.Random) -> str:
    number = rng.randrange(1, 9999)
    if rng.random() < 0.5:
        return numbers.cardinal(number)
    return numbers.read_digits(rng, [int(digit) for digit in str(number)])


def _letters(rng: random.Random) -> str:
    return " ".join(rng.choice(names.LETTERS) for _ in range(rng.randint(1, 6)))


@functools.cache
def grammar() -> Grammar:
    """The grammar of Spanish."""
    return Grammar(
        weights=WEIGHTS,
        makers={
            "zip": numbers.zip_code,
            "digits": numbers.digit_string,
            "phone": numbers.phone_number,
            "amount": readings.amount,
            "time": readings.clock_time,
            "date": readings.call_date,
            "intent": intent_line,
            "everyday": everyday,
            "words": word_row,
        },
        patterns={
            "yesno": split_patterns(phrases.YES_NO),
            "name": split_patterns(phrases.NAMES),
            "address": split_patterns(phrases.ADDRESS),
            "call": split_patterns(phrases.CALL),
        },
        slots={
            "date": readings.date,
            "time": readings.clock_time,
            "sum": readings.bare_sum,
            "digits": lambda rng: numbers.digits(rng, rng.choice((4, 5, 6, 7, 8, 10))),
            "small": lambda rng: numbers.cardinal(rng.randrange(1, 60)),
            "tens": lambda rng: numbers.cardinal(rng.randrange(20, 100)),
            "house": _house,
            "letters": _letters,
            "first": lambda rng: rng.choice(names.FIRST),
            "last": lambda rng: rng.choice(names.LAST),
            "street": lambda rng: rng.choice(names.STREETS),
            "street_kind": lambda rng: rng.choice(names.STREET_KINDS),
            "town": lambda rng: rng.choice(names.TOWNS),
            "host": lambda rng: rng.choice(names.MAIL_HOSTS.split("|")),
            "noun": lambda rng: rng.choice(phrases.NOUNS),
            "adjective": lambda rng: rng.choice(phrases.ADJECTIVES),
        },
        fillers=phrases.FILLERS,
        tails=phrases.TAILS,
        dev_kinds=("zip yesno date amount time name digits phone address intent everyday".split()),
    )
