"""Notifications that wait to be delivered: written with what they tell of, in one transaction.

    booking, callback, lead ── enqueue ──> waiting ── lease ──> delivered
                                              ^         └─────> failed: waiting, until a later time
                                              └─ a lease runs out: whoever held it has crashed
                         no channel: kept      too old: given_up

Times are the machine's wall time, which may be set right while notices wait. Whoever put a notice
off, or leased it, can have meant no more than a known length of time: what lies further ahead was
written by a clock that was wrong, and is due.

There is one row for each channel. A row is leased before its delivery begins, so that the agent
and `appliance outbox deliver` do not both deliver it. After a crash in the middle nobody knows
whether it arrived, and it is delivered again under the same key: at least once, and once as far
as the receiver looks at the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Index, String, and_, func, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant

_DAY_S = 86400.0
_LONGEST_LEASE = timedelta(seconds=90)
"""The longest deadline that may be configured, and its margin: a lease may be of another one."""


class Standing(StrEnum):
    """How far a notification has come."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"
    KEPT = "kept"


class NoticeRow(Base):
    """A notification on its way through one channel; `channel` is empty where it is only kept."""

    __tablename__ = "outbox"
    __table_args__ = (Index("outbox_due", "standing", "channel", "due"),)

    key: Mapped[str] = mapped_column(String(160), primary_key=True)
    channel: Mapped[str] = mapped_column(String(16), primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    call: Mapped[str] = mapped_column(String(64), index=True)
    details: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[datetime] = mapped_column(Instant)
    standing: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int]
    due: Mapped[datetime] = mapped_column(Instant)
    leased_until: Mapped[datetime | None] = mapped_column(Instant)
    settled: Mapped[datetime | None] = mapped_column(Instant)
    why: Mapped[str] = mapped_column(String(300))


@dataclass(frozen=True, slots=True)
class Notice:
    """What the operator is told.

    Attributes:
        key: names this notification and no other.
        kind: `booking`, `callback`, `lead`, or `copy`, which goes to the user.
        call: key of the call.
        at: when it happened.
        details: by name: number, address, problem and so on. Personal: not for logs.
    """

    key: str
    kind: str
    call: str
    at: datetime
    details: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Parcel:
    """A notice in the outbox; `why` is what went wrong at the last attempt."""

    notice: Notice
    channel: str
    standing: Standing
    attempts: int
    due: datetime
    why: str = ""


def enqueue(session: Session, notice: Notice, channels: Sequence[str]) -> None:
    """Put a notice into the outbox, in the transaction of what it tells of.

    With no channels it is kept, for the operator to read.
    """
    standing = Standing.WAITING if channels else Standing.KEPT
    for channel in channels or ("",):
        session.add(
            NoticeRow(
                key=notice.key, channel=channel, kind=notice.kind, call=notice.call,
                details=dict(notice.details), at=notice.at, standing=standing.value, attempts=0,
                due=notice.at, why="",
            )
        )  # fmt: skip


class Outbox:
    """What delivery and the operator do with it; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(NoticeRow)

    def lease(
        self, channel: str, now: datetime, seconds: float, longest_s: float = _DAY_S
    ) -> Parcel | None:
        """The next notice that is due through this channel; for so long it is the caller's alone.

        `longest_s`: nothing is put off for longer.

        Raises:
            StoreError: the database cannot be read or written.
        """
        due = _due(channel, now, timedelta(seconds=seconds), timedelta(seconds=longest_s))
        with self._database.reading() as session:  # mostly there is none: no need for the lock
            if session.scalars(due).first() is None:
                return None
        with self._database.writing() as session:
            row = session.scalars(due).first()
            if row is None:
                return None
            row.leased_until = now + timedelta(seconds=seconds)
            row.attempts += 1
            return _parcel(row)

    def delivered(self, parcel: Parcel, now: datetime) -> None:
        """It has arrived."""
        self._settle(parcel, Standing.DELIVERED, now, "")

    def given_up(self, parcel: Parcel, now: datetime, why: str) -> None:
        """It is too old to be tried again."""
        self._settle(parcel, Standing.GIVEN_UP, now, why)

    def put_off(self, parcel: Parcel, until: datetime, why: str) -> None:
        """It has not arrived; try again then."""
        with self._database.writing() as session:
            row = session.get_one(NoticeRow, (parcel.notice.key, parcel.channel))
            row.due, row.leased_until, row.why = until, None, why

    def revive(self, channels: Sequence[str], now: datetime) -> int:
        """Let what was given up, only kept or put off be delivered now; returns how many notices.

        So is what waits for a channel that there is no more: it goes through those there are.
        """
        if not channels:
            return 0
        with self._database.writing() as session:
            rows = session.scalars(
                select(NoticeRow).where(
                    or_(
                        NoticeRow.standing.in_([Standing.GIVEN_UP, Standing.KEPT]),
                        and_(
                            NoticeRow.standing == Standing.WAITING,
                            NoticeRow.due > now,
                            NoticeRow.attempts > 0,
                            or_(NoticeRow.leased_until.is_(None), NoticeRow.leased_until <= now),
                        ),
                        _is_stranded(channels),
                    )
                )
            ).all()
            for row in rows:
                if row.channel in channels:
                    row.standing, row.due = Standing.WAITING.value, now
                    row.attempts, row.settled, row.leased_until = 0, None, None
                else:
                    _readdress(session, row, channels)
            return len(rows)

    def stranded(self, channels: Sequence[str]) -> int:
        """How many notices wait for a channel that is none of these."""
        with self._database.reading() as session:
            return len(session.scalars(select(NoticeRow).where(_is_stranded(channels))).all())

    def all(self, *standings: Standing) -> list[Parcel]:
        """Everything in it, or what stands so; the oldest first."""
        wanted = select(NoticeRow).order_by(NoticeRow.at, NoticeRow.key)
        if standings:
            wanted = wanted.where(NoticeRow.standing.in_(standings))
        with self._database.reading() as session:
            return [_parcel(row) for row in session.scalars(wanted)]

    def counts(self) -> dict[Standing, int]:
        """How many stand how; those of which there are none are left out."""
        counted = select(NoticeRow.standing, func.count()).group_by(NoticeRow.standing)
        with self._database.reading() as session:
            return {Standing(standing): count for standing, count in session.execute(counted)}

    def oldest_waiting(self) -> datetime | None:
        """When the one that has waited longest happened; None where nothing waits."""
        waiting = select(func.min(NoticeRow.at)).where(NoticeRow.standing == Standing.WAITING)
        with self._database.reading() as session:
            return session.scalar(waiting)

    def _settle(self, parcel: Parcel, standing: Standing, now: datetime, why: str) -> None:
        with self._database.writing() as session:
            row = session.get_one(NoticeRow, (parcel.notice.key, parcel.channel))
            row.standing, row.settled, row.leased_until = standing.value, now, None
            row.why = why


def _due(channel: str, now: datetime, lease: timedelta, longest: timedelta) -> Any:
    return (
        select(NoticeRow)
        .where(
            NoticeRow.standing == Standing.WAITING,
            NoticeRow.channel == channel,
            or_(NoticeRow.due <= now, NoticeRow.due > now + longest),
            or_(
                NoticeRow.leased_until.is_(None),
                NoticeRow.leased_until <= now,
                NoticeRow.leased_until > now + max(lease, _LONGEST_LEASE),
            ),
        )
        .order_by(NoticeRow.due, NoticeRow.at, NoticeRow.key)
        .limit(1)
    )


def _is_stranded(channels: Sequence[str]) -> Any:
    return and_(NoticeRow.standing == Standing.WAITING, NoticeRow.channel.not_in(channels))


def _readdress(session: Session, row: NoticeRow, channels: Sequence[str]) -> None:
    """Send it through these channels instead, but not again where it went as well."""
    there = set(session.scalars(select(NoticeRow.channel).where(NoticeRow.key == row.key)))
    others = [channel for channel in channels if channel not in there]
    if others:
        enqueue(session, _parcel(row).notice, others)
    session.delete(row)


def _parcel(row: NoticeRow) -> Parcel:
    notice = Notice(row.key, row.kind, row.call, row.at, dict(row.details))
    return Parcel(notice, row.channel, Standing(row.standing), row.attempts, row.due, row.why)
