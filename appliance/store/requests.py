"""What callers want of people: callbacks and sales leads, open until somebody has dealt with them.

The key of what a call asked for is the primary key, so a request that is delivered twice is one.
Each is written together with its notification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from sqlalchemy import JSON, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant
from appliance.store.outbox import Notice, NoticeRow, enqueue


class Kind(StrEnum):
    """What is wanted."""

    CALLBACK = "callback"
    LEAD = "lead"


class Origin(StrEnum):
    """Who asked for it: the dialogue, or the safety net after a call that had left it out."""

    CALL = "call"
    INFERRED = "inferred"


class Asked(Protocol):
    """A request as a call makes it: see `actions.tools.Request`."""

    @property
    def key(self) -> str:
        """Names it and no other."""
        ...

    @property
    def call(self) -> str:
        """Key of the call."""
        ...

    @property
    def number(self) -> str:
        """The caller's; empty if unknown."""
        ...

    @property
    def args(self) -> Mapping[str, str]:
        """What the caller said."""
        ...

    @property
    def at(self) -> datetime:
        """When, with its zone."""
        ...


class RequestRow(Base):
    """A callback or a lead."""

    __tablename__ = "requests"

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    call: Mapped[str] = mapped_column(String(64), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    origin: Mapped[str] = mapped_column(String(16))
    number: Mapped[str] = mapped_column(String(32))
    details: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[datetime] = mapped_column(Instant)
    closed: Mapped[datetime | None] = mapped_column(Instant, index=True)


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request; `details` hold callback_type, reason, name and so on, as far as they are known."""

    key: str
    call: str
    kind: Kind
    origin: Origin
    number: str
    details: Mapping[str, str]
    at: datetime
    closed: datetime | None = None


class Requests:
    """The table of requests; every method is one transaction. Blocking."""

    def __init__(self, database: Database, channels: Sequence[str] = ()) -> None:
        """`channels`: those that notifications go through; with none they are kept."""
        self._database = database
        self._channels = channels
        database.prepare(RequestRow, NoticeRow)

    def add(self, asked: Asked, kind: str) -> bool:
        """Store a request with its notification; False if it was there already.

        A callback takes the place of one that was inferred for the same call: that one's
        notification has gone out, and the operator is not told twice.

        Raises:
            StoreError: it could not be stored.
        """
        with self._database.writing() as session:
            if session.get(RequestRow, asked.key) is not None:
                return False
            row = _row(asked, Kind(kind), Origin.CALL)
            inferred = _callback_of(session, asked.call) if kind == Kind.CALLBACK else None
            if inferred is not None and inferred.origin == Origin.INFERRED:
                row.closed = inferred.closed  # somebody may have called back by now
                session.delete(inferred)
            else:
                enqueue(session, _notice(asked, kind), self._channels)
            session.add(row)
        return True

    def infer_callback(self, asked: Asked) -> bool:
        """Store a callback that a call should have asked for; False if there is one."""
        with self._database.writing() as session:
            if _callback_of(session, asked.call) is not None:
                return False
            enqueue(session, _notice(asked, Kind.CALLBACK), self._channels)
            session.add(_row(asked, Kind.CALLBACK, Origin.INFERRED))
        return True

    def all(self, *, open_only: bool = False, call: str | None = None) -> list[OpenRequest]:
        """Requests, the oldest first."""
        wanted = select(RequestRow).order_by(RequestRow.at, RequestRow.key)
        if open_only:
            wanted = wanted.where(RequestRow.closed.is_(None))
        if call is not None:
            wanted = wanted.where(RequestRow.call == call)
        with self._database.reading() as session:
            return [_request(row) for row in session.scalars(wanted)]

    def callback_of(self, call: str) -> OpenRequest | None:
        """The callback that a call asked for, or that was inferred for it."""
        with self._database.reading() as session:
            row = _callback_of(session, call)
            return None if row is None else _request(row)

    def close(self, key: str, now: datetime) -> bool:
        """Somebody has dealt with it; False if there is none of that key that is open."""
        with self._database.writing() as session:
            row = session.get(RequestRow, key)
            if row is None or row.closed is not None:
                return False
            row.closed = now
        return True


def _callback_of(session: Session, call: str) -> RequestRow | None:
    return session.scalars(
        select(RequestRow).where(RequestRow.call == call, RequestRow.kind == Kind.CALLBACK)
    ).first()


def _notice(asked: Asked, kind: str) -> Notice:
    return Notice(
        f"{kind}:{asked.key}", kind, asked.call, asked.at, {"number": asked.number, **asked.args}
    )


def _row(asked: Asked, kind: Kind, origin: Origin) -> RequestRow:
    return RequestRow(
        key=asked.key, call=asked.call, kind=kind.value, origin=origin.value,
        number=asked.number, details=dict(asked.args), at=asked.at,
    )  # fmt: skip


def _request(row: RequestRow) -> OpenRequest:
    return OpenRequest(
        row.key, row.call, Kind(row.kind), Origin(row.origin), row.number, row.details, row.at,
        row.closed,
    )  # fmt: skip
