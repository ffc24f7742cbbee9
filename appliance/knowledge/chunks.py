"""Cuts a document into chunks: what is found, and within which the quoted sentences are chosen.

Chunks are whole sentences of one section, every sentence in exactly one of them, in order. They are
short, so that a vector stands for one thing and little beside the answer is quoted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from appliance.knowledge.outline import Document

MOST_SENTENCES = 5
MOST_WORDS = 90
"""About what the encoder reads whole: its texts are cut at 256 pieces of words."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some sentences of a section; `headings` are those above it, outermost first."""

    headings: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def heading(self) -> str:
        """As an excerpt names it; see `findings.Excerpt`."""
        return " > ".join(self.headings)

    @property
    def text(self) -> str:
        """All its sentences."""
        return " ".join(self.sentences)


def chunk(document: Document) -> tuple[Chunk, ...]:
    """The chunks of a document, in order."""
    return tuple(
        Chunk(section.headings, part)
        for section in document.sections
        for part in _parts(section.sentences)
    )


def _parts(sentences: tuple[str, ...]) -> list[tuple[str, ...]]:
    """About equally many sentences in each: six are three and three, not five and one."""
    wanted = math.ceil(len(sentences) / math.ceil(len(sentences) / MOST_SENTENCES))
    parts: list[list[str]] = [[]]
    words = 0
    for sentence in sentences:
        length = len(sentence.split())
        if parts[-1] and (len(parts[-1]) == wanted or words + length > MOST_WORDS):
            parts.append([])
            words = 0
        parts[-1].append(sentence)
        words += length
    return [tuple(part) for part in parts]
