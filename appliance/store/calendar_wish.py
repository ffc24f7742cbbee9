"""When a caller would like somebody to come: the text of `preferred_time`, read strictly.

    soonest
    2026-11-23                          any window of that day
    2026-11-23 morning|afternoon|evening
    2026-11-23 10:30                    the window that this time lies in
    morning|afternoon|evening           the first such window, on any day

A window belongs to the part of the day that it begins in: before noon, before five, after.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum

SOONEST = "soonest"
_NOON = time(12)
_EVENING = time(17)


class Part(StrEnum):
    """A part of the day."""

    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is left open is None; at most one of `part` and `at` is given."""

    day: date | None = None
    part: Part | None = None
    at: time | None = None

    def allows(self, begins: time, ends: time) -> bool:
        """Whether a window of the day fits; the day itself is the calendar's to compare."""
        if self.at is not None:
            return begins <= self.at < ends
        return self.part is None or self.part is part_of(begins)


def part_of(begins: time) -> Part:
    """The part of the day that something belongs to which begins then."""
    if begins < _NOON:
        return Part.MORNING
    return Part.AFTERNOON if begins < _EVENING else Part.EVENING


def parse_wish(text: str) -> Wish:
    """Read a preferred time.

    Raises:
        ValueError: it is not written as the table above says.
    """
    words = text.split()
    if words == [SOONEST]:
        return Wish()
    if not 1 <= len(words) <= 2:
        raise ValueError("a preferred time is a day, a part of it or soonest")
    if len(words) == 1 and words[0] in set(Part):
        return Wish(part=Part(words[0]))
    day = date.fromisoformat(words[0])
    if len(words) == 1:
        return Wish(day)
    if words[1] in set(Part):
        return Wish(day, part=Part(words[1]))
    return Wish(day, at=time.fromisoformat(words[1]))
