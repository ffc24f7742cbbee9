"""Which version of its tables a database has, and whether this program can work with it.

    revision     how far the tables have come: the number of the last migration that was run
    readable_by  the oldest program (its head) that works with tables of that revision

A program that is older than `readable_by` refuses the database: it would write rows that lack
something. Here nothing is changed but the number; `migrations` changes tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

from appliance.errors import StoreError

TABLE = "store_version"
_CREATE = (
    "CREATE TABLE IF NOT EXISTS store_version (chain VARCHAR(16) NOT NULL PRIMARY KEY,"
    " revision INTEGER NOT NULL, readable_by INTEGER NOT NULL)"
)
_READ = "SELECT revision, readable_by FROM store_version WHERE chain = :chain"
_WRITE = (
    "REPLACE INTO store_version (chain, revision, readable_by) VALUES (:chain, :revision, :oldest)"
)


@dataclass(frozen=True, slots=True)
class Chain:
    """Tables that are migrated together; `head` is the revision that this program makes."""

    name: str
    head: int


BOX = Chain("box", 3)
DOCUMENTS = Chain("documents", 1)


@dataclass(frozen=True, slots=True)
class Version:
    """Of a database; revision 0 is one from before versions were counted."""

    revision: int
    readable_by: int = 0


def read_version(connection: Connection, chain: Chain) -> Version | None:
    """The version of a chain's tables; None in a database without any table."""
    there = inspect(connection).get_table_names()
    if TABLE in there:
        row = connection.execute(text(_READ), {"chain": chain.name}).first()
        if row is not None:
            return Version(row.revision, row.readable_by)
    return Version(0) if there else None


def write_version(connection: Connection, chain: Chain, version: Version) -> None:
    """Note how far the tables have come, in the transaction that brought them there."""
    connection.execute(text(_CREATE))
    values = {"chain": chain.name, "revision": version.revision, "oldest": version.readable_by}
    connection.execute(text(_WRITE), values)


def assert_usable(version: Version, chain: Chain) -> None:
    """Refuse what this program cannot work with.

    Raises:
        StoreError: the tables are newer, or not migrated yet; names the remedy.
    """
    assert_not_newer(version, chain)
    if version.revision < chain.head:
        raise StoreError(
            f"its tables are of revision {version.revision}, this program needs {chain.head}: "
            "run `appliance store migrate --config FILE`"
        )


def assert_not_newer(version: Version, chain: Chain) -> None:
    """Refuse tables that a newer program has changed beyond what this one knows.

    Raises:
        StoreError: they are; names the remedy.
    """
    if version.readable_by > chain.head:
        raise StoreError(
            f"a newer program has migrated it to revision {version.revision}, this one knows "
            f"{chain.head}: run the newer program, or `appliance restore` the backup that was "
            "written before that migration"
        )
