"""A language of five words and sounds that are made up, as clear or as blurred as a test wants."""

from __future__ import annotations

import itertools

import numpy as np

from appliance.stt.fitted import SearchKnobs
from appliance.stt.language import Language, Trigram
from appliance.stt.phones import PhoneHead
from appliance.stt.search import WordSearch
from appliance.stt.tree import Plant

PHONES = ("", *"abcdefgh")
PLACES = {phone: place for place, phone in enumerate(PHONES)}
HEAD = PhoneHead(np.eye(len(PHONES), dtype=np.float32), np.zeros(len(PHONES), np.float32), PHONES)
WORDS = {"ab": "a b", "ba": "b a", "cc": "c c", "d": "d", "abd": "a b d"}
MARKS = ("<s>", "</s>", "<first>")

Pairs = dict[tuple[str, str], float]
Triples = dict[tuple[str, str, str], float]


def trigram(pairs: Pairs | None = None, triples: Triples | None = None) -> Trigram:
    """WORDS, all equally likely, but for the log-probabilities given; "<s>" is the start."""
    tokens = {word: place for place, word in enumerate([*MARKS, *WORDS])}
    rows = sorted((tokens[a], tokens[b], cost) for (a, b), cost in (pairs or {}).items())
    place = {(a, b): index for index, (a, b, _) in enumerate(rows)}
    longer = sorted(
        (place[tokens[a], tokens[b]], tokens[c], cost)
        for (a, b, c), cost in (triples or {}).items()
    )
    return Trigram(
        first=np.full(len(tokens), -2.0, np.float32),
        first_back=np.zeros(len(tokens), np.float32),
        pair_starts=_starts([a for a, _, _ in rows], len(tokens)),
        pair_tokens=np.array([b for _, b, _ in rows], np.int32),
        pair_costs=np.array([cost for *_, cost in rows], np.float32),
        pair_back=np.zeros(len(rows), np.float32),
        triple_starts=_starts([a for a, _, _ in longer], len(rows)),
        triple_tokens=np.array([b for _, b, _ in longer], np.int32),
        triple_costs=np.array([cost for *_, cost in longer], np.float32),
    )


def language(order: Trigram | None = None, slots: dict[str, Trigram] | None = None) -> Language:
    """WORDS in an order."""
    return Language(
        words=tuple(WORDS),
        phones=tuple(tuple(phones.split()) for phones in WORDS.values()),
        token=np.arange(len(MARKS), len(MARKS) + len(WORDS), dtype=np.int32),
        inside=np.zeros(len(WORDS), np.float32),
        order=order or trigram(),
        classes={"first": MARKS.index("<first>")},
        slots=slots or {},
    )


def searching(known: Language | None = None, **knobs: float) -> WordSearch:
    """A search with neutral weights."""
    known = known or language()
    neutral = {"weight": 1.0, "bonus": 0.0, "nothing": 0.0, **knobs}
    return WordSearch(known, Plant(known, PLACES), SearchKnobs(**neutral).for_search())


def sound(phones: str, sure: float = 0.97, frames: int = 2) -> np.ndarray:
    """Log-probabilities of a row of phones; "-" is a blank."""
    rows = []
    for phone, _ in itertools.product(phones, range(frames)):
        row = np.full(len(PHONES), (1 - sure) / (len(PHONES) - 1))
        row[0 if phone == "-" else PHONES.index(phone)] = sure
        rows.append(row)
    return np.log(np.array(rows)).astype(np.float32)


def _starts(contexts: list[int], count: int) -> np.ndarray:
    found = np.bincount(np.array(contexts, np.int64), minlength=count)
    return np.concatenate([[0], np.cumsum(found)]).astype(np.int32)
