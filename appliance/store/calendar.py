"""When technicians come: working hours, days closed, lead time. The operator's, in the database.

    hours of the week ──┐
    days closed ────────┼─> windows(day) ──> calendar_bookings: what of them is still free
    lead time, horizon ─┘

What is changed here counts for the next booking, with no restart. Bookings stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sqlalchemy import Date, String, Time, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.calendar_windows import Hours, Window, overlap, windows_on
from appliance.store.database import Base, Database

_ONLY = 1
DEFAULT_HOURS = tuple(
    Hours(weekday, opens, closes, minutes=120, capacity=2)
    for weekday in range(5)
    for opens, closes in ((time(8), time(12)), (time(13), time(17)))
)
"""Monday to Friday, windows of two hours with a break at noon, two technicians."""


class HoursRow(Base):
    """Hours of a weekday; several, where there is a break."""

    __tablename__ = "calendar_hours"

    weekday: Mapped[int] = mapped_column(primary_key=True)
    opens: Mapped[time] = mapped_column(Time, primary_key=True)
    closes: Mapped[time] = mapped_column(Time)
    minutes: Mapped[int]
    capacity: Mapped[int]


class ClosedRow(Base):
    """A day on which nobody comes."""

    __tablename__ = "calendar_closed"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    reason: Mapped[str] = mapped_column(String(200))


class RulesRow(Base):
    """One row: it is also the sign that the calendar has been set up."""

    __tablename__ = "calendar_rules"

    id: Mapped[int] = mapped_column(primary_key=True)
    lead_minutes: Mapped[int]
    horizon_days: Mapped[int]


@dataclass(frozen=True, slots=True)
class Rules:
    """How soon and how far ahead may be booked.

    Attributes:
        lead_minutes: from the call to the begin of the window, at least; 0 to 10080.
        horizon_days: no window later than this many days ahead; 1 to 365.
    """

    lead_minutes: int = 120
    horizon_days: int = 60

    def __post_init__(self) -> None:
        if not 0 <= self.lead_minutes <= 10080:
            raise ValueError("the lead time is 0 to 10080 minutes (a week)")
        if not 1 <= self.horizon_days <= 365:
            raise ValueError("the horizon is 1 to 365 days")


class Calendar:
    """The tables of the calendar; each method without a session is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        """Create the tables, and a usual week if there is none yet.

        Raises:
            StoreError: the database cannot be written.
        """
        self._database = database
        database.prepare(HoursRow, ClosedRow, RulesRow)
        with database.reading() as session:
            known = session.get(RulesRow, _ONLY) is not None
        if not known:
            self._set_up()

    def _set_up(self) -> None:
        rules = Rules()
        with self._database.writing() as session:
            if session.get(RulesRow, _ONLY) is None:  # another process may have been first
                session.add(RulesRow(id=_ONLY, lead_minutes=rules.lead_minutes,
                                     horizon_days=rules.horizon_days))  # fmt: skip
                session.add_all(_row(each) for each in DEFAULT_HOURS)

    def hours(self) -> list[Hours]:
        """The hours of the week in order."""
        with self._database.reading() as session:
            return _hours(session)

    def set_hours(self, weekdays: Iterable[int], hours: Iterable[Hours]) -> None:
        """Replace the hours of these weekdays; of those without new ones nothing is left.

        Raises:
            ValueError: hours run into each other, or are of another weekday.
            StoreError: the database cannot be written.
        """
        days, new = set(weekdays), list(hours)
        if not {each.weekday for each in new} <= days:
            raise ValueError("hours of a weekday that is not to be set")
        if clash := overlap(new):
            raise ValueError("hours run into each other: {0.opens:%H:%M} to {0.closes:%H:%M} and "
                             "{1.opens:%H:%M} to {1.closes:%H:%M}".format(*clash))  # fmt: skip
        with self._database.writing() as session:
            session.execute(delete(HoursRow).where(HoursRow.weekday.in_(days)))
            session.add_all(_row(each) for each in new)

    def rules(self) -> Rules:
        """Lead time and horizon."""
        with self._database.reading() as session:
            return _rules(session)

    def set_rules(self, rules: Rules) -> None:
        """Replace them."""
        with self._database.writing() as session:
            row = session.get_one(RulesRow, _ONLY)
            row.lead_minutes, row.horizon_days = rules.lead_minutes, rules.horizon_days

    def close_day(self, day: date, reason: str) -> None:
        """Nobody comes on this day; bookings that are there stay and must be called."""
        with self._database.writing() as session:
            session.merge(ClosedRow(day=day, reason=reason))

    def open_day(self, day: date) -> bool:
        """Undo it; False if the day was not closed."""
        with self._database.writing() as session:
            row = session.get(ClosedRow, day)
            if row is not None:
                session.delete(row)
            return row is not None

    def closed_days(self, since: date) -> dict[date, str]:
        """Days closed from this one on, with the reason."""
        with self._database.reading() as session:
            rows = session.scalars(
                select(ClosedRow).where(ClosedRow.day >= since).order_by(ClosedRow.day)
            )
            return {row.day: row.reason for row in rows}


def open_windows(
    session: Session, now: datetime, day: date | None, *, lead: bool = True
) -> Iterator[Window]:
    """Windows that may be booked at this local time, in order: on one day, or all ahead.

    Whether there is still room in them is not looked at, and without `lead` neither is how soon
    they begin.
    """
    rules, hours = _rules(session), _hours(session)
    today = now.date()
    earliest = now + timedelta(minutes=rules.lead_minutes if lead else 0)
    last = today + timedelta(days=rules.horizon_days)
    days = [day] if day is not None else [
        today + timedelta(days=ahead) for ahead in range(rules.horizon_days + 1)
    ]  # fmt: skip
    for each in days:
        if today <= each <= last and session.get(ClosedRow, each) is None:
            yield from (window for window in windows_on(each, hours) if window.begins >= earliest)


def _hours(session: Session) -> list[Hours]:
    rows = session.scalars(select(HoursRow).order_by(HoursRow.weekday, HoursRow.opens))
    return [Hours(row.weekday, row.opens, row.closes, row.minutes, row.capacity) for row in rows]


def _rules(session: Session) -> Rules:
    row = session.get_one(RulesRow, _ONLY)
    return Rules(row.lead_minutes, row.horizon_days)


def _row(hours: Hours) -> HoursRow:
    return HoursRow(
        weekday=hours.weekday, opens=hours.opens, closes=hours.closes, minutes=hours.minutes,
        capacity=hours.capacity,
    )  # fmt: skip
