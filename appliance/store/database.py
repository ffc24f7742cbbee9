"""The box's database: one SQLite file, opened once, shared by the stores that keep things in it.

    ActionStore · Calendar · Outbox · … ── reading() / writing() ──> Session ──> SQLite (WAL)

A store declares its tables on `Base` and asks for them with `prepare`, which makes all of them in a
new database and refuses one that has not been migrated or is too new. Each of a store's methods is
one transaction: `writing` takes the write lock at its beginning, so what was read in it still holds
when it is committed. What is deleted is overwritten with zeros. Not for the event loop: blocking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session

from appliance.errors import StoreError
from appliance.store.versions import BOX, Chain, Version, assert_usable, read_version

_LOCKED_S = 1.0  # how long to wait for another process that writes
_READS = "reads"
BESIDE = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database that is open."""
_REMEDIES = {
    "locked": "another program writes to it for too long; try again when that has ended",
    "full": "make room on its disk",
    "disk I/O": "is its disk full, or does it fail?",
    "not a database": "name another file, or move this one away",
    "unable to open": "is its folder there, and may this user write to it?",
    "readonly": "may this user write to it?",
}


class Base(DeclarativeBase):
    """What every table of the box is declared on."""

    metadata = MetaData(info={"chain": BOX})


class Database:
    """SQLite in WAL mode."""

    def __init__(self, path: Path, *, half_restored: bool = False) -> None:
        """Open or create the file.

        Args:
            path: the file.
            half_restored: even where a restore was cut off; for the one that goes on with it.

        Raises:
            StoreError: it cannot be opened or is no database.
        """
        self.path = path
        self._usable: set[Chain] = set()
        if restore_mark(path).exists() and not half_restored:
            raise StoreError(
                f"store {path}: a restore was cut off in the middle: run `appliance restore` again"
            )
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            self._engine = create_engine(
                f"sqlite:///{path}",
                hide_parameters=True,  # an error's text is logged; the rows are personal
                connect_args={"timeout": _LOCKED_S, "isolation_level": None},
            )
            event.listen(self._engine, "connect", _durable)
            event.listen(self._engine, "begin", _begin)
            self._engine.connect().close()
            if is_new:
                give_to_owner(path, *(path.with_name(f"{path.name}{each}") for each in BESIDE))

    def prepare(self, *tables: type[DeclarativeBase]) -> None:
        """Make sure that these tables are there as this program knows them.

        Raises:
            StoreError: the database is of another version, or the tables cannot be created.
        """
        for chain in {each.metadata.info["chain"] for each in tables} - self._usable:
            version = self.version(chain)
            if version is None or (version.revision == 0 and chain.head == 1):
                self._make(chain)  # an unnumbered database at the first revision lacks nothing
            else:
                self._assert_usable(version, chain)
            self._usable.add(chain)

    def version(self, chain: Chain) -> Version | None:
        """The version of these tables; None in a database without any.

        Raises:
            StoreError: the database cannot be read.
        """
        with self.reading() as session:
            return read_version(session.connection(), chain)

    def _assert_usable(self, version: Version, chain: Chain) -> None:
        try:
            assert_usable(version, chain)
        except StoreError as error:
            raise StoreError(f"store {self.path}: {error}") from error

    def _make(self, chain: Chain) -> None:
        """All tables of a chain; nothing, if another process has made them meanwhile."""
        from appliance.store.migrations import steps  # noqa: PLC0415 (slow; a new database only)

        with self.writing() as session:
            steps.make(session.connection(), chain)

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

    def shrink_log(self) -> None:
        """Empty SQLite's log, which still holds what was deleted; not while others read.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._errors():
            connection = self._engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()

    def close(self) -> None:
        """Release the file."""
        self._engine.dispose()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"store {self.path}: {_cause(error)}") from error


def restore_mark(path: Path) -> Path:
    """The file that lies beside a database as long as a backup is being put in its place."""
    return path.with_name(f"{path.name}.restoring")


def give_to_owner(*paths: Path) -> None:
    """What root has made belongs to whom its folder belongs to: the service must be able to use it.

    Commands on the store become its owner before (`cli.owner`); this is for the index of documents,
    whose sources perhaps only root can read. Paths that are not there are left out; of a link it is
    the link that is given.
    """
    if os.geteuid() == 0:
        for path in paths:
            folder = path.parent.stat()
            with suppress(FileNotFoundError):
                os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)


def _cause(error: Exception) -> str:
    """What the database itself says, without the statement, and what helps against it."""
    said = str(getattr(error, "orig", None) or error)
    return next((f"{said}: {help_}" for part, help_ in _REMEDIES.items() if part in said), said)


def _durable(connection: Any, _record: object) -> None:
    """WAL with a sync at each commit: a power cut loses no committed action."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")


def _begin(connection: Connection) -> None:
    """The driver's own begin would take the write lock too late to rely on what was read."""
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
