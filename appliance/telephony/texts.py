"""Texts from SIP headers, made safe to pass on, to log and to store."""

from __future__ import annotations

MAX_TEXT = 512


def clean_text(text: str) -> str:
    """Printable Unicode of at most MAX_TEXT characters; bytes that were no UTF-8 become U+FFFD.

    pjsua2 hands undecodable bytes over as lone surrogates, which no file or terminal takes.
    """
    decoded = text[:MAX_TEXT].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\ufffd" for char in decoded)
