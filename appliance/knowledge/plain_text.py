"""Plain text as an outline: blank lines part its blocks; a short one without an end is a heading.

Who can be a reference            <- one line, few words, no full stop: a heading

Name two people who …             <- a paragraph; its lines are joined
"""

from __future__ import annotations

import re

from appliance.knowledge.outline import Document, Outline

_HEADING_WORDS = 10
_ITEM = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+")
_RULE = re.compile(r"^\s*[-=_*#~]{3,}\s*$")
_ENDED = re.compile(r"[.?!…:;,]$")


def read_plain(text: str, otherwise: str) -> Document:
    """A plain text; its first block is the title if it looks like a heading.

    Raises:
        UnreadableError: it has no text.
    """
    outline = Outline()
    for number, block in enumerate(_blocks(text)):
        if len(block) == 1 and _is_heading(block[0]):
            outline.heading(1 if number == 0 else 2, block[0])
        else:
            for paragraph in _paragraphs(block):
                outline.block(paragraph)
    return outline.document(otherwise)


def _blocks(text: str) -> list[list[str]]:
    lines = ("" if _RULE.match(line) else line for line in text.splitlines())
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line.strip())
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _is_heading(line: str) -> bool:
    return (
        len(line.split()) <= _HEADING_WORDS
        and any(each.isalpha() for each in line)
        and not _ENDED.search(line)
        and not _ITEM.match(line)
    )


def _paragraphs(block: list[str]) -> list[str]:
    """The lines of a block joined, but for items, which stay apart."""
    parts: list[list[str]] = []
    for line in block:
        if not parts or _ITEM.match(line):
            parts.append([_ITEM.sub("", line)])
        else:
            parts[-1].append(line)
    return [" ".join(part) for part in parts]
