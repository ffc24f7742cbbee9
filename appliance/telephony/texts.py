"""Texts from SIP headers made safe to pass on, and texts of ours safe to put into headers."""

from __future__ import annotations

import re

MAX_TEXT = 512
MAX_URI = 256
_SIP_URI = re.compile(
    r"sips?:(?:[\w.!~*'()&=+$,;?/%#-]+@)?(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?"
    r"(?:;[\w.!~*'()/:&+$%=-]+)*",
    re.ASCII,
)


def clean_text(text: str) -> str:
    """Printable Unicode of at most MAX_TEXT characters; bytes that were no UTF-8 become U+FFFD.

    pjsua2 hands undecodable bytes over as lone surrogates, which no file or terminal takes.
    """
    decoded = text[:MAX_TEXT].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\ufffd" for char in decoded)


def is_sip_uri(text: str) -> bool:
    """Whether `text` is a plain SIP URI that cannot break out of its header."""
    return len(text) <= MAX_URI and _SIP_URI.fullmatch(text) is not None
