"""Whom nobody may call again: kept for good, apart from the calls that it was asked in.

    actions (a stop tool's) ── keep_stops ──> stops: number, account, when      never removed

When the call's data go, by retention or by erasure, this stays: a person who is forgotten must not
be called again for that. It is the bare number, since whoever places calls has to compare with it;
a hash would hide ten thousand million numbers from nobody, and is lost with its key. It says no
more than that this number or account wants no calls, since when, and by which tool it was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.actions import ActionRow
from appliance.store.customers import digits_of
from appliance.store.database import Base, Database
from appliance.store.instants import Instant


class StopRow(Base):
    """A stop request; the key is its action's."""

    __tablename__ = "stops"

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    number: Mapped[str] = mapped_column(String(32), index=True)
    account: Mapped[str] = mapped_column(String(64), index=True)
    tool: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(Instant)


@dataclass(frozen=True, slots=True)
class Stop:
    """Who wants no calls; `number` as digits, `account` the operator's id, either may be empty."""

    number: str
    account: str
    tool: str
    at: datetime


class Stops:
    """The table of stop requests. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(StopRow, ActionRow)

    def all(self) -> list[Stop]:
        """Every stop request, the oldest first.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.reading() as session:
            rows = session.scalars(select(StopRow).order_by(StopRow.at, StopRow.key))
            return [Stop(row.number, row.account, row.tool, row.at) for row in rows]


def unnumbered(session: Session, tools: Sequence[str]) -> bool:
    """Whether `keep_stops` would ask for the number of a call."""
    wanted = _not_kept(tools).where(ActionRow.number == "").limit(1)
    return session.scalars(wanted).first() is not None


def keep_stops(
    session: Session, tools: Sequence[str], number_of: Callable[[str], str]
) -> int:  # fmt: skip
    """Take over what stop tools have kept since the last time; returns how many.

    `number_of` gives the number of a call, for actions from before they had it. An action that
    names neither a number nor an account binds nobody and is left out.
    """
    rows = session.scalars(_not_kept(tools))
    kept = 0
    for row in rows.all():
        number = digits_of(row.number or number_of(row.call))
        if number or row.account:
            at = row.at.astimezone()  # kept as local time without its zone
            session.add(StopRow(key=row.key, number=number, account=row.account, tool=row.name,
                                at=at))  # fmt: skip
            kept += 1
    return kept


def _not_kept(tools: Sequence[str]) -> Select[ActionRow]:
    known = select(StopRow.key)
    return select(ActionRow).where(ActionRow.name.in_(tools), ActionRow.key.not_in(known))
