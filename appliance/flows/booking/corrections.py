"""Which of the details that were read back a caller wants corrected.

    "no, the name is wrong"   ──> name      (then we ask for the right one)
    "the street is not right" ──> address
    "it's all right"          ──> none

What is said with the correction itself ("no, it's 7 Elm Street") is read by understanding.
"""

from __future__ import annotations

import re

_DETAILS = {
    "address": r"address|street|house number|apartment|zip",
    "name": r"names?|spell\w*|spelled",
    "problem": r"(?<!no )problem|issue|what it(?:'s| is) about|not about",
}
_MENTIONS = re.compile(
    "|".join(rf"(?P<{detail}>\b(?:{words})\b)" for detail, words in _DETAILS.items())
)
_RIGHT = re.compile(
    rf"\b(?:{'|'.join(_DETAILS.values())})(?:'s| is| are| was)? (?:all )?"
    r"(?:right|correct|fine|good|okay)\b"
)
"""A detail that is right: "the name is right but the address is wrong"."""
_FAULTY = re.compile(r"\b(?:wrong|incorrect|misspelled|change|correct the|fix)\b")
_ALL_RIGHT = re.compile(
    r"\b(?:nothing|(?:that|it|everything)(?:'s| is) (?:all )?(?:right|correct|fine|good|okay))\b"
)

_NAMED = re.compile(
    r"(?:no,? )?(?:it's|it is|it should be|make it|make that)"
    r" (?!(?:the|an?|not|no|my|our|your|all|some\w*|any\w*|every\w*|in|on|at|about|very|too|so|just"
    r"|only|really|actually|still|completely|totally|quite|that|this|what|right|fine|okay|correct"
    r"|wrong|good|bad|broken)\b)"
    r"([a-z][a-z'-]+ [a-z][a-z'-]+)[.!]?"
)
"""A first and a last name where we asked what to correct: "it's Bill Jones"."""


def told_name(text: str) -> str | None:
    """The name in an answer to "what should I correct", which is read back before it counts."""
    found = _NAMED.fullmatch(_plain(text))
    return found[1].title() if found and not named_detail(text) else None


def named_detail(text: str) -> str | None:
    """The detail that is named first, without those that are called right."""
    found = _MENTIONS.search(_RIGHT.sub(" ", _plain(text)))
    return found.lastgroup if found else None


def is_faulted(text: str) -> bool:
    """Whether something is called wrong, or is to be changed."""
    return bool(_FAULTY.search(_plain(text)))


def is_all_right(text: str) -> bool:
    """Whether nothing is to be corrected after all."""
    return bool(_ALL_RIGHT.search(_plain(text)))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
