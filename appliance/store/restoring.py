"""Puts a backup in place of what a box has.

    verify ─> unpack beside ─> migrate ─> erasures and stops from after the backup ─> swap

Until the swap nothing of the box is touched. The swap is a rename for each thing, and what was
there stays beside it under another name. A mark lies beside the store meanwhile: a box that is
switched off in the middle says at its next start that the restore must be run again, and works with
neither half. Nobody else may have the databases open.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from appliance.config import Config
from appliance.errors import StoreError
from appliance.store.archive_reading import unpack
from appliance.store.archives import CALLS, DOCUMENTS, STORE, Places, places_of
from appliance.store.carrying import Carried, put_carried, read_carried
from appliance.store.database import BESIDE, Database, restore_mark
from appliance.store.migrations.steps import migrate
from appliance.store.versions import BOX, Chain
from appliance.store.versions import DOCUMENTS as DOCUMENT_TABLES
from appliance.whole_files import sync_folder

_WAIT_S = 1.0
_STAGING = ".restoring-"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done: `kept` is what was there before, `notes` are lines for the operator.

    `calls` is None where the archive was one of the databases only.
    """

    written: datetime
    calls: int | None
    kept: tuple[Path, ...]
    notes: tuple[str, ...]


def restore(
    archive: Path, config: Config, now: datetime, content: IO[bytes] | None = None
) -> Restored:
    """Restore an archive; `content` is it, where it is open already.

    Raises:
        StoreError: the agent runs, the archive is damaged or newer than this program, or the disk
            is full; then everything is as it was.
    """
    places = places_of(config)
    places.store.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=places.store.parent, prefix=_STAGING))
    carried, missing = _carried(places, config)
    try:
        with _alone(places.store), _alone(places.documents):
            contents = unpack(archive, staging, content)
            if not contents.has_store:
                raise StoreError(f"backup {archive}: there is no store in it")
            notes = [*missing, *_made_current(staging), *_put(carried, staging, config, now)]
            if contents.has_calls:
                (staging / CALLS).mkdir(exist_ok=True)  # also where it holds none
            kept = _swap(staging, places, now)
    except OSError as error:
        raise StoreError(f"restore: {error.filename}: {error.strerror}") from error
    finally:
        for each in places.store.parent.glob(f"{_STAGING}*"):  # also what a cut off one has left
            shutil.rmtree(each, ignore_errors=True)
    calls = contents.calls if contents.has_calls else None
    return Restored(contents.written, calls, tuple(kept), tuple(notes))


def _made_current(staging: Path) -> list[str]:
    """Migrate what was unpacked; returns what was done."""
    notes = []
    for name, chain in ((STORE, BOX), (DOCUMENTS, DOCUMENT_TABLES)):
        if (staging / name).exists():
            notes += _migrated(staging / name, chain)
    return notes


def _migrated(path: Path, chain: Chain) -> list[str]:
    database = Database(path)
    try:
        with database.writing() as session:
            steps = migrate(session.connection(), chain)
        return [f"migrated {path.name} to revision {each.revision}: {each.what}" for each in steps]
    except StoreError as error:
        raise StoreError(f"{path.name} of the backup: {error}") from error
    finally:
        database.close()


def _carried(places: Places, config: Config) -> tuple[Carried, list[str]]:
    """What of the store that is there must count in the restored one."""
    if not places.store.exists():
        return Carried(), ["there was no store: what was erased after the backup is not known"]
    try:
        tools = config.retention.stop_tools
        return read_carried(places.store, places.calls, tools), []
    except StoreError as error:
        return Carried(), [f"stop requests and erasures from after the backup are lost ({error})"]


def _put(carried: Carried, staging: Path, config: Config, now: datetime) -> list[str]:
    database = Database(staging / STORE)
    try:
        folder = staging / CALLS
        stops, erasures = put_carried(carried, database, folder, config.retention, now)
    finally:
        database.close()
    return [
        *([f"{stops} stop requests from after the backup count"] if stops else []),
        *([f"{erasures} erasures from after the backup were done again"] if erasures else []),
    ]


def _swap(staging: Path, places: Places, now: datetime) -> list[Path]:
    """Rename each thing into its place; returns what was there under its new name."""
    stamp = _free_stamp(places, now)
    things = [
        (staging / CALLS, places.calls),
        (staging / DOCUMENTS, places.documents),
        (staging / STORE, places.store),
    ]
    beside = [_moved_beside(staged, place) for staged, place in things]  # may copy between disks
    mark = restore_mark(places.store)
    os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o640))  # through no link
    kept = []
    for new, (_, place) in zip(beside, things, strict=True):
        if new is not None:
            kept += _replaced(new, place, stamp)
    for folder in {place.parent for _, place in things}:
        sync_folder(folder)
    mark.unlink()
    return kept


def _free_stamp(places: Places, now: datetime) -> str:
    """A time that nothing was kept under before."""
    stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    every = (places.store, places.documents, places.calls)
    while any(_before(place, stamp).exists() for place in every):
        stamp += "+"
    return stamp


def _before(place: Path, stamp: str) -> Path:
    return place.with_name(f"{place.name}.before-restore-{stamp}")


def _moved_beside(staged: Path, place: Path) -> Path | None:
    """Bring it to the disk that it is for; None: it is not in the archive."""
    if not staged.exists():
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.restored")
    if new.is_dir():
        shutil.rmtree(new)
    shutil.move(staged, new)
    return new


def _replaced(new: Path, place: Path, stamp: str) -> list[Path]:
    """Put it there; what was there keeps its content under another name."""
    before = _before(place, stamp)
    for ending in BESIDE:  # only there if the database is broken: it belongs to it
        log = place.with_name(f"{place.name}{ending}")
        if log.exists():
            log.rename(before.with_name(f"{before.name}{ending}"))
    was_there = place.exists()
    if was_there and place.is_dir():
        place.rename(before)
    elif was_there:
        os.link(place, before)  # so that there is no moment without a store
    new.replace(place)
    return [before] if was_there else []


@contextmanager
def _alone(store: Path) -> Iterator[None]:
    """Hold a database, all of it: no other program may have it open.

    SQLite leaves its log mode only for a connection that is alone; a running agent always has one.

    Raises:
        StoreError: somebody else has it open.
    """
    if not store.exists():
        yield
        return
    with closing(sqlite3.connect(store, timeout=_WAIT_S, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"restore: {store} is in use: stop the agent first (systemctl stop "
                "appliance-agent), and wait until other commands have ended"
            ) from error
        except sqlite3.DatabaseError:
            pass  # it is broken: nobody can be using it
        yield
