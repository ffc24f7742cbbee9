"""Reads the name that a caller gives: "it's um John Smith" is "John Smith".

    words -> lead taken off -> name words, letters, hints ("with a k"), corrections -> written

What is a name cannot be known from a list; what is none can, for the most part. Where a name was
asked for, a reply that holds nothing else counts; elsewhere only one that is introduced.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.letters import fold
from appliance.nlu.capitals import write_name
from appliance.nlu.grammar import Grammar
from appliance.nlu.lettering import apply_hint, read_hint, respell
from appliance.nlu.spelling import read_letters

CORRECTED, FIRST, LAST, JOINED = "/no", "/first", "/last", "/join"
"""What labels and corrections are written as, so that they are words of their own."""
_MOST_INITIALS = 2


def read_name(text: str, grammar: Grammar, *, asked: bool) -> str:
    """The name in an utterance, in capitals and small letters; "" for none."""
    names = grammar.names
    if not names.never:  # without knowing what is no name, everything would be one
        return ""
    words = names.corrections.sub(f" {CORRECTED} ", grammar.verbatim(text))
    words = names.joined.sub(f" {JOINED} ", names.skipped.sub(" ", words))
    if names.last.search(words):
        words = names.last.sub(f" {LAST} ", names.first.sub(f" {FIRST} ", words))
    words = " ".join(words.split())
    introduced = names.introduced.search(words)
    if introduced:
        found, _ = _Name(grammar).read(words[introduced.end() :].split())
        place = bool(found) and found[0] in names.particles  # "soy de Guadalajara"
        return "" if place else write_name(found, text, names)
    if not asked:
        return ""
    rest = names.tail.sub("", names.lead.sub("", words)).split()
    found, end = _Name(grammar).read(rest)
    return write_name(found, text, grammar.names) if end == len(rest) else ""


class _Name:
    """One name as far as it was read: the parts, in the order in which they were said."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._parts: list[str] = []
        self._last: list[str] | None = None
        """Family names that were said before the first name."""
        self._before: list[str] = []
        """What a correction takes back."""

    def read(self, words: Sequence[str]) -> tuple[list[str], int]:
        """The parts of the name that begins here, and where it ends; none if these are too many."""
        index = 0
        while index < len(words):
            end = self._take(words, index)
            if end == index:
                break
            index = end
        found = self._whole()
        known = self._grammar.names
        while found and found[-1] in known.particles:
            found.pop()
        own = sum(word not in known.particles for word in found)
        return (found, index) if 0 < own <= known.most else ([], 0)

    def _take(self, words: Sequence[str], index: int) -> int:
        """Takes what stands at `index`; gives the index after it, or the same for no name."""
        word, known = words[index], self._grammar.names
        if word in (CORRECTED, FIRST, LAST, JOINED):
            return self._mark(word, index)
        if word in known.hints:
            hint, end = read_hint(words, index, self._grammar)
            if hint and self._parts:
                self._parts[-1] = apply_hint(self._parts[-1], hint, self._grammar.spelling)
            return end
        letters, end = read_letters(words, index, self._grammar.spelling)
        if letters:
            following = words[end] if end < len(words) else ""
            self._spell(letters, initials=end - index == len(letters) and self._is_part(following))
            return end
        if not self._is_part(word):
            return index
        joint = "" if not self._parts or self._parts[-1][-1:] != "-" else self._parts.pop()
        self._parts.append(f"{joint}{word}")
        return index + 1

    def _is_part(self, word: str) -> bool:
        bare = word.replace("'", "").replace("-", "")
        return bare.isalpha() and fold(word) not in self._grammar.names.never

    def _mark(self, mark: str, index: int) -> int:
        if mark == CORRECTED:
            self._before, self._parts = self._whole(), []
        elif mark == LAST and not self._parts:
            self._last = []
        elif mark == FIRST and self._last == []:
            self._last, self._parts = self._parts, []
        elif mark == JOINED and self._parts:
            self._parts[-1] += "-"
        return index + 1

    def _spell(self, letters: str, *, initials: bool) -> None:
        if initials and len(letters) <= _MOST_INITIALS:
            self._parts += letters
        elif letters == "jr" and self._parts:
            self._parts.append("junior")
        else:
            self._parts = respell(self._parts, letters)

    def _whole(self) -> list[str]:
        """The parts in their order, with what was corrected put right."""
        parts = [part.strip("-") for part in self._parts] + (self._last or [])
        self._last = None
        if self._before and len(parts) == 1 and len(self._before) > 1:
            parts = respell(self._before, parts[0], replace_last=True)
        half = len(parts) // 2
        if half and parts[:half] == parts[half:]:
            parts = parts[:half]  # "john smith, john smith"
        if len(parts) > 2 and parts[0] == parts[-1]:
            parts = parts[1:]  # "smith, john smith"
        return parts
