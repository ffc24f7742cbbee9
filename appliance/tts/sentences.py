"""Cuts a prompt into the pieces that are rendered and cached one by one."""

from __future__ import annotations

import re

# A sentence ends at . ? ! before a space and a capital, quote or digit; not after "Mr." and kin.
_ABBREVIATIONS = "".join(rf"(?<!\b{word}\.)" for word in ("Mr", "Ms", "Mrs", "Dr", "St"))
_END = re.compile(rf"(?<=[.?!]){_ABBREVIATIONS}\s+(?=[A-Z0-9\"'[¿¡])")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the space between them."""
    return [part for part in _END.split(text.strip()) if part]


def fixed_sentences(template: str) -> list[str]:
    """The sentences of a template (`[name]` marks a variable) that never vary."""
    return [sentence for sentence in split_sentences(template) if "[" not in sentence]
