"""Finds everything that the box has of one person: rows, and the files of calls.

    number, accounts, addresses ─┬─> calls (log, record) ──> actions, papers, requests of them
                                 ├─> bookings, customer, requests, notifications by number
                                 └─> conversations ──> messages, runs and their papers

Reads only. Each thing is found with the reason for which it must stay, if there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import inspect, select
from sqlalchemy.orm import Session

from appliance.sections import RetentionConfig
from appliance.store.actions import ActionRow
from appliance.store.calendar_bookings import BookingRow
from appliance.store.call_files import CallFiles, all_calls
from appliance.store.conversation_rows import ConversationRow
from appliance.store.customers import CustomerRow
from appliance.store.database import Base
from appliance.store.outbox import NoticeRow
from appliance.store.owing import is_owed
from appliance.store.papers import PaperRow
from appliance.store.people import Person
from appliance.store.requests import RequestRow
from appliance.store.text_runs import TextRunRow

RowT = TypeVar("RowT", bound=Base)

CALLS = "calls (log and record)"
"""Under what calls are counted; rows are under their table."""

OWED = "still owed"
LAW = "kept by law (12 CFR 1006.100)"
UNFINISHED = "the call goes on, or is finished at the next start"

TABLES: tuple[type[Base], ...] = (
    ActionRow, PaperRow, RequestRow, NoticeRow, BookingRow, ConversationRow, TextRunRow,
    CustomerRow,
)  # fmt: skip
"""The tables that hold anything of a person; messages go with their conversations."""

_OF_DESK = "conversation "
"""What the call of a notification begins with that a conversation sent, before its id."""
_EVIDENCE = (ActionRow, PaperRow, RequestRow)
"""What shows, with log and record, what was said and done in a call."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Why something stays, and until when; None where nobody knows."""

    why: str
    until: datetime | None = None


@dataclass
class Belongings:
    """What was found.

    Attributes:
        rows: primary keys of what may go, by table.
        kept: what must stay: kind, reason, how many.
        calls: files that may go.
        accounts: operators' ids that these calls named, for the operator to look at.
    """

    rows: dict[type[Base], list[tuple[Any, ...]]] = field(default_factory=dict)
    calls: list[CallFiles] = field(default_factory=list)
    kept: dict[tuple[str, Kept], int] = field(default_factory=dict)
    accounts: set[str] = field(default_factory=set)

    def keep(self, kind: str, kept: Kept) -> None:
        """Count something that stays."""
        self.kept[kind, kept] = self.kept.get((kind, kept), 0) + 1


@dataclass(frozen=True, slots=True)
class Searched:
    """What is looked for.

    Attributes:
        who: whose data.
        before: nothing that came later.
        with_customer: also what is known of the number; it has no date.
    """

    who: Person
    before: datetime
    with_customer: bool = True


def find_belongings(
    session: Session, folder: Path, wanted: Searched, config: RetentionConfig, now: datetime
) -> Belongings:
    """All of a person's, as of now.

    Args:
        session: reads the store.
        folder: that of the calls.
        wanted: whose data, and from which time.
        config: says what the law keeps.
        now: what is owed, and kept, is so at this moment.
    """
    return _Search(session, folder, wanted, config, now).run()


class _Search:
    """One search; see `find_belongings`."""

    def __init__(
        self, session: Session, folder: Path, wanted: Searched, config: RetentionConfig,
        now: datetime,
    ) -> None:  # fmt: skip
        who = wanted.who
        self._session, self._wanted, self._who = session, wanted, who
        self._config, self._now = config, now
        self._acted = [
            row for row in self._all(ActionRow)
            if who.calls_from(row.number) or row.account in who.accounts
        ]  # fmt: skip
        keys = {row.call for row in self._acted}
        self._files = [
            call for call in all_calls(folder)
            if (call.key in keys or who.calls_from(call.number)) and call.started <= wanted.before
        ]  # fmt: skip
        self._calls = keys | {call.key for call in self._files}
        self._desk = {
            str(row.id) for row in self._all(ConversationRow)
            if who.calls_from(row.phone) or who.writes_from(row.email)
        }  # fmt: skip
        self._runs = {row.call for row in self._all(TextRunRow) if row.conversation in self._desk}

    def run(self) -> Belongings:
        found = Belongings()
        legal = self._legal()
        for call in self._files:
            if not call.is_finished:
                found.keep(CALLS, Kept(UNFINISHED))
            elif call.key in legal:
                found.keep(CALLS, Kept(LAW, legal[call.key]))
            else:
                found.calls.append(call)
        for table in TABLES:
            self._place(found, table, legal)
        found.accounts = {row.account for row in self._all(ActionRow)
                          if row.account and row.call in self._calls}  # fmt: skip
        return found

    def _place(self, found: Belongings, table: type[Base], legal: dict[str, datetime]) -> None:
        """Each row of a table that is the person's: to go, or to stay and why."""
        columns = inspect(table).primary_key
        waiting = select(*columns).where(is_owed(table, self._now))
        owed = {tuple(row) for row in self._session.execute(waiting)}
        for row in self._all(table):
            if not self._is_his(row):
                continue
            key = tuple(inspect(row).identity or ())
            if key in owed:
                found.keep(table.__tablename__, Kept(OWED))
            elif isinstance(row, _EVIDENCE) and row.call in legal:
                found.keep(table.__tablename__, Kept(LAW, legal[row.call]))
            else:
                found.rows.setdefault(table, []).append(key)

    def _legal(self) -> dict[str, datetime]:
        """Calls that the law keeps, each until when: so long after the last activity of all."""
        files, acted = self._files, self._acted
        if not self._config.legal_minimum or not self._calls:
            return {}
        last = max([call.started for call in files] + [row.at.astimezone() for row in acted])
        until = last + timedelta(days=self._config.debt_calls_days)
        if until <= self._now:
            return {}
        others = {call.key for call in files if not may_collect(call, self._config)}
        return dict.fromkeys(self._calls - others, until)

    def _is_his(self, row: Any) -> bool:
        who = self._who
        match row:
            case ConversationRow():
                return str(row.id) in self._desk
            case TextRunRow():
                return row.conversation in self._desk
            case CustomerRow():
                return self._wanted.with_customer and who.calls_from(row.number)
        of_desk = row.call in self._runs or row.call.removeprefix(_OF_DESK) in self._desk
        told = getattr(row, "details", None) or getattr(row, "content", None)
        return (
            row.call in self._calls or of_desk
            or who.calls_from(getattr(row, "number", "")) or who.is_in(told)
        )  # fmt: skip

    def _all(self, table: type[RowT]) -> Sequence[RowT]:
        """Every row of a table from before."""
        rows = self._session.scalars(select(table)).all()
        return [row for row in rows if self._came_before(row)]

    def _came_before(self, row: Any) -> bool:
        at: datetime | None = getattr(row, "at", None) or getattr(row, "created", None)
        return at is None or at.astimezone() <= self._wanted.before


def may_collect(call: CallFiles, config: RetentionConfig) -> bool:
    """Whether a call was in a flow that may collect debts; so it is where nothing says which."""
    flows = call.flows()
    return not flows or not flows <= set(config.no_debts)
