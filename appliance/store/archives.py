"""Backups of a box: archives in a folder.

    appliance-20261123T021500Z.tar.gz                   by hand or nightly: databases and calls
    appliance-20261123T021500Z-before-migration.tar.gz  before tables are changed: databases only

`archive_writing` writes one, `archive_reading` verifies and unpacks one, `restoring` puts it in
place. An archive holds personal data as they are, so it is readable by its owner only; it is not
encrypted.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from appliance.config import Config
from appliance.errors import StoreError
from appliance.sections import BackupConfig

MANIFEST = "manifest.json"
STORE, DOCUMENTS, CALLS = "appliance.sqlite", "documents.sqlite", "calls"
"""The names of things in an archive, whatever they are called on the box."""

_MEMBER = re.compile(
    r"appliance\.sqlite|documents\.sqlite|manifest\.json"
    r"|calls/\d{4}-\d\d-\d\d/[A-Za-z0-9_.@+-]{1,200}\.(events\.jsonl|record\.json)"
)
_NAME = re.compile(r"appliance-(\d{8}T\d{6}Z)(-before-migration)?\.tar\.gz")
_STAMP = "%Y%m%dT%H%M%SZ"
_PART = ".part"
VERIFYING = ".verify-"
"""What folders begin with that an archive is unpacked into to look at it."""
_FORGOTTEN_S = 86400


@dataclass(frozen=True, slots=True)
class Places:
    """Where a box keeps what is backed up; the names that a configuration gives."""

    store: Path
    documents: Path
    calls: Path


def places_of(config: Config) -> Places:
    """Where this configuration has its data."""
    return Places(config.record.store, config.documents.store, config.record.folder)


def is_member(name: str) -> bool:
    """Whether something of that name belongs into an archive."""
    return _MEMBER.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive in the folder; `size` in bytes."""

    path: Path
    written: datetime
    before_migration: bool
    size: int


def archives(folder: Path) -> list[Archive]:
    """Those in a folder, the oldest first; names say what they are, nothing is opened."""
    found = []
    for path in folder.glob("appliance-*.tar.gz") if folder.is_dir() else ():
        if (named := _NAME.fullmatch(path.name)) is not None:
            written = datetime.strptime(named[1], _STAMP).replace(tzinfo=UTC).astimezone()
            found.append(Archive(path, written, named[2] is not None, path.stat().st_size))
    return sorted(found, key=lambda each: (each.written, each.path.name))


def backups(folder: Path) -> list[Archive]:
    """Those that hold all of a box, the oldest first: what the age of the backup is told by."""
    return [each for each in archives(folder) if not each.before_migration]


def archive_name(now: datetime, *, before_migration: bool) -> str:
    """What an archive of that moment is called."""
    kind = "-before-migration" if before_migration else ""
    return f"appliance-{now.astimezone(UTC):{_STAMP}}{kind}.tar.gz"


def prune(config: BackupConfig) -> list[Path]:
    """Remove archives beyond those that are kept, the oldest first; returns their paths.

    Raises:
        StoreError: one cannot be removed.
    """
    every = archives(config.folder)
    usual = [each for each in every if not each.before_migration][: -config.keep]
    before = [each for each in every if each.before_migration][: -config.keep_before_migration]
    removed = [each.path for each in (*usual, *before)]
    for path in removed:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"backup: {path} cannot be removed: {error.strerror}") from error
    return removed


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """Hold the folder: one backup at a time. What a killed one left behind is removed.

    Raises:
        StoreError: the folder cannot be used, or another backup is being written.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, mode=0o700)
        lock = _opened(folder / ".lock")
    except OSError as error:
        raise StoreError(
            f"backup: {folder} cannot be used ({error.strerror}): name another one as "
            "backup.folder, or let this user write to it"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreError(f"backup: another one is being written into {folder}") from error
        for path in folder.glob(f".*{_PART}"):
            path.unlink(missing_ok=True)
        for path in folder.glob(f"{VERIFYING}*"):
            if path.stat().st_mtime < time.time() - _FORGOTTEN_S:  # nobody is at it any more
                shutil.rmtree(path, ignore_errors=True)
        yield


def _opened(lock: Path) -> IO[bytes]:
    """A file to lock; never through a link: root would empty whatever the service points it at."""
    return os.fdopen(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb")


def part_of(folder: Path, name: str) -> Path:
    """Where a file is written that is not whole yet; hold the folder."""
    return folder / f".{name}{_PART}"
