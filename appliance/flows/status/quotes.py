"""Quotes from documents: a few whole sentences, as they stand, with the guide's name."""

from __future__ import annotations

from appliance.flows.status.evidence import Found
from appliance.knowledge.sentences import split_sentences
from appliance.knowledge.terms import terms

LONGEST = 3
"""Sentences of a quote at most."""


def quote(excerpt: Found, question: str) -> str:
    """At most three sentences of a passage, next to each other, as they stand.

    They are its first ones, for what stands later may need what stands before it: the third item
    of "these are the usual reasons" is no answer by itself. Only where they have nothing in common
    with the question, and later ones have, are those quoted.

    Args:
        excerpt: the passage.
        question: what was asked.
    """
    sentences = split_sentences(" ".join(excerpt.text.split()))
    asked = set(terms(question))
    windows = [
        sentences[start : start + LONGEST] for start in range(max(1, len(sentences) - LONGEST + 1))
    ]
    chosen = windows[0]
    if not _weight(chosen, asked):
        chosen = max(windows, key=lambda window: _weight(window, asked))
    return " ".join(chosen)


def _weight(sentences: list[str], asked: set[str]) -> int:
    return len(asked & {term for each in sentences for term in terms(each)})
