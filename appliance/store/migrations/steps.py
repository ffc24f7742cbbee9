"""The migrations of the box's databases, in order, and how they are run.

    read the version ─> the steps beyond it, in one transaction ─> the version of the last

A database is migrated whole or not at all: SQLite undoes tables like rows, also after a power cut.
The agent of the version before may be running meanwhile, and may be switched back to. So a step
only adds (a table, a column with a default), and says by `readable_by` from which program on its
tables can be worked with. What would take something away waits until no such program is left.

Not for the models: a step is history, and does not follow when a model changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, create_engine, text

from appliance.store.migrations import box_1, box_2, box_3, documents_1
from appliance.store.versions import (
    BOX,
    DOCUMENTS,
    TABLE,
    Chain,
    Version,
    assert_not_newer,
    read_version,
    write_version,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One migration.

    Attributes:
        revision: what the tables are of afterwards.
        readable_by: the oldest head that works with them.
        what: for the operator.
        upgrade: does it.
    """

    revision: int
    readable_by: int
    what: str
    upgrade: Callable[[Operations], None]


STEPS: Mapping[Chain, tuple[Step, ...]] = {
    BOX: (
        Step(1, 1, "the tables as they are, with a version", box_1.upgrade),
        Step(2, 1, "numbers of actions; stop requests and erasures that are kept", box_2.upgrade),
        Step(3, 1, "what retention has removed, run by run", box_3.upgrade),
    ),
    DOCUMENTS: (Step(1, 1, "the index as it is, with a version", documents_1.upgrade),),
}


def pending(version: Version | None, chain: Chain) -> tuple[Step, ...]:
    """The steps that a database of this version lacks.

    Raises:
        StoreError: it is too new for this program.
    """
    if version is not None:
        assert_not_newer(version, chain)
    revision = version.revision if version else 0
    return tuple(each for each in STEPS[chain] if each.revision > revision)


def migrate(connection: Connection, chain: Chain) -> tuple[Step, ...]:
    """Run what is missing, in the caller's transaction; returns the steps that were run.

    Raises:
        StoreError: the database is too new for this program.
    """
    steps = pending(read_version(connection, chain), chain)
    operations = Operations(MigrationContext.configure(connection))
    for step in steps:
        step.upgrade(operations)
    if steps:
        last = steps[-1]
        write_version(connection, chain, Version(last.revision, last.readable_by))
    return steps


def make(connection: Connection, chain: Chain) -> None:
    """All tables of a chain in a database that has none, in the caller's transaction.

    Does what `migrate` does, but quicker: the steps are run once a process, in memory.
    """
    if read_version(connection, chain) is not None:
        migrate(connection, chain)
        return
    for statement in _script(chain):
        connection.exec_driver_sql(statement)
    last = STEPS[chain][-1]
    write_version(connection, chain, Version(last.revision, last.readable_by))


@lru_cache
def _script(chain: Chain) -> tuple[str, ...]:
    """What the steps have made, as statements."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection, chain)
        made = connection.scalars(
            text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> :version"),
            {"version": TABLE},
        )
        statements = tuple(made)
    engine.dispose()
    return statements
