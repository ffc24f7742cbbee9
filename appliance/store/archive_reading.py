"""Verifies and unpacks a backup: every file against its checksum, every database by SQLite itself.

    archive ── each file ──> sha256, size ──┐
               manifest (last of all) ──────┴─> the same files, the same sums, or StoreError

An archive may have been through other hands: only plain files of the names that we write are taken
out of it. Nothing is put in place here.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from appliance.errors import StoreError
from appliance.store.archives import DOCUMENTS, MANIFEST, STORE, VERIFYING, is_member

FORMAT = 1
_CHUNK = 1 << 20
_BROKEN = (OSError, EOFError, tarfile.TarError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds; `calls` counts logs, `size` bytes when unpacked.

    Without `has_calls` it is one of the databases only, and says nothing about calls.
    """

    program: str
    written: datetime
    calls: int
    size: int
    has_store: bool
    has_calls: bool


def verify(archive: Path, content: IO[bytes] | None = None) -> Contents:
    """Read all of it, as a restore would.

    Args:
        archive: the file; databases are unpacked beside it for a moment.
        content: it, where it is open already.

    Raises:
        StoreError: it is damaged, cut off, or no archive of ours.
    """
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=VERIFYING) as folder:
        return unpack(archive, Path(folder), content, calls=False)


def unpack(
    archive: Path, target: Path, source: IO[bytes] | None = None, *, calls: bool = True
) -> Contents:
    """Write the files of an archive below a folder, and check them.

    Args:
        archive: the file.
        target: an empty folder.
        source: the archive, where it is open already.
        calls: whether the files of calls are written too; they are checked in any case.

    Raises:
        StoreError: it is damaged, cut off, or no archive of ours; the folder is then of no use.
    """
    with (
        _errors(archive),
        gzip.open(source or archive) as raw,
        tarfile.open(fileobj=raw, mode="r|") as members,
    ):
        sums: dict[str, dict[str, str | int]] = {}
        told: dict[str, Any] = {}
        for member in members:
            if not member.isfile() or not is_member(member.name) or told:
                raise StoreError(f"backup {archive}: {member.name!r} does not belong in it")
            content = members.extractfile(member)
            assert content is not None  # it is a file
            if member.name == MANIFEST:
                told = _manifest(content.read(), archive)
            else:
                is_wanted = calls or "/" not in member.name
                path = target / member.name if is_wanted else None
                sums[member.name] = _copied(content, path, member.mtime)
        while raw.read(_CHUNK):  # to gzip's own checksum, which stands at the end
            pass
    if not told:
        raise StoreError(f"backup {archive}: it is cut off: its end is missing")
    _compare(sums, told["files"], archive)
    for name in (STORE, DOCUMENTS):
        if name in sums:
            check_database(target / name, f"backup {archive}: {name}: ")
    return Contents(
        program=str(told.get("program", "")),
        written=datetime.fromisoformat(told["written"]),
        calls=sum(1 for name in sums if name.endswith(".jsonl")),
        size=sum(int(each["size"]) for each in sums.values()),
        has_store=STORE in sums,
        has_calls=bool(told["calls"]),
    )


def check_database(path: Path, where: str = "") -> None:
    """Let SQLite look at every page of a database that nobody writes to.

    Raises:
        StoreError: it is damaged; the text says how.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            said = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.Error as error:
        raise StoreError(f"{where}{error}") from error
    if said != ["ok"]:
        raise StoreError(f"{where}damaged: {'; '.join(said)}")


def _copied(content: IO[bytes], path: Path | None, changed: float) -> dict[str, str | int]:
    """Copy to a path, if there is one; the checksum and size of what was read."""
    sha, size = hashlib.sha256(), 0
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    with (path or Path(os.devnull)).open("wb") as file:
        while chunk := content.read(_CHUNK):
            sha.update(chunk)
            size += len(chunk)
            file.write(chunk)
        if path is not None:
            file.flush()
            os.fsync(file.fileno())
    if path is not None:
        path.chmod(0o640)
        os.utime(path, (changed, changed))
    return {"sha256": sha.hexdigest(), "size": size}


def _manifest(content: bytes, archive: Path) -> dict[str, Any]:
    try:
        told = json.loads(content)
        found = told["format"]
        datetime.fromisoformat(told["written"])
        bool(told["calls"]), dict(told["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"backup {archive}: its manifest cannot be read") from error
    if found != FORMAT:
        raise StoreError(f"backup {archive}: written by another program, in format {found}")
    return dict(told)


def _compare(sums: dict[str, Any], listed: dict[str, Any], archive: Path) -> None:
    wrong = sorted(name for name in sums.keys() | listed.keys()
                   if sums.get(name) != listed.get(name))  # fmt: skip
    if wrong:
        raise StoreError(
            f"backup {archive}: {wrong[0]} is not what was written"
            + (f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else "")
        )


@contextmanager
def _errors(archive: Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        said = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"backup {archive}: cannot be read: {said}") from error
