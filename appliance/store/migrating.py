"""Brings a box's databases to the revision that this program works with; a backup comes first.

    nothing to do ─> says so        something to do ─> backup of all ─> each database, whole or not

The store is migrated before the index of documents, which can be read anew from the documents. Both
may be done while the agent of the version before runs: see `migrations.steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from appliance.config import Config
from appliance.errors import StoreError
from appliance.store.archive_writing import write_archive
from appliance.store.archives import places_of
from appliance.store.database import Database
from appliance.store.migrations.steps import Step, make, migrate, pending
from appliance.store.versions import BOX, DOCUMENTS, Chain


@dataclass(frozen=True, slots=True)
class Migrated:
    """What was done to a database: `steps` that were run, or that it was `made` anew."""

    path: Path
    steps: tuple[Step, ...]
    made: bool = False


def migrate_all(config: Config, now: datetime) -> tuple[Path | None, list[Migrated]]:
    """Migrate what has to be; returns the backup, if one was needed, and what was done.

    Raises:
        StoreError: a database is newer than this program, damaged, or in use for too long; it is
            then as it was.
    """
    wanted = ((BOX, config.record.store), (DOCUMENTS, config.documents.store))
    backup = None
    if any(_lacks(path, chain) for chain, path in wanted):
        backup = write_archive(places_of(config), config.backup.folder, now, before_migration=True)
    return backup, [_migrated(path, chain) for chain, path in wanted]


def _lacks(path: Path, chain: Chain) -> bool:
    """Whether a database with something in it has steps before it."""
    if not path.exists():
        return False
    database = Database(path)
    try:
        version = database.version(chain)
        return version is not None and bool(_checked(path, chain, database))
    finally:
        database.close()


def _checked(path: Path, chain: Chain, database: Database) -> tuple[Step, ...]:
    try:
        return pending(database.version(chain), chain)
    except StoreError as error:
        raise StoreError(f"store {path}: {error}") from error


def _migrated(path: Path, chain: Chain) -> Migrated:
    database = Database(path)
    try:
        is_new = database.version(chain) is None
        with database.writing() as session:
            if is_new:
                make(session.connection(), chain)
                return Migrated(path, (), made=True)
            return Migrated(path, migrate(session.connection(), chain))
    finally:
        database.close()
