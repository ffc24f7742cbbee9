"""A box with calls and rows of several people, for tests of what happens to data as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from appliance.actions.tools import Request
from appliance.clock import Clock
from appliance.config import Config, load_config
from appliance.conversations import Contact
from appliance.store.actions import ActionStore
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.conversations import Conversations
from appliance.store.customers import Customers
from appliance.store.database import Database
from appliance.store.events import EventLog
from appliance.store.outbox import Outbox
from appliance.store.papers import CARD, SUMMARY, Papers
from appliance.store.records import write_record
from appliance.store.requests import Requests
from appliance.store.text_runs import TextRun, TextRuns
from tests.store.asking import PERSONAL

NOW = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
MARIA, JOHN = "+13105550100", "+12125550199"
STOP = "mark_do_not_contact"
SETTINGS = """
[record]
folder = "calls"
store = "store.sqlite"
[documents]
store = "documents.sqlite"
[backup]
folder = "backups"
keep = 3
"""


@dataclass
class Box:
    """A store and the files of calls below one folder."""

    folder: Path
    config: Config
    database: Database

    def call(
        self, key: str, number: str, days_ago: float, *, flow: str = "collections",
        then: str = "", finished: bool = True,
    ) -> Path:  # fmt: skip
        """The log of a call, and its record if it is finished; returns the log."""
        started = NOW - timedelta(days=days_ago)
        log = EventLog(self.config.record.folder, key, started)
        log.write("call", 0, call=key, started=started.isoformat(), number=number, flow=flow)
        if then:
            log.write("handover", 900, flow=then)
        log.write("end", 1000, outcome="done", by="caller", facts={})
        log.close()
        if finished:
            write_record(log.path)
        return log.path

    def act(self, call: str, tool: str, number: str, days_ago: float, account: str = "") -> None:
        """An action that is kept in the ledger."""
        ActionStore(self.database).add(asked(call, tool, number, days_ago, account=account))

    def count(self, table: str) -> int:
        """How many rows a table has."""
        with self.database.reading() as session:
            found = session.connection().exec_driver_sql(f"SELECT count(*) FROM {table}")
            return int(found.scalar_one())

    def counts(self) -> Mapping[str, int]:
        """Rows by table; only tables with any."""
        with self.database.reading() as session:
            names = session.connection().exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
            every = [name for (name,) in names]
        return {name: count for name in every if (count := self.count(name))}

    def files(self) -> list[str]:
        """Names of the files of calls."""
        return sorted(each.name for each in self.config.record.folder.glob("*/*"))


def box_at(folder: Path, more: str = "") -> Box:
    """An empty box with a calendar."""
    path = folder / "appliance.toml"
    path.write_text(SETTINGS + more)
    config = load_config(path)
    database = Database(config.record.store)
    Calendar(database)
    return Box(folder, config, database)


def opened(folder: Path) -> Box:
    """A box that is there."""
    config = load_config(folder / "appliance.toml")
    return Box(folder, config, Database(config.record.store))


def asked(
    call: str, tool: str, number: str, days_ago: float, *, account: str = "", **args: str
) -> Request:  # fmt: skip
    """A request of a call."""
    return Request(
        key=f"{call}:4:{tool}", call=call, tool=tool, args=args, at=NOW - timedelta(days=days_ago),
        number=number, account=account,
    )  # fmt: skip


def live(box: Box, number: str, name: str, days_ago: float) -> None:
    """Everything that a box can have of one person, of a while ago and with nothing owed."""
    call, at = f"call-{name}", NOW - timedelta(days=days_ago)
    box.call(call, number, days_ago, flow="booking")
    personal = {**PERSONAL, "name": name, "preferred_time": "soonest"}
    booking = asked(call, "book_service", number, days_ago, **personal)
    assert not isinstance(Bookings(box.database).book(booking, lambda: True), str)
    requests = Requests(box.database, ["webhook"])
    requests.add(asked(call, "create_callback_request", number, days_ago, name=name), "callback")
    requests.close(f"{call}:4:create_callback_request", at)
    box.act(call, "escalate_to_human", number, days_ago)
    for kind in (CARD, SUMMARY):
        Papers(box.database, kind).put(call, at, {"number": number, "card_headline": name})
    desk = Conversations(box.database, at_time(at), ["email"])
    contact = Contact(f"{name}@example.com", name, number)
    talk, message = desk.open(f"mail-{name}", contact, "Payment", f"Where is it? {name}")
    desk.reply(talk, "r1", f"On its way, {name}.")
    desk.settled(talk, message)
    runs = TextRuns(box.database)
    runs.begin(TextRun(f"run-{name}", talk, message, f"run-{name}", at))
    runs.done(f"run-{name}")
    Papers(box.database, SUMMARY).put(f"run-{name}", at, {"summary": name})
    outbox = Outbox(box.database)
    while (parcel := outbox.lease("webhook", at, 60)) is not None:
        outbox.delivered(parcel, at)
    assert Customers(box.database).find(number) is not None


def at_time(at: datetime) -> Clock:
    """A clock that stands."""
    return _Standing(at)


class _Standing:
    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at

    def monotonic_ns(self) -> int:
        return 0


def undo_migrations(box: Box) -> None:
    """The store as it was before versions were counted."""
    with box.database.writing() as session:
        for statement in (
            "DROP TABLE sweeps", "DROP TABLE stops", "DROP TABLE erasures",
            "DROP INDEX ix_actions_number", "ALTER TABLE actions DROP COLUMN number",
            "ALTER TABLE customers DROP COLUMN seen", "DROP TABLE store_version",
        ):  # fmt: skip
            session.connection().exec_driver_sql(statement)


def everything_in(folder: Path) -> bytes:
    """All bytes of all files below a folder."""
    return b"\n".join(each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file())
