"""Long lists in parts: by telephone three at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")

SPOKEN = 3
"""Items that a listener can keep in mind."""

WRITTEN = 20


@dataclass(frozen=True, slots=True)
class Part(Generic[ItemT]):
    """Some items of a list, how many were told before them, and how many are left."""

    items: tuple[ItemT, ...]
    before: int
    left: int


def part_of(items: Sequence[ItemT], offset: int, size: int) -> Part[ItemT]:
    """The part of a list from an offset on; past its end it is empty.

    Args:
        items: the whole list.
        offset: items that were told before, at least 0.
        size: items of a part, at least 1.
    """
    start = min(max(offset, 0), len(items))
    chosen = tuple(items[start : start + size])
    return Part(chosen, start, len(items) - start - len(chosen))
