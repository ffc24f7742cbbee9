"""Reads words off the encoder's output with the phone head, minding what was asked.

    encoder output -> PhoneHead -> frames -> search of all words and of the slot's ┐
                                       └---> so many digits (a ZIP was asked for) -┤
                        words, confidence, alternatives <- guards <- the better ---┘

The account's names join the tree as first and last names, so that they can be heard although no
vocabulary has them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.stt.confidence import chance, features
from appliance.stt.fitted import Fitted, load_fitted
from appliance.stt.grammars import digit_language
from appliance.stt.guards import count_digits, is_repeated
from appliance.stt.language import Floats, load_language
from appliance.stt.phones import load_head
from appliance.stt.pronunciation import pronounce
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.search import Row, WordSearch, sounding
from appliance.stt.tree import Plant

_ROWS = 5
_NAMED = 8  # searches with callers' names that are kept; 3 MB each, made in 2 ms
_NAME_CLASSES = ("first", "last")
_SPEECH = 0.5  # probability that somebody spoke: below it nothing was said
_LEAST_DIGITS = 0.6  # share of the digits asked for that is heard: else something else was said
_DIGIT_SLOTS = ("zip", "digits", "phone")


@dataclass(frozen=True, slots=True)
class Found:
    """What was heard.

    Attributes:
        words: the likeliest words; none where nobody spoke.
        confidence: the probability that all of them are right, 0..1.
        alternatives: the next best rows of words, best first.
        stretched: fewer digits were heard at first than were asked for; these are as many.
    """

    words: tuple[str, ...]
    confidence: float
    alternatives: tuple[tuple[str, ...], ...] = ()
    stretched: bool = False


class PhoneReader:
    """The searches over one model's phone head. Thread-safe."""

    def __init__(self, folder: Path, fitted: Fitted | None = None) -> None:
        """Load `ctc.npz`, `language.npz` and `hearing.json` of a model folder.

        Args:
            folder: the model's.
            fitted: other weights than those of `hearing.json`.

        Raises:
            ConfigError: one of them is broken.
        """
        self._head = load_head(folder / "ctc.npz")
        self._fitted = fitted or load_fitted(folder)
        rare = [self._fitted.rare.get(phone, 0.0) for phone in self._head.phones]
        self._rare = np.array(rare, np.float32)
        self._places = {phone: place for place, phone in enumerate(self._head.phones)}
        self._language = load_language(folder / "language.npz")
        self._knobs = self._fitted.search.for_search()
        plant = Plant(self._language, self._places)
        self._general = WordSearch(self._language, plant, self._knobs)
        # The first search compiles or loads the compiled code: not while a caller waits.
        self._general.find(np.zeros((1, len(self._head.phones)), np.float32))
        self._naming = functools.lru_cache(_NAMED)(self._with_names)
        self._digits = functools.lru_cache(16)(self._digit_search)

    def read(self, hidden: Floats, hint: Hint = NO_HINT, partial: bool = False) -> Found:
        """The words in an encoder's output.

        Args:
            hidden: [T, width].
            hint: what is likely to be said.
            partial: the caller is still speaking: one search, a narrow one.
        """
        return self.read_phones(self._head.log_probs(hidden), hint, partial)

    def read_phones(self, log_probs: Floats, hint: Hint = NO_HINT, partial: bool = False) -> Found:
        """The same from the head's log-probabilities [T, phones]."""
        frames, free = self._free_rows(log_probs, hint, partial)
        rows = self._counted(free, frames, None if partial else hint.digits)
        if not rows or not rows[0].words or is_repeated(rows[0].words):
            return Found((), 1.0)
        found = features(rows, frames)
        if chance(found, self._fitted.speech) < _SPEECH:
            return Found((), 1.0)
        sure = chance(found, self._fitted.confidence)
        alternatives = tuple(row.words for row in rows[1:] if row.words)
        stretched = self._digits_in(free[0]) < self._digits_in(rows[0]) == hint.digits
        return Found(rows[0].words, sure, alternatives, stretched)

    def rows(
        self, log_probs: Floats, hint: Hint = NO_HINT, partial: bool = False
    ) -> tuple[Floats, list[Row]]:
        """The frames that were searched and the rows of words in them, not yet guarded."""
        frames, free = self._free_rows(log_probs, hint, partial)
        return frames, self._counted(free, frames, None if partial else hint.digits)

    def _free_rows(self, log_probs: Floats, hint: Hint, partial: bool) -> tuple[Floats, list[Row]]:
        """The same, whatever number of digits was asked for."""
        knobs = self._fitted.search
        frames = sounding(log_probs, knobs.doubt, self._rare)
        if partial:
            return frames, self._general.find(frames, 1, beam=knobs.partial_beam)
        slot = "digits" if hint.digits and hint.slot not in _DIGIT_SLOTS else hint.slot
        search = self._naming(hint.words) if hint.words else self._general
        return frames, search.find(frames, _ROWS, slot, knobs.slot_share)

    def _counted(self, rows: list[Row], frames: Floats, digits: int | None) -> list[Row]:
        """The rows, those with the right number of digits before them if the sound allows it."""
        if not digits or not rows:
            return rows
        counts = [self._digits_in(row) for row in rows]
        if counts[0] == digits and (digits > 1 or len(rows[0].words) == 1):
            return rows
        if digits > 1 and counts[0] < _LEAST_DIGITS * digits:
            return rows
        least = rows[0].sound - self._fitted.search.most_lost
        right = [row for row, count in zip(rows, counts, strict=True) if count == digits > 1]
        right += [row for row in self._digits(digits).find(frames, 2) if row.words]
        right = [row for row in dict.fromkeys(right) if row.sound > least]
        words = {row.words for row in right}
        return (right + [row for row in rows if row.words not in words])[:_ROWS]

    def _digits_in(self, row: Row) -> int:
        return count_digits(row.words, self._fitted.language)

    def _with_names(self, words: tuple[str, ...]) -> WordSearch:
        """The general search with hot words among the names."""
        spoken = [(word, pronounce(word, self._fitted.language, self._places)) for word in words]
        known = [(word, phones) for word, phones in spoken if phones]
        if not known:
            return self._general
        return self._general.with_words(known, _NAME_CLASSES, self._fitted.search.hot_word)

    def _digit_search(self, digits: int) -> WordSearch:
        language = digit_language(self._language, self._fitted.language, digits)
        # No look-ahead: a grammar's words have no cost of their own.
        knobs = self._knobs._replace(weight=1.0, bonus=0.0, look=0.0)
        return WordSearch(language, Plant(language, self._places), knobs)


def has_phone_head(folder: Path) -> bool:
    """Whether a model folder can be read this way."""
    return (folder / "ctc.npz").is_file() and (folder / "language.npz").is_file()
