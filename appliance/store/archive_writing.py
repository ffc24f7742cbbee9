"""Writes a backup while the agent runs.

    files of calls ─┐
    store ── copy ──┼─> appliance-….tar.gz.part ── sync ── verify ── rename ──> appliance-….tar.gz
    documents ─copy─┘                                                             └─ prune

The files of calls come first, the store after them: a record is written once all of its call is
stored, so whatever has a record in the archive is in its store as well. A call that goes on has a
log without a record in it, and is finished after a restore as it would be after a crash. The copies
of databases are SQLite's own online backups: they wait for nobody and nobody waits for them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from appliance.errors import StoreError
from appliance.store.archive_reading import FORMAT, check_database, verify
from appliance.store.archives import (
    CALLS,
    DOCUMENTS,
    MANIFEST,
    STORE,
    Places,
    archive_name,
    is_member,
    part_of,
    writing_into,
)
from appliance.store.call_files import call_days
from appliance.whole_files import sync_folder


def write_archive(
    places: Places, folder: Path, now: datetime, *, before_migration: bool = False
) -> Path:
    """Write an archive, verify it, and only then give it its name.

    Before a migration it is one of the databases only: the files of calls are not touched by it,
    and there may be a million of them.

    Raises:
        StoreError: a database is damaged, the disk is full, or what was written cannot be read
            back; nothing is left of it.
    """
    name = archive_name(now, before_migration=before_migration)
    calls = None if before_migration else list(_files_of_calls(places.calls))
    with writing_into(folder):
        _assert_room(places, calls or (), folder)
        part = part_of(folder, name)
        try:
            private = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(private, "wb") as file:
                _fill(file, places, calls, folder, now)
                file.flush()
                os.fsync(file.fileno())
            verify(part)
            part.rename(folder / name)
            sync_folder(folder)
        except (OSError, sqlite3.Error, tarfile.TarError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise StoreError(f"backup: {folder / name} cannot be written: {said}") from error
        finally:
            part.unlink(missing_ok=True)
    return folder / name


def _fill(
    file: Any, places: Places, calls: Sequence[tuple[str, Path]] | None, folder: Path, now: datetime
) -> None:
    listed: dict[str, dict[str, str | int]] = {}
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive:

        def add(name: str, size: int, changed: float, content: Any) -> None:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = size, int(changed), 0o600
            digest = _Digest(content)
            archive.addfile(entry, digest)
            listed[name] = {"sha256": digest.hexdigest(), "size": size}

        for name, path in calls or ():
            try:
                content, changed = _read(path)
            except FileNotFoundError:  # retention has just removed it
                continue
            add(name, len(content), changed, io.BytesIO(content))
        for name, database in ((STORE, places.store), (DOCUMENTS, places.documents)):
            if database.exists():
                _add_database(add, name, database, part_of(folder, name))
        told = {
            "format": FORMAT, "program": version("voice-appliance"), "written": now.isoformat(),
            "calls": calls is not None, "files": listed,
        }  # fmt: skip
        content = json.dumps(told, indent=1).encode()
        add(MANIFEST, len(content), now.timestamp(), io.BytesIO(content))


def _read(path: Path) -> tuple[bytes, float]:
    """What is in a file, and when it was changed; never through a link, see `_files_of_calls`."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        return file.read(), os.fstat(file.fileno()).st_mtime


def _files_of_calls(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each with its name in the archive.

    No links: the folder is the service's, and root would put whatever they lead to into an archive
    that the service can read.
    """
    for _, day in call_days(folder):
        for path in sorted(day.iterdir()):
            if is_member(name := f"{CALLS}/{day.name}/{path.name}") and not path.is_symlink():
                yield name, path


def _add_database(add: Callable[..., None], name: str, database: Path, copy: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=rw", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            copy.chmod(0o600)
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, whole by itself
        check_database(copy, f"{database}: ")
        with copy.open("rb") as content:
            add(name, copy.stat().st_size, copy.stat().st_mtime, content)
    finally:
        copy.unlink(missing_ok=True)


def _assert_room(places: Places, calls: Sequence[tuple[str, Path]], folder: Path) -> None:
    """An agent that finds the disk full cannot keep what callers are told."""
    databases = sum(path.stat().st_size for path in (places.store, places.documents)
                    if path.exists())  # fmt: skip
    wanted = 2 * databases + sum(path.stat().st_size for _, path in calls if path.exists())
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise StoreError(
            f"backup: {folder} has {free >> 20} MB free, the archive may need {wanted >> 20}: "
            "make room, or name another folder as backup.folder"
        )


class _Digest(io.RawIOBase):
    """Reads from a file and counts its checksum on the way."""

    def __init__(self, content: Any) -> None:
        self._content, self._sha = content, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._content.read(size)
        self._sha.update(data)
        return data

    def hexdigest(self) -> str:
        return self._sha.hexdigest()
