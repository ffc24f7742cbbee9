"""The sentences the recognizer learns from: grammar-made, drawn by kind.

`draw` returns (kind, text); texts are lower-case words with apostrophes and no numerals. Sentences
of `HOLD_OUT_WORDS` words and more are divided by a hash into training and held-out halves, so that
"unseen" means unseen with every voice. Shorter ones ("yes") cannot be held out: there are too few.
"""

from __future__ import annotations

import functools
import hashlib
import random
import re
from pathlib import Path

from . import names, phrases, readings
from .spanish.grammar import grammar as spanish_grammar
from .spanish.spelling import normalize as spanish_spelling

HOLD_OUT_WORDS = 4
_HOLD_OUT_PARTS = 25  # 1 in 25 long sentences is never trained on.
_SLOT = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_NOT_WORDS = re.compile(r"[^a-z' ]+")

KIND_WEIGHTS: dict[str, float] = {
    "zip": 0.12,
    "digits": 0.07,
    "yesno": 0.14,
    "date": 0.08,
    "amount": 0.07,
    "time": 0.02,
    "name": 0.08,
    "call": 0.13,
    "callers": 0.16,
    "general": 0.03,
    "words": 0.05,
    "corpus": 0.05,
}


def normalize(text: str, language: str = "en") -> str:
    """Lower-cases, drops punctuation, keeps apostrophes; Spanish words get their accents."""
    if language == "es":
        return spanish_spelling(text)
    plain = text.lower().replace("’", "'").replace("-", " ")
    words = (word.strip("'") for word in _NOT_WORDS.sub(" ", plain).split())
    return " ".join(word for word in words if word)


def is_held_out(text: str) -> bool:
    """Whether a sentence belongs to the unseen part. Stable across runs and machines."""
    if len(text.split()) < HOLD_OUT_WORDS:
        return False
    return hashlib.sha256(text.encode()).digest()[0] % _HOLD_OUT_PARTS == 0


class TextSource:
    """Draws sentences of every kind.

    Args:
        sentences: outside sentences for kind "corpus", already normalized; may be empty.
        words: vocabulary for kind "words" (random word sequences, which keep the decoder from
            learning sentences by heart); empty uses the grammar's own words.
    """

    def __init__(self, sentences: list[str], words: list[str], language: str = "en") -> None:
        self._language = language
        self._sentences = sentences
        self._words = words or names.FIRST + names.LAST + phrases.NOUNS + phrases.ADJECTIVES

    def draw(self, rng: random.Random, kind: str | None = None) -> tuple[str, str]:
        """Returns (kind, text); without a kind, one is drawn by `KIND_WEIGHTS`."""
        if self._language == "es":
            grammar = spanish_grammar()
            kind = kind or rng.choices(list(grammar.weights), list(grammar.weights.values()))[0]
            return kind, normalize(grammar.make(rng, kind), "es")
        if kind is None:
            kind = rng.choices(list(KIND_WEIGHTS), weights=list(KIND_WEIGHTS.values()))[0]
        if kind == "corpus" and not self._sentences:
            kind = "general"
        return kind, normalize(self._make(rng, kind))

    def draw_split(
        self, rng: random.Random, held_out: bool, kind: str | None = None
    ) -> tuple[str, str]:
        """Like `draw`, from the unseen part or from the training part only.

        A held-out draw of a kind with only short texts gives up after 200 tries and returns a
        short (necessarily known) text.
        """
        for _ in range(200):
            drawn = self.draw(rng, kind)
            if is_held_out(drawn[1]) == held_out:
                return drawn
        return drawn

    def _make(self, rng: random.Random, kind: str) -> str:
        if kind == "words":
            return " ".join(rng.choice(self._words) for _ in range(rng.randint(1, 7)))
        if kind == "corpus":
            return rng.choice(self._sentences)
        maker = _MAKERS.get(kind)
        if maker is not None:
            return maker(rng)
        text = expand(rng, rng.choice(caller_lines() if kind == "callers" else _patterns(kind)))
        if rng.random() < 0.12:
            text = f"{rng.choice(phrases.FILLERS)} {text}"
        if rng.random() < 0.08:
            text = f"{text} {rng.choice(phrases.TAILS)}"
        return text


def expand(rng: random.Random, pattern: str) -> str:
    """Resolves ``[a|b]`` choices from the inside out, then fills ``{slots}``."""
    while match := _CHOICE.search(pattern):
        choice = rng.choice(match.group(1).split("|"))
        pattern = pattern[: match.start()] + choice + pattern[match.end() :]
    return " ".join(_SLOT.sub(lambda slot: _SLOTS[slot.group(1)](rng), pattern).split())


def address(rng: random.Random) -> str:
    """A street address, with a town now and then."""
    number = rng.randrange(1, 9999)
    said = readings.read_digits(rng, [int(digit) for digit in str(number)])
    said = readings.cardinal(number) if number < 100 else said
    street = f"{said} {rng.choice(names.STREETS)} {rng.choice(names.STREET_KINDS)}"
    return street if rng.random() < 0.7 else f"{street} {rng.choice(names.TOWNS)}"


def _call_date(rng: random.Random) -> str:
    lead = rng.choice(
        (
            "",
            "",
            "",
            "i'll pay",
            "i can pay",
            "how about",
            "can we do",
            "maybe",
            "i get paid",
            "let's say",
            "i can do it",
            "what about",
            "it was",
            "i was born",
            "it's due",
            "um",
            "probably",
        )
    )
    said = f"{lead} {readings.date(rng)}".strip()
    return f"{said} {readings.clock_time(rng)}" if rng.random() < 0.12 else said


@functools.cache
def caller_lines() -> list[str]:
    """The patterns of ``callers.en.txt``, which the language of the phone head counts too."""
    lines = Path(__file__).with_name("callers.en.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@functools.cache
def _patterns(kind: str) -> list[str]:
    blocks = {
        "yesno": (phrases.YES_NO,),
        "name": (phrases.NAMES,),
        "general": (phrases.GENERAL,),
        "call": (
            phrases.COLLECTIONS,
            phrases.COLLECTIONS,
            phrases.BOOKING,
            phrases.CAMPAIGN,
            phrases.RENOVATION,
            phrases.STATUS,
        ),
    }[kind]
    patterns = []
    for block in blocks:
        for line in block.strip().splitlines():
            # A bar outside brackets separates patterns on one line.
            bare = _CHOICE.sub(lambda match: match.group(0).replace("|", "\0"), line.strip("|"))
            parts = [part.replace("\0", "|").strip() for part in bare.split("|")]
            patterns += [part for part in parts if part]
    return patterns


_MAKERS = {
    "zip": readings.zip_code,
    "digits": readings.digit_string,
    "amount": readings.amount,
    "time": readings.clock_time,
    "date": _call_date,
}
_SLOTS = {
    "date": readings.date,
    "time": readings.clock_time,
    "sum": readings.bare_sum,
    "digits": lambda rng: readings.digits(rng, rng.choice((4, 5, 6, 7, 8, 10))),
    "cardinal": lambda rng: readings.cardinal(rng.choice((2, 3, 4, 5, 6, 10, 12, 20, 100, 200))),
    "tens": lambda rng: readings.cardinal(rng.randrange(20, 100)),
    "first": lambda rng: rng.choice(names.FIRST),
    "last": lambda rng: rng.choice(names.LAST),
    "noun": lambda rng: rng.choice(phrases.NOUNS),
    "adjective": lambda rng: rng.choice(phrases.ADJECTIVES),
    "month": lambda rng: rng.choice(readings.MONTHS),
    "address": address,
}
