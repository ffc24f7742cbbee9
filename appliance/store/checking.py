"""Whether the databases of a box can be used: their revision, their pages, their tables.

Reads only, and creates nothing; safe while the agent runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, text

from appliance.config import Config
from appliance.errors import StoreError
from appliance.store.database import Database
from appliance.store.tables import METADATA
from appliance.store.versions import BOX, DOCUMENTS, TABLE, Chain, assert_usable


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found; `said` describes a database without problems."""

    path: Path
    said: str
    problems: tuple[str, ...] = ()


def check_all(config: Config, *, deep: bool) -> list[Checked]:
    """Look at the store and at the index of documents.

    Args:
        config: names them.
        deep: also read every page and compare every table; seconds for a large one.
    """
    wanted = ((BOX, config.record.store), (DOCUMENTS, config.documents.store))
    return [_checked(path, chain, deep=deep) for chain, path in wanted]


def _checked(path: Path, chain: Chain, *, deep: bool) -> Checked:
    if not path.exists():
        return Checked(path, "is not there yet; it is made when it is needed")
    try:
        database = Database(path)
    except StoreError as error:
        return Checked(path, "", (str(error),))
    try:
        version = database.version(chain)
        if version is None:
            return Checked(path, "empty; its tables are made when they are needed")
        assert_usable(version, chain)
        with database.reading() as session:
            problems = tuple(find_problems(session.connection(), chain)) if deep else ()
    except StoreError as error:
        return Checked(path, "", (str(error),))
    finally:
        database.close()
    whole = ", whole" if deep else ""
    return Checked(path, f"revision {version.revision} of {chain.head}{whole}", problems)


def find_problems(connection: Connection, chain: Chain) -> list[str]:
    """What SQLite finds wrong in the pages, and where the tables are not those of the models."""
    pages = [str(each) for each in connection.scalars(text("PRAGMA integrity_check(10)"))]
    return [
        *(each for each in pages if each != "ok"),
        *(f"tables: {each}" for each in differences(connection, METADATA[chain])),
    ]


def differences(connection: Connection, metadata: MetaData) -> list[str]:
    """Where the tables of a database are not those of these models; tables beyond them are fine."""

    def is_ours(_thing: Any, name: str | None, kind: str, reflected: bool, other: Any) -> bool:
        return not (kind == "table" and reflected and other is None) and name != TABLE

    context = MigrationContext.configure(
        connection, opts={"include_object": is_ours, "compare_type": True}
    )
    return [_told(each) for each in compare_metadata(context, metadata)]


def _told(change: Any) -> str:
    """One line for one change that would be needed."""
    if isinstance(change, list):  # of a column: several at once
        return "; ".join(_told(each) for each in change)
    what, *things = change
    return f"{what} {' '.join(str(each) for each in things if each is not None)}"
