"""One spelling for words that are written in several: what is looked up is folded first."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Lower case without accents: "Dieciséis años" is "dieciseis anos"."""
    parts = unicodedata.normalize("NFKD", text).lower()
    return "".join(part for part in parts if not unicodedata.combining(part))
