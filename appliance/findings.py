"""What the operator's own systems and documents say: the words that sources and tools share.

Lookup ── sources (MCP servers) ──> Finding        question ── documents ──> Excerpt, …
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Lookup:
    """A tool of the operator's that is to be called, with its arguments as JSON values."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a lookup.

    Attributes:
        ok: whether there is data that fits its schema.
        data: a JSON value; None unless `ok`.
        error: what went wrong, for people; empty if `ok`. No data of the caller's is in it.
        at: local time at which it was had.
        took_ms: time from the call to its result, with all retries.
        server: name of the source; empty where no source has such a tool.
    """

    ok: bool
    at: datetime
    data: Any = None
    error: str = ""
    took_ms: float = 0.0
    server: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of a document of the operator's that may answer a question.

    Attributes:
        id: names the passage as long as its document does not change.
        document: path of the file below its folder.
        title: title of the document, as it is quoted.
        heading: the headings above it, outermost first, joined by " > "; may be empty.
        text: the passage, in whole sentences.
        score: from 0 (nothing in common) to 1; comparable within one index.
    """

    id: str
    document: str
    title: str
    heading: str
    text: str
    score: float
