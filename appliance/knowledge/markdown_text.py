"""Markdown (CommonMark and tables) as an outline. Code and pictures are left out."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from appliance.knowledge.outline import Document, Outline

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*(.+?)\s*$", re.MULTILINE)


def read_markdown(text: str, otherwise: str) -> Document:
    """A Markdown text; a title in its front matter counts.

    Raises:
        UnreadableError: it has no text.
    """
    outline = Outline()
    front = _FRONT_MATTER.match(text)
    if front:
        text = text[front.end() :]
        title = _FRONT_TITLE.search(front[1])
        if title:
            outline.name(title[1].strip("\"'"))
    walk = _Walk(outline)
    for token in _parser().parse(text):
        walk.meet(token)
    return outline.document(otherwise)


class _Walk:
    """Knows whether a line of text is in a heading, in a row of a table, or neither."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._heading = 0
        self._row: list[str] | None = None

    def meet(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1:])
            case "heading_close":
                self._heading = 0
            case "tr_open":
                self._row = []
            case "tr_close":
                self._outline.block(", ".join(each for each in self._row or () if each))
                self._row = None
            case "html_block":
                self._outline.block(_without_tags(token.content))
            case "inline":
                self._take(_said(token))

    def _take(self, said: str) -> None:
        if self._heading:
            self._outline.heading(self._heading, said)
        elif self._row is not None:
            self._row.append(said)
        else:
            self._outline.block(said)


def _said(token: Token) -> str:
    """The words of a line: links by their text, no pictures."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts).strip()


def _without_tags(markup: str) -> str:
    """The words of raw HTML; one pass, for a regular expression takes hours on a broken page."""
    words, place = [], 0
    while (begin := markup.find("<", place)) >= 0:
        words.append(markup[place:begin])
        close = "-->" if markup.startswith("<!--", begin) else ">"
        end = markup.find(close, begin)
        place = len(markup) if end < 0 else end + len(close)
    return " ".join([*words, markup[place:]])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")
