"""Words from the phone head: a search that cannot say what the sound does not hold.

    log-probabilities [T, phones] -> without sure blanks -> beam search over a tree of words -> rows
                                                             (`stt.beam`)                   of words

Whisper's decoder is a language model that listens; a small one finishes sentences from memory. The
phone head (`stt.phones`) has no memory. This module calls the compiled search over the tree of a
`Language` (`stt.tree`) and names the words that it found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from appliance.stt.beam import Knobs, search
from appliance.stt.language import Floats, Language
from appliance.stt.tree import Plant

_SURE_BLANK = np.float32(np.log(0.98))


@dataclass(frozen=True, slots=True)
class Row:
    """One row of words that fits the sound.

    Attributes:
        words: as they are written.
        sound: log-probability of the sound under these words, without the language.
        score: with what the language says.
        phones: how many phones the words have.
    """

    words: tuple[str, ...]
    sound: float
    score: float
    phones: int


class WordSearch:
    """Finds the likeliest words of one language. Immutable, thread-safe."""

    def __init__(self, language: Language, plant: Plant, knobs: Knobs) -> None:
        """Take a language and the tree of its words.

        Args:
            language: the words.
            plant: their tree.
            knobs: weights, as fitted to the model.
        """
        self._language, self._plant, self._knobs = language, plant, knobs
        self._tree = plant.tree(language)

    def with_words(
        self, words: list[tuple[str, tuple[str, ...]]], classes: tuple[str, ...], cost: float
    ) -> WordSearch:
        """The same search with more words (see `Language.with_words`), quicker than a new one."""
        language = self._language.with_words(words, classes, cost)
        return WordSearch(language, self._plant.grown(language), self._knobs)

    def find(
        self,
        frames: Floats,
        most: int = 1,
        slot: str | None = None,
        share: float = 0.0,
        beam: int | None = None,
    ) -> list[Row]:
        """The likeliest rows of words, best first.

        Args:
            frames: log-probabilities of the phones [T, phones], as `sounding` leaves them.
            most: rows to return at most; fewer are found where the sound leaves no doubt.
            slot: what was asked for; its trigram is mixed in if the language has one.
            share: of the slot's trigram, 0..1.
            beam: prefixes kept a frame, other than the knobs say.
        """
        general, own = self._language.order, self._language.slots.get(slot or "")
        beam = beam or self._knobs.beam
        knobs = self._knobs._replace(share=share if own else 0.0, beam=beam)
        found = search(frames, self._tree, (general, own or general), knobs, 2 * most)
        rows: dict[tuple[str, ...], Row] = {}
        for entries, sound, score in zip(*found, strict=True):
            used = [int(entry) for entry in entries if entry >= 0]
            words = tuple(self._language.words[entry] for entry in used)
            phones = sum(len(self._language.phones[entry]) for entry in used)
            rows.setdefault(words, Row(words, float(sound), float(score), phones))
        return list(rows.values())[:most]


def sounding(log_probs: Floats, doubt: float, rare: Floats | None = None) -> Floats:
    """The frames that a search needs: without those that change nothing.

    Args:
        log_probs: of the phones [T, phones], the blank at 0.
        doubt: taken from the blank's log-probability. A head that was trained on clear speech says
            "nothing" where noise covers a phone; phones are likelier than it thinks.
        rare: added to the log-probability of each phone [phones]: more for rare ones, whose rarity
            the language knows already.

    Returns:
        [T', phones]: a sure blank after a sure blank is left out.
    """
    sure = log_probs[:, 0] > _SURE_BLANK
    keep = ~(sure & np.concatenate([[False], sure[:-1]]))
    frames = np.array(log_probs[keep], np.float32)
    frames[:, 0] -= np.float32(doubt)
    if rare is not None:
        frames += rare
    return frames
