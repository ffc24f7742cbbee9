"""The text of a file of the operator's, by the ending of its name.

.md .markdown · .txt · .html .htm · .pdf ──> Document, or UnreadableError with the reason
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from appliance.knowledge.html_text import read_html
from appliance.knowledge.markdown_text import read_markdown
from appliance.knowledge.outline import Document, UnreadableError
from appliance.knowledge.pdf_text import read_pdf
from appliance.knowledge.plain_text import read_plain

MOST_BYTES = 20_000_000
_MOST_LETTERS = 2_000_000

_TEXTS: dict[str, Callable[[str, str], Document]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    ".html": read_html,
    ".htm": read_html,
}
ENDINGS = (*_TEXTS, ".pdf")
"""Files with other endings are no documents."""


def extract(name: str, data: bytes) -> Document:
    """What a file says; `name` is its path, which is the title where the file has none.

    Raises:
        UnreadableError: it is empty, too large, encrypted or broken, or no UTF-8; says what helps.
        KeyError: its ending is none of `ENDINGS`.
    """
    path = PurePath(name)
    ending = path.suffix.lower()
    title = path.stem.replace("-", " ").replace("_", " ").strip().capitalize()
    if not data.strip():
        raise UnreadableError("is empty")
    if len(data) > MOST_BYTES:
        raise UnreadableError(f"is larger than {MOST_BYTES // 1_000_000} MB: split it")
    if ending == ".pdf":
        return read_pdf(data, title)
    return _TEXTS[ending](_decoded(data), title)


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        where = data[: error.start].count(b"\n") + 1
        raise UnreadableError(f"is not UTF-8 (line {where}): save it as UTF-8") from error
    if "\0" in text:
        raise UnreadableError("is no text: it holds zero bytes")
    if len(text) > _MOST_LETTERS:
        raise UnreadableError(f"has more than {_MOST_LETTERS:,} letters: split it")
    return text
