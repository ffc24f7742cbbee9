"""Working hours cut into windows: pure arithmetic, in the box's local time.

    Hours(monday 08:00–12:00, 120 minutes, 2 technicians)  ──>  08:00–10:00, 10:00–12:00

What is left at the end of the hours and shorter than a window is no window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise

MIDNIGHT = time(0)


@dataclass(frozen=True, slots=True, order=True)
class Hours:
    """When technicians come on one day of the week.

    Attributes:
        weekday: 0 (Monday) to 6.
        opens: the first window begins.
        closes: no window ends later; on the same day.
        minutes: length of a window.
        capacity: technicians, so bookings in one window.
    """

    weekday: int
    opens: time
    closes: time
    minutes: int
    capacity: int

    def __post_init__(self) -> None:
        if not 0 <= self.weekday <= 6:
            raise ValueError("a weekday is 0 (Monday) to 6")
        if self.opens >= self.closes:
            raise ValueError(f"the hours {self.opens:%H:%M} to {self.closes:%H:%M} end before they"
                             " begin")  # fmt: skip
        if not 15 <= self.minutes <= 720:
            raise ValueError("a window has 15 to 720 minutes")
        if not 1 <= self.capacity <= 100:
            raise ValueError("a window takes 1 to 100 bookings")


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A stretch of a day that can be booked, `capacity` times."""

    begins: datetime
    minutes: int
    capacity: int

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return self.begins + timedelta(minutes=self.minutes)


def windows_on(day: date, hours: Iterable[Hours]) -> list[Window]:
    """The windows of a day in order; times are naive, local to the box."""
    found: list[Window] = []
    for each in hours:
        if each.weekday != day.weekday():
            continue
        begins, closes = (datetime.combine(day, at) for at in (each.opens, each.closes))
        while (ends := begins + timedelta(minutes=each.minutes)) <= closes:
            found.append(Window(begins, each.minutes, each.capacity))
            begins = ends
    return sorted(found)


def overlap(hours: Iterable[Hours]) -> tuple[Hours, Hours] | None:
    """Two hours of one weekday that run into each other, if there are any."""
    ordered = sorted(hours)
    for first, second in pairwise(ordered):
        if first.weekday == second.weekday and second.opens < first.closes:
            return first, second
    return None
