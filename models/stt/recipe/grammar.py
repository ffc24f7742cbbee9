"""A language's sentences by kind: patterns, readings and lines behind one interface.

A `Grammar` is data of one language; `texts.TextSource` draws from it. Patterns are text with
``[a|b|]`` choices (an empty choice leaves the words out) and ``{slot}`` places.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Mapping, Sequence

Maker = Callable[[random.Random], str]

_SLOT = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


@dataclasses.dataclass(frozen=True)
class Grammar:
    """All that one language's callers say.

    Attributes:
        weights: how often each kind is drawn in training.
        makers: kinds that a function makes.
        patterns: kinds made from patterns; fillers and tails are added to these.
        slots: what fills the ``{slots}`` of patterns.
        fillers: words that may stand before a sentence of a pattern.
        tails: words that may stand after one.
        dev_kinds: kinds with a dev set.
    """

    weights: Mapping[str, float]
    makers: Mapping[str, Maker]
    patterns: Mapping[str, Sequence[str]]
    slots: Mapping[str, Maker]
    fillers: Sequence[str]
    tails: Sequence[str]
    dev_kinds: Sequence[str]

    def make(self, rng: random.Random, kind: str) -> str:
        """One sentence of a kind, not yet normalized.

        Raises:
            KeyError: the language has no such kind.
        """
        if kind in self.makers:
            return self.makers[kind](rng)
        text = self.expand(rng, rng.choice(self.patterns[kind]))
        if rng.random() < 0.12:
            text = f"{rng.choice(self.fillers)} {text}"
        if rng.random() < 0.08:
            text = f"{text} {rng.choice(self.tails)}"
        return text

    def expand(self, rng: random.Random, pattern: str) -> str:
        """Resolves choices from the inside out, then fills the slots."""
        while match := _CHOICE.search(pattern):
            choice = rng.choice(match.group(1).split("|"))
            pattern = pattern[: match.start()] + choice + pattern[match.end() :]
        return " ".join(_SLOT.sub(lambda slot: self.slots[slot.group(1)](rng), pattern).split())


def split_patterns(*blocks: str) -> list[str]:
    """Patterns of text blocks, one a line; a bar outside brackets also separates two patterns."""
    patterns = []
    for block in blocks:
        for line in block.strip().splitlines():
            bare = _CHOICE.sub(lambda match: match.group(0).replace("|", "\0"), line.strip("|"))
            parts = [part.replace("\0", "|").strip() for part in bare.split("|")]
            patterns += [part for part in parts if part]
    return patterns


def pick(rng: random.Random, block: str) -> str:
    """One entry of a block of text; a bar or a line's end separates two."""
    return rng.choice(block.strip("\n").replace("\n", "|").split("|"))
