"""What must not be undone by restoring an older store: stop requests, and erasures.

    store that is there ── stops, tombstones ──> store that is restored ── erasures are done again

A restore brings back what was there when the backup was written. Somebody who has asked since then
not to be called, or was erased since then, must not come back with it. A tombstone that no longer
names its person is compared by its marks with everybody in the restored store; see `tombstones`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from appliance.sections import RetentionConfig
from appliance.store.actions import ActionRow
from appliance.store.calendar_bookings import BookingRow
from appliance.store.call_files import all_calls
from appliance.store.conversation_rows import ConversationRow
from appliance.store.customers import CustomerRow
from appliance.store.database import Database
from appliance.store.erasure import Eraser, person_of
from appliance.store.people import Person, same_number
from appliance.store.requests import RequestRow
from appliance.store.stops import StopRow, keep_stops
from appliance.store.tombstones import ErasureRow, mark_of


@dataclass(frozen=True, slots=True)
class Carried:
    """What a store says of people who must not come back."""

    stops: Sequence[StopRow] = ()
    erasures: Sequence[ErasureRow] = ()


def read_carried(store: Path, folder: Path, tools: Sequence[str]) -> Carried:
    """What is in the store that will be replaced; it may be newer than this program.

    Raises:
        StoreError: it cannot be read, or is from before there was any of this.
    """
    numbers = {each.key: each.number for each in all_calls(folder)}
    database = Database(store, half_restored=True)
    try:
        with database.writing() as session:
            keep_stops(session, tools, lambda call: numbers.get(call, ""))
        with database.reading() as session:
            stops = session.scalars(select(StopRow)).all()
            erasures = session.scalars(select(ErasureRow)).all()
    finally:
        database.close()
    return Carried(stops, erasures)


def put_carried(
    carried: Carried, database: Database, folder: Path, config: RetentionConfig, now: datetime
) -> tuple[int, int]:
    """Write it into a restored store, and erase again; returns how many stops and erasures.

    Raises:
        StoreError: the store cannot be written.
    """
    eraser = Eraser(database, folder, config, now)
    with database.writing() as session:
        known = set(session.scalars(select(StopRow.key)))
        stops = [each for each in carried.stops if each.key not in known]
        session.add_all(_copy_of_stop(each) for each in stops)
        done = {(each.at, tuple(each.marks)) for each in session.scalars(select(ErasureRow))}
        erasures = [each for each in carried.erasures if (each.at, tuple(each.marks)) not in done]
        session.add_all(_copy_of_erasure(each) for each in erasures)
    for each in erasures:
        who = person_of(each.subject) if each.subject else _recognised(each, database, folder)
        if who.identifiers:
            eraser.repeat(who, each.at)
    return len(stops), len(erasures)


def _recognised(row: ErasureRow, database: Database, folder: Path) -> Person:
    """The person of a tombstone, as far as anything of him is there."""
    with database.reading() as session:
        there = _identifiers(session)
    there |= {f"number:{same_number(each.number)}" for each in all_calls(folder)}
    found = [each.partition(":") for each in sorted(there) if mark_of(each, row.salt) in row.marks]

    def of_kind(wanted: str) -> tuple[str, ...]:
        return tuple(value for kind, _, value in found if kind == wanted)

    return Person("".join(of_kind("number")[:1]), of_kind("account"), of_kind("email"))


def _identifiers(session: Session) -> set[str]:
    """Everything by which somebody in the store may be named."""
    columns = (ActionRow.number, RequestRow.number, BookingRow.number, CustomerRow.number,
               ConversationRow.phone)  # fmt: skip
    numbers = {same_number(each) for column in columns for each in session.scalars(select(column))}
    accounts = set(session.scalars(select(ActionRow.account)))
    emails = {each.strip().lower() for each in session.scalars(select(ConversationRow.email))}
    return {
        *(f"number:{each}" for each in numbers if each),
        *(f"account:{each}" for each in accounts if each),
        *(f"email:{each}" for each in emails if each),
    }


def _copy_of_stop(row: StopRow) -> StopRow:
    return StopRow(key=row.key, number=row.number, account=row.account, tool=row.tool, at=row.at)


def _copy_of_erasure(row: ErasureRow) -> ErasureRow:
    return ErasureRow(
        at=row.at, salt=row.salt, marks=row.marks, subject=row.subject, removed=row.removed,
        kept=row.kept, done=row.done,
    )  # fmt: skip
