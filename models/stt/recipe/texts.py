"""The sentences the recognizer learns from: grammar-made, drawn by kind, in two languages.

`TextSource.draw` returns (kind, text); texts are lower-case words with no numerals, as `normalize`
writes them. Sentences of `HOLD_OUT_WORDS` words and more are divided by a hash into training and
held-out halves, so that "unseen" means unseen with every voice. Shorter ones ("yes") cannot be held
out: there are too few.
"""

from __future__ import annotations

import hashlib
import random

from .english import grammar as english
from .english.spelling import normalize as english_spelling
from .grammar import Grammar
from .spanish import grammar as spanish
from .spanish.spelling import normalize as spanish_spelling

HOLD_OUT_WORDS = 4
_HOLD_OUT_PARTS = 25  # 1 in 25 long sentences is never trained on.
_GRAMMARS = {"en": english.grammar, "es": spanish.grammar}
_SPELLINGS = {"en": english_spelling, "es": spanish_spelling}
LANGUAGES = tuple(_GRAMMARS)


def grammar(language: str) -> Grammar:
    """The grammar of a language.

    Raises:
        KeyError: another language than those of `LANGUAGES`.
    """
    return _GRAMMARS[language]()


def normalize(text: str, language: str = "en") -> str:
    """A sentence as transcripts write it: lower case, no signs, Spanish with its accents."""
    return _SPELLINGS[language](text)


def is_held_out(text: str) -> bool:
    """Whether a sentence belongs to the unseen part. Stable across runs and machines."""
    if len(text.split()) < HOLD_OUT_WORDS:
        return False
    return hashlib.sha256(text.encode()).digest()[0] % _HOLD_OUT_PARTS == 0


def is_left_out(line: str) -> bool:
    """Whether an intent line, however short, is in no count of the language: 1 in 25."""
    return is_held_out(f"line of four words {line}")


class TextSource:
    """Draws sentences of every kind.

    Args:
        sentences: outside sentences for kind "corpus", already normalized; may be empty.
        words: vocabulary for kind "words"; empty uses the grammar's own.
        language: one of `LANGUAGES`.
    """

    def __init__(self, sentences: list[str], words: list[str], language: str = "en") -> None:
        self._sentences = sentences
        self._words = words
        self._language = language
        self._grammar = grammar(language)

    def draw(self, rng: random.Random, kind: str | None = None) -> tuple[str, str]:
        """Returns (kind, text); without a kind, one is drawn by the grammar's weights."""
        if kind is None:
            weights = self._grammar.weights
            kind = rng.choices(list(weights), weights=list(weights.values()))[0]
        if kind == "corpus" and not self._sentences:
            kind = "general"
        return kind, normalize(self._make(rng, kind), self._language)

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
        if kind == "corpus":
            return rng.choice(self._sentences)
        if kind == "words" and self._words:
            return " ".join(rng.choice(self._words) for _ in range(rng.randint(1, 7)))
        return self._grammar.make(rng, kind)
