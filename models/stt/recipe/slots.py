"""Reads slots from the phone head: only the words of a small grammar can come out.

The attention decoder may finish a sentence from memory; the phone head cannot. This is a Viterbi
search over a loop of words, each a row of phones with CTC blanks between, on the log-probabilities
of one utterance. Pure numpy.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np

DIGITS: dict[str, tuple[str, ...]] = {
    "zero": ("z iə ɹ oʊ", "z ɪ ɹ oʊ"),
    "oh": ("oʊ",),
    "one": ("w ʌ n",),
    "two": ("t uː",),
    "three": ("θ ɹ iː",),
    "four": ("f oːɹ",),
    "five": ("f aɪ v",),
    "six": ("s ɪ k s",),
    "seven": ("s ɛ v ə n",),
    "eight": ("eɪ t",),
    "nine": ("n aɪ n",),
    "double": ("d ʌ b əl",),
    "triple": ("t ɹ ɪ p əl",),
}
YES_NO: dict[str, tuple[str, ...]] = {
    "yes": ("j ɛ s",),
    "yeah": ("j ɛ h",),
    "yep": ("j ɛ p",),
    "no": ("n oʊ",),
    "nope": ("n oʊ p",),
    "sure": ("ʃ ʊɹ",),
    "correct": ("k ɚ ɹ ɛ k t",),
    "right": ("ɹ aɪ t",),
}


@dataclasses.dataclass(frozen=True)
class PhoneHead:
    """The phone layer beside a model.

    Attributes:
        matrix: float32 [phones, width].
        bias: float32 [phones].
        phones: names; place 0 is the CTC blank.
    """

    matrix: np.ndarray
    bias: np.ndarray
    phones: tuple[str, ...]

    @classmethod
    def load(cls, path: Path) -> PhoneHead:
        """Reads ``ctc.npz`` of a model folder."""
        with np.load(path) as stored:
            return cls(stored["matrix"], stored["bias"], tuple(str(p) for p in stored["phones"]))

    def log_probs(self, hidden: np.ndarray) -> np.ndarray:
        """Encoder output [T, width] to log-probabilities [T, phones]."""
        logits = hidden.astype(np.float32) @ self.matrix.T + self.bias
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


class Grammar:
    """A loop of words.

    Args:
        words: word to its pronunciations, phones separated by spaces.
    """

    def __init__(self, words: dict[str, tuple[str, ...]]) -> None:
        self._words: list[str] = []
        self._phones: list[str] = []  # Of each state; "" is a blank.
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for word, spoken in words.items():
            for pronunciation in spoken:
                self._firsts.append(len(self._phones))
                for place, phone in enumerate(pronunciation.split()):
                    self._phones += [phone] if place == 0 else ["", phone]
                self._lasts.append(len(self._phones) - 1)
                self._words.append(word)

    def decode(self, head: PhoneHead, log_probs: np.ndarray) -> list[str]:
        """The likeliest word sequence for log-probabilities [T, phones] of ``head``.

        Raises:
            KeyError: the head does not know a phone of the grammar.
        """
        place_of = {phone: place for place, phone in enumerate(head.phones)}
        columns = np.array([place_of[phone] for phone in self._phones])
        firsts, lasts = np.array(self._firsts), np.array(self._lasts)
        # One shared blank state stands before, between and after words.
        gap, score = 0.0, np.full(len(columns), -np.inf)
        gap_words: tuple[str, ...] = ()
        histories: list[tuple[str, ...]] = [()] * len(columns)
        for frame in log_probs:
            score, histories, gap, gap_words = self._advance(
                frame, columns, firsts, lasts, (score, histories, gap, gap_words)
            )
        best = int(lasts[np.argmax(score[lasts])])
        if score[best] > gap:
            return [*histories[best], self._words[int(np.argmax(score[lasts]))]]
        return list(gap_words)

    def _advance(
        self,
        frame: np.ndarray,
        columns: np.ndarray,
        firsts: np.ndarray,
        lasts: np.ndarray,
        now: tuple[np.ndarray, list[tuple[str, ...]], float, tuple[str, ...]],
    ) -> tuple[np.ndarray, list[tuple[str, ...]], float, tuple[str, ...]]:
        """One frame of the search: stay, next state, skip a blank, or a new word."""
        score, histories, gap, gap_words = now
        size = len(columns)
        inside = np.zeros(size, bool)
        inside[:] = True
        inside[firsts] = False
        options = np.full((4, size), -np.inf)
        options[0] = score
        options[1, 1:] = np.where(inside[1:], score[:-1], -np.inf)
        # A blank between two phones may be skipped when the phones differ.
        skip = inside[2:] & (columns[2:] != 0) & (columns[2:] != columns[:-2])
        options[2, 2:] = np.where(skip, score[:-2], -np.inf)
        ends = score[lasts]
        options[3, firsts] = gap
        came_from = np.full(size, -1)
        for first in firsts:  # A word may follow another without a blank unless the phone repeats.
            allowed = np.where(columns[lasts] != columns[first], ends, -np.inf)
            best = int(np.argmax(allowed))
            if allowed[best] > options[3, first]:
                options[3, first], came_from[first] = allowed[best], best
        choice = options.argmax(axis=0)
        history = [
            self._history(state, int(choice[state]), int(came_from[state]), histories, gap_words)
            for state in range(size)
        ]
        best_end = int(np.argmax(ends))
        if ends[best_end] > gap:
            gap_words = (*histories[int(lasts[best_end])], self._words[best_end])
        new_gap = max(float(ends[best_end]), gap) + float(frame[0])
        return options.max(axis=0) + frame[columns], history, new_gap, gap_words

    def _history(
        self,
        state: int,
        choice: int,
        came_from: int,
        histories: list[tuple[str, ...]],
        gap_words: tuple[str, ...],
    ) -> tuple[str, ...]:
        if choice < 3:
            return histories[state - choice]
        if came_from < 0:
            return gap_words
        return (*histories[self._lasts[came_from]], self._words[came_from])


@functools.cache
def _grammar(name: str) -> Grammar:
    return Grammar({"digits": DIGITS, "yes_no": YES_NO}[name])


def grammar_for(wanted: str) -> Grammar | None:
    """The slot grammar that can say exactly these words, or None."""
    words = set(wanted.split())
    if words <= DIGITS.keys():
        return _grammar("digits")
    return _grammar("yes_no") if words <= YES_NO.keys() else None
