"""Who comes when: bookings, made one at a time whoever asks.

    preferred time ─> first window that fits and has room ─> booking + customer + notification
                                                              one transaction, or nothing

Two bookings can never have the same technician at the same time: the search holds the write lock
(of threads and of processes), and a unique index on day, begin and seat stands behind it.

A telephone number has at most one booking at any time of day: its caller is not offered a window
that overlaps with one of his. Asking for such a window by its time finds it full; the soonest is
then the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from sqlalchemy import Date, Index, String, Time, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.calendar import open_windows
from appliance.store.calendar_windows import Window
from appliance.store.calendar_wish import Wish, parse_wish
from appliance.store.customers import Customer, CustomerRow, digits_of, remember
from appliance.store.database import Base, Database
from appliance.store.instants import Instant
from appliance.store.outbox import Notice, NoticeRow, enqueue
from appliance.store.requests import Asked

_ACTIVE = text("cancelled IS NULL")


class BookingRow(Base):
    """One booking; `seat` numbers the technicians of a window from 0."""

    __tablename__ = "bookings"
    __table_args__ = (
        Index("bookings_seat", "day", "begins", "seat", unique=True, sqlite_where=_ACTIVE),
        Index("bookings_number", "day", "begins", "number", unique=True,
              sqlite_where=text("cancelled IS NULL AND number <> ''")),
    )  # fmt: skip

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    call: Mapped[str] = mapped_column(String(64), index=True)
    day: Mapped[date] = mapped_column(Date)
    begins: Mapped[time] = mapped_column(Time)
    minutes: Mapped[int]
    seat: Mapped[int]
    number: Mapped[str] = mapped_column(String(32))
    name: Mapped[str] = mapped_column(String(200))
    address: Mapped[str] = mapped_column(String(300))
    zip: Mapped[str] = mapped_column(String(5))
    problem: Mapped[str] = mapped_column(String(1000))
    wished: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(Instant)
    cancelled: Mapped[datetime | None] = mapped_column(Instant)


@dataclass(frozen=True, slots=True)
class Booking:
    """A booking; `begins` is local to the box and without a zone."""

    key: str
    call: str
    begins: datetime
    minutes: int
    number: str
    name: str
    address: str
    zip: str
    problem: str
    wished: str

    @property
    def details(self) -> Mapping[str, str]:
        """What the caller said, by the names that the flow has for it."""
        return {
            "name": self.name, "address": self.address, "zip": self.zip, "problem": self.problem,
            "preferred_time": self.wished,
        }  # fmt: skip

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return self.begins + timedelta(minutes=self.minutes)


class _WithdrawnError(Exception):
    """Undoes the transaction: nobody waits for the booking any more."""


class Bookings:
    """The table of bookings; every method is one transaction. Blocking."""

    def __init__(self, database: Database, channels: Sequence[str] = ()) -> None:
        """The tables of the calendar must be there; `channels` are those of notifications."""
        self._database = database
        self._channels = channels
        database.prepare(BookingRow, CustomerRow, NoticeRow)

    def book(
        self, asked: Asked, wanted: Callable[[], bool]
    ) -> Booking | Literal["full", "withdrawn"]:
        """Book the first free window that the preferred time allows; never another.

        The same key gives the same booking again. `asked.args` may hold name, address, zip and
        problem; `preferred_time` must be there. `wanted` is asked last: if it says no, nothing has
        happened.

        Raises:
            ValueError: the preferred time cannot be read.
            StoreError: the database cannot be written; nothing has been booked.
        """
        wish = parse_wish(asked.args.get("preferred_time", ""))
        try:
            with self._database.writing() as session:
                row = session.get(BookingRow, asked.key) or self._first(session, asked, wish)
                if row is None:
                    return "full"
                _assert_wanted(wanted)
                return _booking(row)
        except _WithdrawnError:
            return "withdrawn"

    def _first(self, session: Session, asked: Asked, wish: Wish) -> BookingRow | None:
        """Take the first window that fits; None if there is none."""
        number = digits_of(asked.number)
        for window in open_windows(session, asked.at.replace(tzinfo=None), wish.day):
            if wish.allows(window.begins.time(), window.ends.time()):
                seat = _free_seat(session, window, number)
                if seat is not None:
                    return self._write(session, asked, window, seat)
        return None

    def _write(self, session: Session, asked: Asked, window: Window, seat: int) -> BookingRow:
        args = asked.args
        row = BookingRow(
            key=asked.key, call=asked.call, day=window.begins.date(), begins=window.begins.time(),
            minutes=window.minutes, seat=seat, number=digits_of(asked.number),
            name=args.get("name", ""), address=args.get("address", ""), zip=args.get("zip", ""),
            problem=args.get("problem", ""), wished=args.get("preferred_time", ""), at=asked.at,
        )  # fmt: skip
        session.add(row)
        remember(session, Customer(asked.number, row.name, row.address, row.zip))
        told = {"number": asked.number, "name": row.name, "address": row.address, "zip": row.zip,
                "problem": row.problem, "date": f"{row.day:%Y-%m-%d}",
                "begins": f"{window.begins:%H:%M}", "ends": f"{window.ends:%H:%M}"}  # fmt: skip
        notice = Notice(f"booking:{asked.key}", "booking", asked.call, asked.at, told)
        enqueue(session, notice, self._channels)
        session.flush()  # whatever the database refuses, it refuses before anybody is told
        return row

    def between(self, first: date, last: date) -> list[Booking]:
        """Bookings of these days, in order; those that were cancelled are left out."""
        with self._database.reading() as session:
            return [_booking(row) for row in _active(session, first, last)]

    def room(self, day: date) -> list[tuple[Window, int]]:
        """The windows of a day, each with how many bookings it still takes; past ones too."""
        with self._database.reading() as session:
            return [
                (window, max(0, window.capacity - len({b.seat for b in _beside(session, window)})))
                for window in open_windows(session, datetime.combine(day, time()), day, lead=False)
            ]

    def of_call(self, call: str) -> Booking | None:
        """The booking that a call made, if it did and it stands."""
        with self._database.reading() as session:
            row = session.scalars(
                select(BookingRow).where(BookingRow.call == call, BookingRow.cancelled.is_(None))
            ).first()
            return None if row is None else _booking(row)

    def cancel(self, key: str, now: datetime) -> bool:
        """Free the place; False if there is no such booking, or it was cancelled before."""
        with self._database.writing() as session:
            row = session.get(BookingRow, key)
            if row is None or row.cancelled is not None:
                return False
            row.cancelled = now
        return True


def _assert_wanted(wanted: Callable[[], bool]) -> None:
    if not wanted():
        raise _WithdrawnError


def _free_seat(session: Session, window: Window, number: str) -> int | None:
    """The first technician who is free for the whole window; None if there is none."""
    there = _beside(session, window)
    seats = {row.seat for row in there}
    if len(seats) >= window.capacity or (number and any(row.number == number for row in there)):
        return None
    return next(seat for seat in range(window.capacity) if seat not in seats)


def _beside(session: Session, window: Window) -> list[BookingRow]:
    """The bookings that share some time with a window.

    They may be older than the hours, so they are compared by time and not by window.
    """
    day = window.begins.date()
    return [
        row for row in _active(session, day, day)
        if row.begins < window.ends.time()
        and window.begins.time() < _end_time(datetime.combine(day, row.begins), row.minutes)
    ]  # fmt: skip


def _end_time(begins: datetime, minutes: int) -> time:
    """Hours end on the day that they begin, so this never wraps round."""
    return (begins + timedelta(minutes=minutes)).time()


def _active(session: Session, first: date, last: date) -> list[BookingRow]:
    return list(
        session.scalars(
            select(BookingRow)
            .where(BookingRow.day.between(first, last), BookingRow.cancelled.is_(None))
            .order_by(BookingRow.day, BookingRow.begins, BookingRow.seat)
        )
    )


def _booking(row: BookingRow) -> Booking:
    return Booking(
        row.key, row.call, datetime.combine(row.day, row.begins), row.minutes, row.number,
        row.name, row.address, row.zip, row.problem, row.wished,
    )  # fmt: skip
