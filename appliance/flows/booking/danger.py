"""Whether an answer to the safety question leaves a doubt: "no, but it smells weird".

A plain yes, and gas, smoke or fire in so many words, are understanding's to hear; this is for what
sounds like a no, or like nothing, and still is no clear answer.
"""

from __future__ import annotations

import re

_SIGN = (
    r"smell\w*|stinks?|stinky|stench|odou?rs?|fumes?|alarms?|detectors?|beep\w*|chirp\w*|hiss\w*"
)
_DENIED = re.compile(
    r"\b(?:no|not|any|without|don't|doesn't|can't|isn't) (?:(?:an?|any|the|of|gas|smoke|fire|bad"
    rf"|burning|weird|strange|funny|odd|real|really|signs?|and|or|{_SIGN}) )*(?:{_SIGN})\b"
)
"""What is not there: "no smell", "I don't smell anything", "no alarm"."""
_SIGNS = re.compile(rf"\b(?:{_SIGN})\b")
_HEDGED = re.compile(r"\b(?:but|except|although|though|probably|possibly|perhaps)\b")


def names_sign(text: str) -> bool:
    """Whether a smell or an alarm is named, and not only denied."""
    return bool(_SIGNS.search(_DENIED.sub(" ", _plain(text))))


def is_hedged(text: str) -> bool:
    """Whether the answer is taken back in part: "no, but …"."""
    return bool(_HEDGED.search(_plain(text)))


def _plain(text: str) -> str:
    plain = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(re.sub(r"[^\w' ]", " ", plain).split())
