"""Whether a caller asks us when we could come, instead of saying when we should."""

from __future__ import annotations

import re

_WHO = r"(?:you|you guys|they|he|she|someone|somebody|a technician|the technician)"
_ASKS = re.compile(
    rf"\b(?:(?:when|(?:what|which) (?:time|day)s?) (?:can|could|would|do|are|will) {_WHO}\b"
    r"|what (?:do|have) you (?:have|got|offer)\b"
    r"|what(?:'s| is| are| else is) (?:available|free|open)\b"
    r"|when (?:is|are) (?:\w+ )*(?:available|free|open|appointments?)\b"
    r"|what (?:times|days|appointments|openings|slots)\b)"
)


def asks_for_times(text: str) -> bool:
    """Whether it is a question like "when can you come" or "what do you have"."""
    plain = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return bool(_ASKS.search(" ".join(plain.split())))
