"""Where an English sentence ends, in the texts of documents.

Whole sentences are what is quoted, so in doubt two stay together: a passage that is one sentence
too long is better than half of one. Nothing is lost: joined by spaces, they are the text again.
"""

from __future__ import annotations

import re

_END = re.compile(r"[.?!…]+[\"'”’)\]]*\s+(?=[\"'“\u2018(\[]*[A-Z0-9])")

_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Co|Inc|Ltd|No|Nos|vs|etc|e\.g|i\.e|cf|approx|Fig|Sec"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)"
    r"|(?:^|\s)\(?[A-Z]"  # an initial: "J. Smith"
    r"|\b[A-Za-z](?:\.[A-Za-z])+"  # "U.S. law"; "5 p.m. Then" is kept together too
    r"|^\(?\d+)\.\s+$"  # the number of an item: "1. Sign it."
)


_LOOK_BACK = 24  # letters; looking at all of a text that has no end would take for ever


def split_sentences(text: str) -> list[str]:
    """The sentences of a text on one line, in order."""
    sentences, begin = [], 0
    for end in _END.finditer(text):
        if not _NO_END.search(text[max(begin, end.end() - _LOOK_BACK) : end.end()]):
            sentences.append(text[begin : end.end()].rstrip())
            begin = end.end()
    rest = text[begin:].strip()
    return [*sentences, rest] if rest else sentences
