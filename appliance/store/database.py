"""The box's database: one SQLite file, opened once, shared by the stores that keep things in it.

    ActionStore · Calendar · Outbox · … ── reading() / writing() ──> Session ──> SQLite (WAL)

A store declares its tables on `Base` and asks for them with `prepare`. Each of its methods is one
transaction: `writing` takes the write lock at its beginning, so what was read in it still holds
when it is committed. Not for the event loop: blocking.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, event, inspect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session

from appliance.errors import StoreError

_LOCKED_S = 1.0  # how long to wait for another process that writes
_READS = "reads"
_REMEDIES = {
    "locked": "another program writes to it for too long; try again when that has ended",
    "full": "make room on its disk",
    "not a database": "name another file, or move this one away",
    "unable to open": "is its folder there, and may this user write to it?",
    "readonly": "may this user write to it?",
}


class Base(DeclarativeBase):
    """What every table of the box is declared on."""


class Database:
    """SQLite in WAL mode."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            StoreError: it cannot be opened or is no database.
        """
        self.path = path
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = create_engine(
                f"sqlite:///{path}",
                hide_parameters=True,  # an error's text is logged; the rows are personal
                connect_args={"timeout": _LOCKED_S, "isolation_level": None},
            )
            event.listen(self._engine, "connect", _durable)
            event.listen(self._engine, "begin", _begin)
            self._engine.connect().close()

    def prepare(self, *tables: type[Base]) -> None:
        """Create the tables that are not there yet.

        Raises:
            StoreError: they cannot be created.
        """
        wanted = [each.__table__ for each in tables if isinstance(each.__table__, Table)]
        reading = self._engine.execution_options(**{_READS: True})
        with self._errors():
            with reading.begin() as connection:
                there = set(inspect(connection).get_table_names())
            if not there.issuperset(table.name for table in wanted):  # only then is it written
                with self._engine.begin() as connection:
                    Base.metadata.create_all(connection, tables=wanted)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads.

        Raises:
            StoreError: the database cannot be read.
        """
        engine = self._engine.execution_options(**{_READS: True})
        with self._errors(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that holds the write lock; committed at its end, undone by an exception.

        Raises:
            StoreError: it is locked for too long, the disk is full, or the file is broken.
        """
        with (
            self._errors(),
            Session(self._engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            session.connection()  # takes the lock now, not at the first statement
            yield session

    def close(self) -> None:
        """Release the file."""
        self._engine.dispose()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"store {self.path}: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    """What the database itself says, without the statement, and what helps against it."""
    said = str(getattr(error, "orig", None) or error)
    return next((f"{said}: {help_}" for part, help_ in _REMEDIES.items() if part in said), said)


def _durable(connection: Any, _record: object) -> None:
    """WAL with a sync at each commit: a power cut loses no committed action."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")


def _begin(connection: Connection) -> None:
    """The driver's own begin would take the write lock too late to rely on what was read."""
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
