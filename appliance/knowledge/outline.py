"""A document as titled sections of whole sentences, whatever file it came from.

    file ── markdown_text, plain_text, html_text, pdf_text ──> Outline ──> Document ── chunks

The readers of the formats tell an `Outline` what they meet: headings with their level, and blocks
of text (a paragraph, an item of a list, a row of a table). A block without a full stop is given
one, because it is said aloud as a sentence. Nothing else is added and nothing is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from appliance.knowledge.sentences import split_sentences

_SPACE = re.compile(r"\s+")
_ENDED = re.compile(r"[.?!…:;][\"'”’)\]]*$")
_MARKS = re.compile(
    r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff\ufffd]|[\x00-\x08\x0e-\x1f\x7f]"
)


class UnreadableError(ValueError):
    """A file that no text can be had of; the message says why, and what helps."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading; `headings` are those above it, outermost first."""

    headings: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A document's title and its sections in order; none of them is empty."""

    title: str
    sections: tuple[Section, ...]


class Outline:
    """Collects a document from its top to its end."""

    def __init__(self) -> None:
        self._title = ""
        self._above: list[tuple[int, str]] = []
        self._sentences: list[str] = []
        self._sections: list[Section] = []

    def name(self, title: str) -> None:
        """The title, if the file says it apart from its headings."""
        self._title = clean(title)

    def heading(self, level: int, text: str) -> None:
        """A heading; level 1 is the outermost. The first of that level is the title."""
        heading = clean(text)
        if not heading:
            return
        self._end_section()
        self._above = [above for above in self._above if above[0] < level]
        if level == 1 and not self._title:
            self._title = heading
        self._above.append((level, heading))

    def block(self, text: str) -> None:
        """A paragraph, an item or a row."""
        plain = clean(text)
        if not any(each.isalnum() for each in plain):
            return
        self._sentences += split_sentences(plain if _ENDED.search(plain) else f"{plain}.")

    def document(self, otherwise: str) -> Document:
        """All of it; `otherwise` is the title where there is none.

        Raises:
            UnreadableError: there is no text.
        """
        self._end_section()
        if not self._sections:
            raise UnreadableError("has no text")
        return Document(self._title or clean(otherwise), tuple(self._sections))

    def _end_section(self) -> None:
        if self._sentences:
            named = tuple(text for _, text in self._above if text != self._title)
            self._sections.append(Section(named, tuple(self._sentences)))
        self._sentences = []


def clean(text: str) -> str:
    """A text on one line, without marks that are not seen."""
    return _SPACE.sub(" ", _MARKS.sub("", text)).strip()
