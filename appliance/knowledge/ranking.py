"""Which approved passage answers a question, if any does.

    question ── terms ──> each passage: likeness to one of its questions, and how much of what was
                          said it speaks of at all ──> score ──> the best one above the threshold

A term counts by how rare it is among the passages (idf, as in Robertson's BM25), so "permit" in a
question decides and "new" does not. A word that no passage has counts as the rarest, so a question
about something else scores low and gets nothing: no answer is better than a wrong one. The same
question always gets the same answer; nothing is learned, and nothing is written here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from appliance.dialogue.passages import Passage
from appliance.knowledge.terms import terms

THRESHOLD = 0.5
"""Scores below this answer nothing; chosen on the `tune` questions of the shipped set."""

_LIKENESS = 0.7
"""Weight of being like one of the questions; the rest is for being spoken of in the passage."""


@dataclass(frozen=True, slots=True)
class Match:
    """A passage with its score, from 0 to 1: 1 is a question of the passage, word for word."""

    passage: Passage
    score: float


class Index:
    """Passages, ready to be asked. Immutable; building it takes some milliseconds."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._entries = tuple(_Entry.of(each) for each in sorted(passages, key=lambda p: p.id))
        spread = Counter(term for entry in self._entries for term in entry.every)
        count = len(self._entries)
        self._idf = {term: _idf(count, found) for term, found in spread.items()}
        self._unknown = _idf(count, 0)

    def rank(self, question: str) -> tuple[Match, ...]:
        """All passages that have anything of the question, the best first; ties by id."""
        asked = frozenset(terms(question))
        if not asked:
            return ()
        scored = ((self._score(asked, entry), entry.passage) for entry in self._entries)
        found = [Match(passage, score) for score, passage in scored if score > 0]
        return tuple(sorted(found, key=lambda match: (-match.score, match.passage.id)))

    def best(self, question: str, threshold: float = THRESHOLD) -> Match | None:
        """The passage that answers a question; None where none is close enough."""
        first = next(iter(self.rank(question)), None)
        return first if first is not None and first.score >= threshold else None

    def _score(self, asked: frozenset[str], entry: _Entry) -> float:
        weight = self._weight(asked)
        spoken_of = self._weight(asked & entry.every) / weight
        likeness = max(
            2 * self._weight(asked & question) / (weight + self._weight(question))
            for question in entry.questions
        )
        return _LIKENESS * likeness + (1 - _LIKENESS) * spoken_of

    def _weight(self, found: Iterable[str]) -> float:
        return math.fsum(self._idf.get(term, self._unknown) for term in found)  # in any order


@dataclass(frozen=True, slots=True)
class _Entry:
    """A passage as sets of terms: those of each question, and all that it has."""

    passage: Passage
    questions: tuple[frozenset[str], ...]
    every: frozenset[str]

    @classmethod
    def of(cls, passage: Passage) -> _Entry:
        questions = tuple(frozenset(terms(each)) for each in passage.questions)
        return cls(passage, questions, frozenset(terms(passage.text)).union(*questions))


def _idf(count: int, found: int) -> float:
    """Robertson and Sparck Jones' weight as BM25 has it, never negative."""
    return math.log(1 + (count - found + 0.5) / (found + 0.5))


def index_of(passages: Mapping[str, Passage]) -> Index:
    """The index of a flow's passages; made once for each set of them."""
    return _indexed(tuple(passages.values()))


@lru_cache(maxsize=8)
def _indexed(passages: tuple[Passage, ...]) -> Index:
    return Index(passages)
