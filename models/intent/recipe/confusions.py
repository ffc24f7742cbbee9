"""What a recognizer makes of each word: said and heard utterances, word by word.

    said   i can't pay   it today
    heard  i can   pay a    today      ->   can't/can, it/a

The table that comes of it is what `appliance.training.noise` draws from. Pure: no sound, no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

LEAST_SAID = 3
"""What is said less often says nothing."""
LEAST_COUNT = 2
"""A mistake that happened once is chance."""
_EDIT = 1000
_UNLIKE = 10
"""Decides between alignments with as few edits; up to 99 words too little to make up for one."""


def align(said: Sequence[str], heard: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Each word that was said with the words that were heard for it.

    The alignment has the fewest words replaced, lost and added; of several, that whose replaced
    words look most alike. A lost word has none; an added one belongs to the word before it (the
    first word where nothing stands before).
    """
    cost = _costs(said, heard)
    found: list[list[str]] = [[] for _ in said]
    row, column = len(said), len(heard)
    while row and column:
        here = cost[row][column]
        if here == cost[row][column - 1] + _EDIT:
            column -= 1
            found[row - 1].insert(0, heard[column])
        elif here == cost[row - 1][column - 1] + _replaced(said[row - 1], heard[column - 1]):
            row, column = row - 1, column - 1
            found[row].insert(0, heard[column])
        else:
            row -= 1
    if said:
        found[0][:0] = heard[:column]
    return [(word, tuple(words)) for word, words in zip(said, found, strict=True)]


def errors(said: Sequence[str], heard: Sequence[str]) -> int:
    """Words replaced, lost and added, at the least."""
    return _costs(said, heard)[-1][-1] // _EDIT


def tabulate(pairs: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """How often each word was heard as what, over utterances said and heard.

    Args:
        pairs: lower case, words between blanks.
    """
    table: dict[str, Counter[str]] = {}
    for said, heard in pairs:
        for word, words in align(said.split(), heard.split()):
            table.setdefault(word, Counter())[" ".join(words)] += 1
    return table


def kept(table: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str, int]]:
    """The rows that are worth keeping, sorted: said, heard, count.

    A word's own row stays however small its count: without it the word would never be right.
    """
    return sorted(
        (said, heard, count)
        for said, found in table.items()
        if sum(found.values()) >= LEAST_SAID
        for heard, count in found.items()
        if count >= LEAST_COUNT or heard == said
    )


def write(path: Path, rows: Iterable[tuple[str, str, int]]) -> None:
    """The table as `appliance.training.noise` reads it."""
    lines = [f"{said}\t{heard}\t{count}\n" for said, heard, count in rows]
    path.write_text("".join(lines), "utf-8")


def _costs(said: Sequence[str], heard: Sequence[str]) -> list[list[int]]:
    """Levenshtein's table: the cost of each beginning of one as each beginning of the other."""
    table = [[column * _EDIT for column in range(len(heard) + 1)]]
    for word in said:
        above = table[-1]
        row = [above[0] + _EDIT]
        for column, other in enumerate(heard):
            lost_or_added = min(above[column + 1], row[-1]) + _EDIT
            row.append(min(above[column] + _replaced(word, other), lost_or_added))
        table.append(row)
    return table


@lru_cache(maxsize=1 << 17)
def _replaced(word: str, other: str) -> int:
    """Nothing for the same; an edit and a little for another, less for a similar one."""
    if word == other:
        return 0
    alike = SequenceMatcher(None, word, other, autojunk=False).ratio()
    return _EDIT + round(_UNLIKE * (1 - alike))
