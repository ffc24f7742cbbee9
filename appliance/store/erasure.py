"""Erases a person: everything that the box has of him but what must stay; says what that is.

    find ─> keep his stop requests, write the tombstone ─> rows, in batches ─> files ─> tombstone

The tombstone comes first: an erasure that is cut off is gone on with by the next `retention run`,
and so is one of which something is still owed or kept by law, as soon as that has passed. Until
then the tombstone names the person; after that it only has marks of him (`tombstones`). What he
does after the erasure is no part of it. Safe while the agent runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select

from appliance.sections import RetentionConfig
from appliance.store.belongings import CALLS, TABLES, Belongings, Kept, Searched, find_belongings
from appliance.store.call_files import all_calls
from appliance.store.conversation_rows import MessageRow
from appliance.store.database import Database
from appliance.store.owing import BATCH, remove_rows
from appliance.store.people import Person
from appliance.store.stops import StopRow, keep_stops, unnumbered
from appliance.store.tombstones import ErasureRow, marks_of, salt_of


@dataclass(frozen=True, slots=True)
class Erasure:
    """What became of an erasure; counts by kind.

    Attributes:
        id: of its tombstone; 0 if it was only tried.
        removed: rows by table, and calls.
        kept: kind, reason and number of what stays.
        stops: stop requests of the person, which always stay.
        accounts: ids of accounts that his calls named and that were not asked for.
    """

    id: int
    removed: Mapping[str, int]
    kept: tuple[tuple[str, Kept, int], ...]
    stops: int
    accounts: tuple[str, ...]


class Eraser:
    """Erases from one box; a store and the folder of its calls. Blocking.

    Every method raises StoreError if the store or a file cannot be used; what was begun is gone on
    with by `go_on`.
    """

    def __init__(
        self, database: Database, folder: Path, config: RetentionConfig, now: datetime
    ) -> None:
        self._database, self._folder = database, folder
        self._config, self._now = config, now
        database.prepare(*TABLES, MessageRow, StopRow, ErasureRow)

    def try_out(self, who: Person) -> Erasure:
        """What `erase` would do."""
        found = self._found(Searched(who, self._now))
        return self._told(0, who, found, _counted(found))

    def erase(self, who: Person) -> Erasure:
        """Erase a person, as of now."""
        self.keep_stops()
        with self._database.writing() as session:
            salt = salt_of(session)
            row = ErasureRow(
                at=self._now, salt=salt, marks=marks_of(who.identifiers, salt),
                subject=asdict(who), removed={}, kept=[],
            )  # fmt: skip
            session.add(row)
            session.flush()
            number = row.id
        return self._run(number, Searched(who, self._now))

    def go_on(self) -> list[Erasure]:
        """Go on with every erasure that is not done."""
        with self._database.reading() as session:
            rows = session.scalars(select(ErasureRow).where(ErasureRow.done.is_(None)))
            begun = [(row.id, person_of(row.subject), row.at, bool(row.removed)) for row in rows]
        return [self._run(number, Searched(who, at, with_customer=not went))
                for number, who, at, went in begun]  # fmt: skip

    def repeat(self, who: Person, at: datetime) -> None:
        """Do again what was erased at that time, in a store from before it."""
        self._remove(self._found(Searched(who, at)))

    def keep_stops(self) -> int:
        """Take over stop requests, so that they outlive the calls; returns how many."""
        tools = self._config.stop_tools
        with self._database.reading() as session:
            is_needed = unnumbered(session, tools)
        numbers = {each.key: each.number for each in all_calls(self._folder)} if is_needed else {}
        with self._database.writing() as session:
            return keep_stops(session, tools, lambda call: numbers.get(call, ""))

    def _run(self, number: int, wanted: Searched) -> Erasure:
        found = self._found(wanted)
        removed = self._remove(found)
        with self._database.writing() as session:
            row = session.get_one(ErasureRow, number)
            row.removed = dict(Counter(row.removed) + Counter(removed))
            row.kept = [
                [kind, kept.why, kept.until and kept.until.isoformat(), count]
                for (kind, kept), count in found.kept.items()
            ]
            if not found.kept:
                row.subject, row.done = {}, self._now
        return self._told(number, wanted.who, found, removed)

    def _found(self, wanted: Searched) -> Belongings:
        with self._database.reading() as session:
            return find_belongings(session, self._folder, wanted, self._config, self._now)

    def _remove(self, found: Belongings) -> dict[str, int]:
        removed: Counter[str] = Counter()
        for table, keys in found.rows.items():
            for at in range(0, len(keys), BATCH):
                with self._database.writing() as session:
                    gone = remove_rows(session, table, keys[at : at + BATCH], self._now)
                removed[table.__tablename__] += gone
        for call in found.calls:
            removed[CALLS] += bool(call.remove())
        return dict(+removed)

    def _told(
        self, number: int, who: Person, found: Belongings, removed: Mapping[str, int]
    ) -> Erasure:
        with self._database.reading() as session:
            stops = sum(1 for row in session.scalars(select(StopRow))
                        if who.calls_from(row.number) or row.account in who.accounts)  # fmt: skip
        kept = tuple((kind, kept, count) for (kind, kept), count in found.kept.items())
        others = tuple(sorted(found.accounts - set(who.accounts)))
        return Erasure(number, removed, kept, stops, others)


def person_of(subject: Mapping[str, Any]) -> Person:
    """Whom a tombstone names, as long as it does; nobody, if it does not."""
    return Person(
        str(subject.get("number", "")), tuple(subject.get("accounts", ())),
        tuple(subject.get("emails", ())),
    )  # fmt: skip


def _counted(found: Belongings) -> dict[str, int]:
    """What would be removed."""
    counted = {table.__tablename__: len(keys) for table, keys in found.rows.items()}
    return counted | ({CALLS: len(found.calls)} if found.calls else {})
