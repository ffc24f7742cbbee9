"""Shares with the interval that they are likely to lie in: 60 utterances prove less than 6,000."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DRAWS = 2000
_DRAWS_AT_ONCE = 100
_SURE = 1.959964  # standard deviations around 95% of a normal distribution
_SEED = 7


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, not in percent, with its 95% confidence interval, and of how many it is one."""

    value: float
    low: float
    high: float
    count: int

    def as_json(self) -> dict[str, float | int]:
        """Rounded to a hundredth of a percent."""
        rounded = {name: round(getattr(self, name), 4) for name in ("value", "low", "high")}
        return rounded | {"count": self.count}

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} ({100 * self.low:.1f}–{100 * self.high:.1f})"


def rate(hits: int, count: int) -> Rate:
    """A share with Wilson's score interval (1927), which is sound at 0% and at 100% too.

    Raises:
        ValueError: of nothing.
    """
    if count <= 0:
        raise ValueError("a share of nothing")
    share, square = hits / count, _SURE**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    around = math.sqrt(share * (1 - share) / count + square / (4 * count**2))
    half = _SURE * around / (1 + square / count)
    return Rate(share, max(0.0, middle - half), min(1.0, middle + half), count)


def error_rate(errors: Sequence[int], words: Sequence[int]) -> Rate:
    """Errors a word, with a bootstrap over the utterances (Bisani and Ney 2004).

    Args:
        errors: of each utterance.
        words: said in each utterance; where none is said at all, the errors count whole.

    Raises:
        ValueError: of nothing.
    """
    if not errors:
        raise ValueError("a rate of nothing")
    wrong, spoken = np.asarray(errors), np.asarray(words)
    said = max(int(spoken.sum()), 1)
    rng = np.random.default_rng(_SEED)
    drawn: list[NDArray[np.float64]] = []
    for _ in range(_DRAWS // _DRAWS_AT_ONCE):
        places = rng.integers(len(wrong), size=(_DRAWS_AT_ONCE, len(wrong)))
        drawn.append(wrong[places].sum(1) / np.maximum(spoken[places].sum(1), 1))
    low, high = np.percentile(np.concatenate(drawn), (2.5, 97.5))
    return Rate(float(wrong.sum()) / said, float(low), float(high), said)
