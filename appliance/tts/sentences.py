"""Cuts a marked text into the sentences that are rendered and cached one by one.

A mark that spans sentences is closed in each and opened again in the next, so every sentence is
a marked text by itself (`dialogue.markup`). What stands inside `sub` and `phoneme` is one thing:
no sentence ends there. Nor does one inside the value of a variable, unless that is a text of its
own length: "U.S. Bank" is a name. A pause between two sentences belongs to the first.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from appliance.dialogue.markup import OPAQUE, Mark, marks, parse

# A sentence ends at . ? ! before a space and a capital, quote or digit; not after "Mr." and kin.
_ABBREVIATIONS = "".join(rf"(?<!\b{word}\.)" for word in ("Mr", "Ms", "Mrs", "Dr", "St"))
_GAP = re.compile(rf"(?<=[.?!]){_ABBREVIATIONS}\s+(?=[A-Z0-9\"'[¿¡])")
_LONGEST_NAME = 120
"""Signs of a value that is one thing, whatever stops are in it."""
_PLACE = "["
"""Stands for a slot without a value: a sentence may begin with it."""


def split_sentences(speech: str) -> list[str]:
    """The sentences of a marked text, in order, without the space between them.

    Raises:
        ValueError: its marks are faulty; see `markup.parse`.
    """
    return split_at(_GAP, speech)


def split_at(gap: re.Pattern[str], speech: str) -> list[str]:
    """The parts of a marked text between gaps, each a marked text by itself.

    Args:
        gap: finds the space between two parts in the text without its marks.
        speech: the marked text.

    Raises:
        ValueError: its marks are faulty; see `markup.parse`.
    """
    parse(speech)
    text = _visible(speech.strip())
    gaps = [each.span() for each in gap.finditer("".join(shown for _, shown in text))]
    starts, ends = [start for start, _ in gaps], [end for _, end in gaps]
    sentences = _Sentences()
    at = 0
    for each, shown in text:
        if each.name and not shown:
            if each.begins:  # in a gap or at its end, it opens what follows
                sentences.go_on(bisect_right(starts, at))
            sentences.add(each)
        for place, sign in enumerate([each.source] if each.name else each.source, at):
            number = bisect_right(ends, place)
            if shown and bisect_right(starts, place) == number:  # in no gap
                sentences.go_on(number)
                sentences.parts[-1] += sign
        at += len(shown)
    return [part for part in sentences.parts if part]


def fixed_sentences(template: str) -> list[str]:
    """The sentences of a marked template (`<slot …/>` is a variable) that never vary."""
    return [sentence for sentence in split_sentences(template) if "<slot " not in sentence]


class _Sentences:
    """What has been cut so far, and the marks that are open there."""

    def __init__(self) -> None:
        self.parts = [""]
        self._opened: list[Mark] = []

    def add(self, each: Mark) -> None:
        self.parts[-1] += each.source
        if each.closes:
            self._opened.pop()
        elif each.begins:
            self._opened.append(each)

    def go_on(self, number: int) -> None:
        """Be in this sentence, counted from zero."""
        while len(self.parts) <= number:
            self.parts[-1] += "".join(f"</{each.name}>" for each in reversed(self._opened))
            self.parts.append("".join(each.source for each in self._opened))


def _visible(speech: str) -> list[tuple[Mark, str]]:
    """Each mark with what is seen of it: text is, but in `sub` only its letters.

    The full stop of "<sub alias=…>" is one only where what is said instead has it too.
    """
    found: list[tuple[Mark, str]] = []
    said, slot = "", 0
    for each in marks(speech):
        if each.name == "slot" and each.begins:
            slot = len(found)
        elif each.name == "slot" and each.closes:
            found[slot:] = _as_one(found[slot:])
        if each.name in OPAQUE:
            said = "" if each.closes else each.value
        if each.name:
            found.append((each, _PLACE if each.empty and each.name == "slot" else ""))
        else:
            found.append((each, _closed(each.source, said) if said else each.source))
    return found


def _as_one(value: list[tuple[Mark, str]]) -> list[tuple[Mark, str]]:
    """A short value without the stops inside it; one at its end may end the sentence."""
    whole = sum(len(shown) for _, shown in value)
    if whole > _LONGEST_NAME:
        return value
    hidden, at = [], 0
    for each, shown in value:
        at += len(shown)
        last = shown[-1:] if at == whole else ""
        inner = shown[: len(shown) - len(last)]
        hidden.append((each, re.sub(r"[.?!]", "_", inner) + last))
    return hidden


def _closed(text: str, said: str) -> str:
    hidden = re.sub(r"[^\w\"'¿¡]", "_", text)
    return hidden[:-1] + text[-1] if said[-1] in ".?!" and text[-1] in ".?!" else hidden
