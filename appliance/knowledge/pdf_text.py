"""PDF as an outline, read with pypdf (the only module that names it).

A PDF has no headings, only letters in places. So a line in larger letters than most of the text is
a heading, the larger the further out; lines close below each other are one paragraph; what stands
at the top or bottom of most pages, page numbers and tables of contents are left out. A scanned page
has no text.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from appliance.knowledge.outline import Document, Outline, UnreadableError, clean

MOST_PAGES = 500

_LARGER = 1.12
_PARAGRAPH_GAP = 1.7  # of the letters' size, from line to line
_PAGE_NUMBER = re.compile(r"^(page\s*)?\d{1,4}(\s*(of|/)\s*\d{1,4})?$", re.IGNORECASE)
_ENDED = re.compile(r"[.?!:]$")
_CONTENTS = re.compile(r"(?:\.\s?){5,}\d*$")  # "Payments . . . . . . 7"
_ITEM = re.compile(r"^(?:[-*•–‣▪●]|\(?\d{1,2}[.)])\s+")
_BROKEN = (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError,
           RecursionError, OSError, NotImplementedError, AssertionError, ZeroDivisionError,
           OverflowError)  # fmt: skip
"""What pypdf raises on files that are not what they claim to be; found by fuzzing."""


@dataclass(slots=True)
class _Line:
    text: str
    size: float
    height: float


def read_pdf(data: bytes, otherwise: str) -> Document:
    """A PDF with text in it.

    Raises:
        UnreadableError: it is encrypted, broken, too long, or has no text (a scan).
    """
    try:
        title, pages = _read(PdfReader(io.BytesIO(data)))
    except UnreadableError:
        raise
    except _BROKEN as error:
        said = clean(str(error))[:80]
        raise UnreadableError(f"is a broken PDF ({said}): save it anew") from error
    if not any(pages):
        raise UnreadableError("has no text: a scan must be made searchable first")
    outline = Outline()
    if clean(title):
        outline.name(title)
    _tell(outline, list(_without_margins(pages)))
    return outline.document(otherwise)


def _read(reader: PdfReader) -> tuple[str, list[list[_Line]]]:
    """The title and the lines of each page."""
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableError("is encrypted: save it without a password")
    if len(reader.pages) > MOST_PAGES:
        raise UnreadableError(f"has more than {MOST_PAGES} pages: split it")
    title = str(reader.metadata.title or "") if reader.metadata else ""
    return title, [list(_lines(page)) for page in reader.pages]


def _lines(page: Any) -> Iterator[_Line]:
    """The lines of a page from top to bottom, as pypdf finds them."""
    found: list[_Line] = []

    def visit(
        text: str, outer: list[float], inner: list[float], _font: object, size: float
    ) -> None:
        height = inner[5] * outer[3] + outer[5]
        letters = size * abs(inner[3]) * abs(outer[3]) or size
        for number, part in enumerate(text.split("\n")):
            if number or not found:
                found.append(_Line("", 0.0, height))
            if part.strip():
                line = found[-1]
                if not line.text.strip():
                    line.height = height
                line.text += part
                line.size = max(line.size, round(letters, 1))

    page.extract_text(visitor_text=visit)
    for line in found:
        line.text = clean(line.text)
        if line.text:
            yield line


def _without_margins(pages: list[list[_Line]]) -> Iterator[list[_Line]]:
    """The pages without page numbers, contents, and what most have at the top or bottom."""
    edges = Counter(text for page in pages for text in {line.text for line in _edges(page)})
    repeated = {text for text, count in edges.items() if count >= 3 and count > len(pages) / 2}
    for page in pages:
        margin = [line for line in _edges(page)
                  if line.text in repeated or _PAGE_NUMBER.match(line.text)]  # fmt: skip
        yield [
            line
            for line in page
            if not any(line is each for each in margin) and not _CONTENTS.search(line.text)
        ]


def _edges(page: list[_Line]) -> Iterable[_Line]:
    return page[:1] + page[-2:] if len(page) > 2 else page


def _tell(outline: Outline, pages: list[list[_Line]]) -> None:
    levels = _levels(pages)
    open_, last = "", _Line("", 0.0, 0.0)  # the heading or paragraph that is not told yet
    for line in (line for page in pages for line in page):
        if open_ and line.size == last.size and _goes_on(last, line):
            open_ = _joined(open_, line.text)
        else:
            _tell_block(outline, open_, levels.get(last.size, 0))
            open_ = line.text if line.size in levels else _ITEM.sub("", line.text)
        last = line
    _tell_block(outline, open_, levels.get(last.size, 0))


def _tell_block(outline: Outline, text: str, level: int) -> None:
    if level:
        outline.heading(level, text)
    else:
        outline.block(text)


def _levels(pages: list[list[_Line]]) -> dict[float, int]:
    """The level of a heading by the size of its letters: what is larger than most of the text."""
    letters = Counter[float]()
    for page in pages:
        for line in page:
            letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    larger = sorted((size for size in letters if size > body * _LARGER), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(larger, 1)}


def _goes_on(last: _Line, line: _Line) -> bool:
    """Whether a line belongs to the one above; over a page break, if that has no end."""
    if _ITEM.match(line.text):
        return False
    gap = last.height - line.height
    if gap < 0:
        return not _ENDED.search(last.text)
    return gap < _PARAGRAPH_GAP * line.size


def _joined(above: str, below: str) -> str:
    if re.search(r"[a-z]-$", above) and below[:1].islower():
        return above[:-1] + below  # a word that was divided at the end of the line
    return f"{above} {below}"
