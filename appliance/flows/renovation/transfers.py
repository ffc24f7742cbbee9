"""Whether a caller asks for the other persona: by rule, before anything else is made of the words.

    words ── plain ──> names in capitals ──> refusals, stories and conditions cut out
      ── asks for a name that is known ──> to_other · to_self
      ── asks for somebody else ─────────> to_other
      ── asks for a name that is not ────> to_unknown

A mention is no request ("Alice told me that"), and a request for a person is not one either: the
flow's `human_request` stays what it is. Patterns only (transfer_patterns.py), far below a
millisecond: scripts/bench_knowledge.py prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from appliance.flows.renovation.personas import Persona
from appliance.flows.renovation.transfer_patterns import (
    AMBIGUOUS,
    GROUPS,
    NAMED,
    NO_NAMES,
    PEOPLE,
    TAKEN_BACK,
    UNKNOWN,
    WRITTEN_OUT,
    YOURSELF,
)

_WRITTEN_OUT = tuple((re.compile(pattern), written) for pattern, written in WRITTEN_OUT)
_GROUP = re.compile(r"(?<!\?P)<([a-z]+)>")


class Wanted(StrEnum):
    """Whom the caller asks for."""

    TO_OTHER = "to_other"
    TO_SELF = "to_self"
    TO_UNKNOWN = "to_unknown"
    NONE = "none"


class TransferReader:
    """Reads requests for one of these personas; made once, used by all calls."""

    def __init__(self, personas: Sequence[Persona]) -> None:
        self._names = tuple(
            (each.name.upper(), re.compile(rf"\b({'|'.join((each.name, *each.heard))})\b"))
            for each in personas
        )
        names = "|".join(name for name, _ in self._names)
        self._taken_back = _compiled(TAKEN_BACK, names)
        self._named = _compiled(NAMED, names)
        self._yourself = _compiled(YOURSELF, names)
        self._ambiguous = _compiled(AMBIGUOUS, names)
        self._unknown = _compiled(UNKNOWN, names)
        self._people = _compiled((PEOPLE,), names)

    def read(self, text: str, here: str) -> Wanted:
        """Whom a caller asks for who talks with `here`."""
        words = self._without_mentions(text)
        named = next(_found(self._named, words), None)
        if named:
            return Wanted.TO_SELF if named["who"].lower() == here else Wanted.TO_OTHER
        if any(_found(self._yourself, words)):
            return Wanted.TO_SELF
        if any(_found(self._ambiguous, words)):
            return Wanted.TO_OTHER
        if any(_found(self._people, words)):
            return Wanted.NONE
        unknown = any(_is_name(match["who"]) for match in _found(self._unknown, words))
        return Wanted.TO_UNKNOWN if unknown else Wanted.NONE

    def _without_mentions(self, text: str) -> str:
        """Plain words, with names in capitals and ";" in place of what is no request."""
        words = _plain(text)
        for name, heard in self._names:
            words = heard.sub(name, words)
        for pattern in self._taken_back:
            words = pattern.sub(";", words)
        return words


def _compiled(patterns: Iterable[str], names: str) -> tuple[re.Pattern[str], ...]:
    """Patterns with their groups and names filled in; a match begins and ends with a word."""
    return tuple(re.compile(rf"(?:^|\b){_filled(each, names)}(?:$|\b)") for each in patterns)


def _filled(pattern: str, names: str) -> str:
    while _GROUP.search(pattern):  # a group may hold others
        pattern = _GROUP.sub(lambda match: f"({GROUPS[match[1]]})", pattern)
    return pattern.replace("WHO", f"(?P<who>{names})").replace("NAME", f"({names})")


def _found(patterns: Iterable[re.Pattern[str]], words: str) -> Iterator[re.Match[str]]:
    return (match for match in (pattern.search(words) for pattern in patterns) if match)


def _is_name(who: str) -> bool:
    """Whether that can be whom somebody asks for."""
    return len(who.split()) > 1 or who not in NO_NAMES


def _plain(text: str) -> str:
    """Lower case, no marks, short forms written out."""
    words = text.lower()
    for pattern, written in _WRITTEN_OUT:
        words = pattern.sub(written, words)
    return words.strip()
