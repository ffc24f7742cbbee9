"""A language's words laid out as a tree of phones, for the compiled search.

    "two" t u, "to" t u, "tool" t u l      root - t - u (two, to) - l (tool)

Words that begin alike share their beginning, so that a search follows it once.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np

from appliance.stt.beam import Tree
from appliance.stt.language import Language

_NO_WORD = -1e30


class Plant:
    """A tree that grows word by word. Immutable once made; `grown` makes another."""

    def __init__(self, language: Language, places: Mapping[str, int]) -> None:
        """Lay out all words; those with a phone that the head lacks are left out.

        Args:
            language: the words.
            places: the head's place of each phone.
        """
        self._places = places
        # Arrays, not lists: `grown` copies them, and `tree` reads them, a hundred times as fast.
        self._phone, self._child = array("i", [-1]), array("i", [-1])
        self._sibling, self._entry = array("i", [-1]), array("i", [-1])
        self._ahead = array("f", [_NO_WORD])
        self._next_entry = array("i")
        self._known: dict[int, dict[int, int]] = {0: {}}
        self._grow(language)

    def grown(self, language: Language) -> Plant:
        """The tree with the words that the language has more, at its end."""
        other = object.__new__(Plant)
        other._places = self._places
        for name in ("_phone", "_child", "_sibling", "_entry", "_ahead", "_next_entry"):
            setattr(other, name, getattr(self, name)[:])
        other._known = self._known.copy()
        other._grow(language)
        return other

    def tree(self, language: Language) -> Tree:
        """The arrays of the tree."""
        return Tree(
            phone=np.array(self._phone, np.int32),
            child=np.array(self._child, np.int32),
            sibling=np.array(self._sibling, np.int32),
            entry=np.array(self._entry, np.int32),
            next_entry=np.array(self._next_entry, np.int32),
            token=language.token,
            inside=language.inside,
            ahead=np.array(self._ahead, np.float32),
        )

    def _grow(self, language: Language) -> None:
        costs = language.order.first[language.token] + language.inside
        for index in range(len(self._next_entry), len(language.words)):
            path = [self._places.get(name, -1) for name in language.phones[index]]
            self._next_entry.append(-1)
            if path and -1 not in path:
                self._add(index, path, float(costs[index]))

    def _add(self, index: int, path: list[int], cost: float) -> None:
        node = 0
        for place in path:
            node = self._step(node, place)
            self._ahead[node] = max(self._ahead[node], cost)
        self._next_entry[index], self._entry[node] = self._entry[node], index

    def _step(self, node: int, place: int) -> int:
        """The child of a node with a phone, made if there is none."""
        children = self._known[node]
        found = children.get(place)
        if found is not None:
            return found
        made = len(self._phone)
        self._phone.append(place)
        self._sibling.append(self._child[node])
        self._child[node] = made
        self._child.append(-1)
        self._entry.append(-1)
        self._ahead.append(_NO_WORD)
        self._known[node] = {**children, place: made}  # a copy: `grown` trees share the rest
        self._known[made] = {}
        return made
