"""Reads the name that a caller gives: "it's um John Smith" is "John Smith".

What is a name cannot be known from a list; what is none can, for the most part. Where a name was
asked for, a reply that holds nothing else counts; elsewhere only one that is introduced.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.nlu.grammar import Grammar

_MOST_WORDS = 4
_SPELLED = 2
"""This many letters in a row spell a name that was said before."""


def read_name(text: str, grammar: Grammar, *, asked: bool) -> str:
    """The name in a normalized utterance, in capitals and small letters; "" for none."""
    names = grammar.names
    text = names.labels.sub(" ", text)
    introduced = names.introduced.search(text)
    if introduced:
        return _written(_leading(text[introduced.end() :].split(), grammar))
    if not asked or not names.never:  # without knowing what is no name, everything would be one
        return ""
    rest = names.tail.sub("", names.lead.sub("", text)).split()
    found = _leading(rest, grammar)
    return _written(found) if len(found) == len(_unspelled(rest)) else ""


def _leading(words: Sequence[str], grammar: Grammar) -> list[str]:
    """The words up to the first that is no part of a name; none if these are too many."""
    found: list[str] = []
    for word in _unspelled(words):
        if word in grammar.names.never or not word.replace("'", "").isalpha():
            break
        found.append(word)
    return found if len(found) <= _MOST_WORDS else []


def _unspelled(words: Sequence[str]) -> list[str]:
    """Without letters that spell: "smith s m i t h" is "smith"."""
    kept: list[str] = []
    letters: list[str] = []
    for word in (*words, ""):
        if len(word) == 1:
            letters.append(word)
            continue
        kept += letters if len(letters) < _SPELLED else ()
        letters = []
        kept += [word] if word else ()
    return kept


def _written(words: Sequence[str]) -> str:
    if not any(len(word) > 1 for word in words):
        return ""
    return " ".join("'".join(part.capitalize() for part in word.split("'")) for word in words)
