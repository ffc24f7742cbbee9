"""From a date phrase to a day: pure arithmetic on today's date, with a verdict.

Understanding finds the phrase without knowing the day ("next friday" is `next:4`); a check resolves
it here against the caller's local date. So a recorded phrase means the same on every replay. The
phrases are in `dialogue.date_phrases`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from appliance.dialogue.date_phrases import read_phrase
from appliance.dialogue.days import month_end


class DateOutcome(StrEnum):
    """What a phrase comes to; only `exact` needs no confirmation."""

    EXACT = "exact"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"
    UNPARSEABLE = "unparseable"


@dataclass(frozen=True, slots=True)
class Resolution:
    """A verdict with its day.

    Attributes:
        outcome: the verdict.
        day: the day that is meant, or likeliest. An ambiguous phrase may have none ("payday").
        candidates: all days that it can mean, likeliest first; of an ambiguous one those that are
            allowed. Only `payday`, `vague` and `next_week` come without any.
    """

    outcome: DateOutcome
    day: date | None = None
    candidates: tuple[date, ...] = ()

    @property
    def needs_confirmation(self) -> bool:
        """Whether nothing may be done on it before the caller has agreed to a day."""
        return self.outcome is DateOutcome.AMBIGUOUS


NO_DATE = Resolution(DateOutcome.UNPARSEABLE)


def resolve(phrase: str, today: date, last: date | None = None) -> Resolution:
    """Resolve a phrase of `date_phrases`; what does not parse is `unparseable`.

    Args:
        phrase: what understanding found.
        today: the caller's local date.
        last: the last day that is allowed, today being the first: days not between the two are
            `outside`. Left out it is the end of today's month, the rule for promises. A caller
            with another rule may also look at `day`.
    """
    try:
        found = read_phrase(phrase, today)
    except (ValueError, OverflowError):
        return NO_DATE
    days = list(dict.fromkeys(found.days))
    inside = tuple(day for day in days if today <= day <= (last or month_end(today)))
    if not days:
        return Resolution(DateOutcome.AMBIGUOUS)
    if not inside:
        return Resolution(DateOutcome.OUTSIDE, None if found.span else days[0], tuple(days))
    if found.span:
        return Resolution(DateOutcome.AMBIGUOUS, None, inside)
    return Resolution(
        DateOutcome.EXACT if found.certain else DateOutcome.AMBIGUOUS, inside[0], inside
    )
