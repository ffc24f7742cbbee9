"""What lies in a box's database, read with SQL and with none of the code that wrote it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.testing.storm.errands import CALLBACK, LEAD, VISIT

_TOOL_OF_KIND = {"callback": CALLBACK, "lead": LEAD}


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that was done for a call. `inferred`: by the safety net and not by the call."""

    key: str
    call: str
    tool: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """A booking's place in the calendar."""

    key: str
    place: tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Parcel:
    """A row of the outbox."""

    key: str
    channel: str
    standing: str
    is_leased: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that matters here. `papers`: the calls of which there is a card."""

    deeds: tuple[Deed, ...]
    seats: tuple[Seat, ...]
    parcels: tuple[Parcel, ...]
    papers: frozenset[str]


def read_stored(store: Path) -> Stored:
    """All rows.

    Raises:
        sqlite3.Error: it is no database, or broken.
    """
    with _opened(store) as rows:
        actions = [Deed(*row) for row in rows("actions", "key, call, name")]
        requests = [
            Deed(key, call, _TOOL_OF_KIND[kind], origin == "inferred")
            for key, call, kind, origin in rows("requests", "key, call, kind, origin")
        ]
        bookings = rows("bookings", "key, call, day, begins, seat", "WHERE cancelled IS NULL")
        parcels = rows("outbox", "key, channel, standing, leased_until IS NOT NULL")
        return Stored(
            deeds=(*actions, *requests, *(Deed(row[0], row[1], VISIT) for row in bookings)),
            seats=tuple(Seat(row[0], (row[2], row[3], row[4])) for row in bookings),
            parcels=tuple(Parcel(row[0], row[1], row[2], bool(row[3])) for row in parcels),
            papers=frozenset(row[0] for row in rows("papers", "call", "WHERE kind = 'card'")),
        )


def complaints(store: Path) -> list[str]:
    """What SQLite itself finds wrong with the file; empty for a whole one."""
    try:
        with closing(_connect(store)) as link:
            found = [row[0] for row in link.execute("PRAGMA integrity_check")]
            strays = link.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    return [*(line for line in found if line != "ok"), *(f"foreign key: {row}" for row in strays)]


def _connect(store: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{store}?mode=ro", uri=True)


@contextmanager
def _opened(store: Path) -> Iterator[Any]:
    """A function that selects columns of a table; of one that is not there, nothing."""
    with closing(_connect(store)) as link:
        tables = {row[0] for row in link.execute("SELECT name FROM sqlite_master")}

        def rows(table: str, columns: str, where: str = "") -> Sequence[tuple[Any, ...]]:
            if table not in tables:
                return []
            # Nothing here comes from outside this module.
            return link.execute(f"SELECT {columns} FROM {table} {where}").fetchall()  # noqa: S608

        yield rows
