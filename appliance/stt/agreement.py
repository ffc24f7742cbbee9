"""What of a partial transcript will stay: the words that two hypotheses in a row agree on.

    "i can pay to"  "i can pay two hundred"  "i can pay two hundred dollars"
                     i can pay | two hundred   i can pay two hundred | dollars
                       stable      rest

LocalAgreement-2 (Liu, Spanakis & Niehues 2020, "Low-latency sequence-to-sequence speech
recognition and translation by partial hypothesis selection"). Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Partial:
    """What a caller has said so far. `stable` only grows within a turn; `rest` may change."""

    stable: str = ""
    rest: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(each for each in (self.stable, self.rest) if each)


class Agreement:
    """One turn's hypotheses, each of more speech than the one before."""

    def __init__(self) -> None:
        self._stable: list[str] = []
        self._last: list[str] = []

    def add(self, text: str) -> Partial:
        """The next hypothesis; what was stable stays, even where this one has other words."""
        words, kept = text.split(), len(self._stable)
        pairs = zip(words[kept:], self._last[kept:], strict=False)
        self._stable += [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        self._last = words
        return Partial(" ".join(self._stable), " ".join(words[len(self._stable) :]))
