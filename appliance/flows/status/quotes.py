"""Quotes from documents: a few whole sentences, as they stand, with the guide's name."""

from __future__ import annotations

from appliance.flows.status.evidence import Found
from appliance.knowledge.sentences import split_sentences
from appliance.knowledge.terms import terms

LONGEST = 3
"""Sentences of a quote at most."""


def quote(excerpt: Found, question: str) -> str:
    """The sentences of a passage that say most about a question; at most three, next to each other.

    Args:
        excerpt: the passage.
        question: what was asked; with nothing in common it is the passage's beginning.
    """
    sentences = split_sentences(" ".join(excerpt.text.split()))
    asked = set(terms(question))
    starts = range(max(1, len(sentences) - LONGEST + 1))
    best = max(
        starts, key=lambda start: (_weight(sentences[start : start + LONGEST], asked), -start)
    )
    return " ".join(sentences[best : best + LONGEST])


def _weight(sentences: list[str], asked: set[str]) -> int:
    return len(asked & {term for each in sentences for term in terms(each)})
