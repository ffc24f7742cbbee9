"""Removes what has been kept for long enough, by the policy of each kind of data (`periods`).

    stop requests kept for good ─> erasures gone on with ─> calls ─> tables ─> what crashes left

Short transactions: the agent may be running, and it does not matter where a run is cut off. The log
of a call goes before its record, since a log without a record is taken for a call to be finished.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, inspect, not_, select, update

from appliance.config import Config
from appliance.errors import StoreError
from appliance.store.actions import ActionRow
from appliance.store.activity import Activity
from appliance.store.belongings import CALLS, may_collect
from appliance.store.call_files import CallFiles, all_calls, call_days, calls_of_day, strays
from appliance.store.customers import CustomerRow
from appliance.store.database import Base, Database
from appliance.store.erasure import Eraser, Erasure
from appliance.store.owing import BATCH, count_of, is_owed, remove_rows
from appliance.store.papers import PaperRow
from appliance.store.periods import PERIODS
from appliance.store.requests import RequestRow
from appliance.store.sweeps import SweepRow, assert_clock, note_sweep
from appliance.store.text_runs import TextRunRow

HALVES = "halves of records"
FOLDERS = "empty folders of days"


@dataclass
class Swept:
    """What a run has removed, or would remove; `notes` are lines for the operator."""

    removed: Counter[str] = field(default_factory=Counter)
    stops: int = 0
    erasures: list[Erasure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Retention:
    """One run over one box. Blocking.

    Raises StoreError where the store or a file cannot be used; what was done until then stays done.
    """

    def __init__(self, database: Database, config: Config, now: datetime) -> None:
        self._database, self._config, self._now = database, config.retention, now
        self._folder = config.record.folder
        periods = (config.retention.calls_days, config.retention.debt_calls_days)
        self._shortest = timedelta(days=min(periods))
        self._eraser = Eraser(database, self._folder, config.retention, now)
        database.prepare(SweepRow)
        self._places = (config.record.store, config.documents.store, config.record.folder)

    def run(self, *, clock_is_right: bool = False) -> Swept:
        """Remove what is due.

        Raises:
            StoreError: also where the clock is long after the last run; see `sweeps`.
        """
        if not clock_is_right:
            with self._database.reading() as session:
                assert_clock(session, self._folder, self._now)
        swept = Swept(stops=self._eraser.keep_stops())
        swept.erasures = self._eraser.go_on()
        for calls in _batches(self._expired_calls()):
            swept.removed += self._remove_calls(calls)
        self._date_customers()
        for table in PERIODS:
            for keys in _batches(self._expired_rows(table)):
                swept.removed[table.__tablename__] += self._remove_rows(table, keys)
        for table in (ActionRow, PaperRow):
            for keys in _batches(self._orphans(table)):
                swept.removed[table.__tablename__] += self._remove_rows(table, keys)
        swept.removed += self._remove_strays()
        swept.removed = +swept.removed
        with self._database.writing() as session:
            note_sweep(session, self._now, swept.removed)
        self._database.shrink_log()
        swept.notes = self._notes()
        return swept

    def try_out(self) -> Swept:
        """What `run` would remove; erasures that are to go on are not looked at."""
        calls = self._expired_calls()
        removed = Counter({CALLS: len(calls)})
        for table in PERIODS:
            removed[table.__tablename__] = len(self._expired_rows(table))
        for of_calls in (ActionRow, PaperRow):
            with_calls = sum(self._count(of_calls, each) for each in _batches(calls))
            removed[of_calls.__tablename__] = with_calls + len(self._orphans(of_calls))
        return Swept(+removed, notes=self._notes())

    @cached_property
    def _activity(self) -> Activity:
        """Only where something is old: it reads the head of every log."""
        with self._database.reading() as session:
            return Activity(session, self._folder)

    def _expired_calls(self) -> list[CallFiles]:
        """Finished calls whose time has come."""
        oldest = (self._now - self._shortest).date()
        old = (call for day, path in call_days(self._folder) if day <= oldest
               for call in calls_of_day(day, path) if call.is_finished)  # fmt: skip
        return [call for call in old if self._is_over(call)]

    def _is_over(self, call: CallFiles) -> bool:
        last = self._activity.of_call(call)
        if last + self._shortest > self._now:
            return False
        is_debt = may_collect(call, self._config)
        days = self._config.debt_calls_days if is_debt else self._config.calls_days
        return last + timedelta(days=days) <= self._now

    def _remove_calls(self, calls: Sequence[CallFiles]) -> Counter[str]:
        keys = [call.key for call in calls]
        with self._database.writing() as session:
            acted = session.execute(delete(ActionRow).where(ActionRow.call.in_(keys)))
            wrote = session.execute(delete(PaperRow).where(PaperRow.call.in_(keys)))
        return Counter({
            "actions": count_of(acted), "papers": count_of(wrote),
            CALLS: sum(1 for call in calls if call.remove()),
        })  # fmt: skip

    def _count(self, table: type[ActionRow] | type[PaperRow], calls: Sequence[CallFiles]) -> int:
        """How many rows go with these calls."""
        of_them = table.call.in_([call.key for call in calls])
        with self._database.reading() as session:
            found: int = session.scalars(select(func.count()).where(of_them)).one()
        return found

    def _due(self, table: type[Base]) -> ColumnElement[bool]:
        period = PERIODS[table]
        before = self._now - timedelta(days=period.days(self._config))
        return and_(period.since(before), not_(is_owed(table, self._now)))

    def _expired_rows(self, table: type[Base]) -> list[tuple[Any, ...]]:
        """Primary keys of rows whose time has come."""
        with self._database.reading() as session:
            rows = session.scalars(select(table).where(self._due(table))).all()
        evidence = self._debts({row.call for row in rows if isinstance(row, RequestRow)})
        return [tuple(inspect(row).identity or ()) for row in rows
                if getattr(row, "call", "") not in evidence]  # fmt: skip

    def _debts(self, keys: set[str]) -> set[str]:
        """Those of these calls that may collect debts: what they asked for stays as they do."""
        calls = all_calls(self._folder) if keys else ()
        return {call.key for call in calls if call.key in keys and may_collect(call, self._config)}

    def _remove_rows(self, table: type[Base], keys: Sequence[tuple[Any, ...]]) -> int:
        with self._database.writing() as session:
            if table is TextRunRow:  # what a dialogue in writing has left goes with it
                of_them = select(TextRunRow.call).where(
                    TextRunRow.key.in_([key for (key,) in keys])
                )
                session.execute(delete(PaperRow).where(PaperRow.call.in_(of_them)))
            return remove_rows(session, table, keys, self._now)

    def _date_customers(self) -> None:
        """Customers are as old as their last activity; whom nobody has dated yet is as of now."""
        due = self._now - timedelta(days=self._config.customers_days)
        with self._database.writing() as session:
            undated = update(CustomerRow).where(CustomerRow.seen.is_(None))
            session.execute(undated.values(seen=self._now))
        with self._database.reading() as session:
            old = session.scalars(select(CustomerRow).where(CustomerRow.seen < due)).all()
        seen = [(row.number, self._activity.of_number(row.number, row.seen or due)) for row in old]
        for batch in _batches([each for each in seen if each[1] >= due]):
            with self._database.writing() as session:
                for number, at in batch:
                    of_it = update(CustomerRow).where(CustomerRow.number == number)
                    session.execute(of_it.values(seen=at))

    def _orphans(self, table: type[ActionRow] | type[PaperRow]) -> list[tuple[Any, ...]]:
        """Old rows of calls that have no files, and of none that wrote."""
        days = max(self._config.calls_days, self._config.debt_calls_days)
        before = self._now - timedelta(days=days)
        with self._database.reading() as session:
            rows: Sequence[Any] = session.scalars(select(table).where(table.at < before)).all()
        if not rows:
            return []
        there = {call.key for call in all_calls(self._folder)}
        return [tuple(inspect(row).identity or ()) for row in rows if row.call not in there]

    def _remove_strays(self) -> Counter[str]:
        """What crashes left: it is not of today, so nobody is writing it."""
        removed: Counter[str] = Counter()
        yesterday = (self._now - timedelta(days=1)).date()
        halves, _ = strays(self._folder)
        for path in halves:
            if path.parent.name <= f"{yesterday:%Y-%m-%d}":
                _unlink(path)
                removed[HALVES] += 1
        for day, path in call_days(self._folder):
            if day < yesterday and not any(path.iterdir()):
                path.rmdir()
                removed[FOLDERS] += 1
        return removed

    def _notes(self) -> list[str]:
        """What the operator may want to look at; nothing of it is removed."""
        _, foreign = strays(self._folder)
        before = [
            each
            for place in self._places
            for each in sorted(place.parent.glob(f"{place.name}.before-restore-*"))
        ]
        open_logs = [call for day, path in call_days(self._folder) if day < self._now.date()
                     for call in calls_of_day(day, path) if not call.is_finished]  # fmt: skip
        return [
            *(f"{each}: no file of a call; it stays" for each in foreign),
            *(f"{each}: left by a restore; remove it when you need it no more" for each in before),
            *(f"{each.log}: has no record; the next start of the agent writes it"
              for each in open_logs),
        ]  # fmt: skip


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be removed: {error.strerror}") from error


def _batches(things: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for at in range(0, len(things), BATCH):
        yield things[at : at + BATCH]
