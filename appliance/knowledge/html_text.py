"""HTML as an outline: what a reader sees of the page's own text, without menus and scripts."""

from __future__ import annotations

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, Tag
from bs4.exceptions import ParserRejectedMarkup

from appliance.knowledge.outline import Document, Outline, UnreadableError

_LEFT_OUT = (
    "script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form",
    "button", "svg", "iframe", "pre",
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    ("p", "li", "tr", "dt", "dd", "div", "section", "article", "main", "body", "blockquote",
     "figcaption", "caption", "ul", "ol", "dl", "table", "tbody", "thead", "tfoot", "details",
     "summary", "address", "fieldset", "hr", "br", "html")
)  # fmt: skip


def read_html(text: str, otherwise: str) -> Document:
    """A page; its title is <title>, else its first <h1>.

    Raises:
        UnreadableError: it has no text, or is nested too deep.
    """
    try:
        return _read(BeautifulSoup(text, "html.parser"), otherwise)
    except (ParserRejectedMarkup, RecursionError) as error:
        raise UnreadableError("is broken HTML: save it anew") from error


def _read(page: BeautifulSoup, otherwise: str) -> Document:
    for tag in page.find_all(_LEFT_OUT):
        tag.decompose()
    outline = Outline()
    if page.title is not None:
        outline.name(page.title.get_text())
        page.title.decompose()
    _Walk(outline).through(page.find("main") or page.body or page)
    return outline.document(otherwise)


class _Walk:
    """Goes through a page in order; text that is not in a block of its own is one with its like."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._open: list[str] = []

    def through(self, root: Tag) -> None:
        self._visit(root)
        self._end_block()

    def _visit(self, tag: Tag) -> None:
        for child in tag.children:
            if isinstance(child, Comment):
                continue
            if isinstance(child, NavigableString):
                self._open.append(str(child))
            elif isinstance(child, Tag):
                self._enter(child)

    def _enter(self, tag: Tag) -> None:
        if tag.name in _HEADINGS:
            self._end_block()
            self._outline.heading(_HEADINGS[tag.name], tag.get_text(" "))
        elif tag.name == "tr":
            self._end_block()
            cells = (cell.get_text(" ").strip() for cell in tag.find_all(["td", "th"]))
            self._outline.block(", ".join(cell for cell in cells if cell))
        elif tag.name in _BLOCKS:
            self._end_block()
            self._visit(tag)
            self._end_block()
        else:
            self._visit(tag)

    def _end_block(self) -> None:
        self._outline.block("".join(self._open))
        self._open = []
