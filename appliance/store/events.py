"""The event log of one call: JSON lines, append-only, whole under a kill at any moment.

A line is one `write` to a file opened for appending, so another process that reads sees whole
lines; a crash can truncate at most the last, which `read_events` leaves out. Room for the log is
taken before the call is answered, so a disk that fills up during it takes the log all the same;
should it be longer than that, lines wait in memory and are written with the next one.

What may be logged is decided before it gets here (`dialogue.redact`): no digits that a caller
said, no rendered prompt that names an account.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from appliance.errors import StoreError

EVENTS_SUFFIX = ".events.jsonl"
_ROOM_BYTES = 64 * 1024
"""More than nearly all logs have."""
_KEEP_SIZE = 1
"""FALLOC_FL_KEEP_SIZE of <linux/falloc.h>: the file stays as long as what was written."""
_UNABLE = (errno.EOPNOTSUPP, errno.ENOSYS)
_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
_log = structlog.get_logger()


class EventLog:
    """Writes one call's events; used from the event loop (a write to the page cache)."""

    def __init__(self, folder: Path, key: str, started: datetime) -> None:
        """Create the log in its day's folder.

        Raises:
            StoreError: the folder or file cannot be created.
        """
        self.path = folder / f"{started:%Y-%m-%d}" / f"{key}{EVENTS_SUFFIX}"
        self._waiting = b""
        self._failed = self._closed = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
            self._reserve()
        except OSError as error:
            raise StoreError(f"event log {self.path}: {error.strerror}") from error

    def _reserve(self) -> None:
        """Take the room, or leave nothing behind; raises OSError where there is none."""
        if not _libc.fallocate(self._file, _KEEP_SIZE, 0, _ROOM_BYTES):
            return
        code = ctypes.get_errno()
        if code not in _UNABLE:  # a file system that cannot, writes without
            os.close(self._file)
            self.path.unlink()
            raise OSError(code, os.strerror(code))

    def write(self, kind: str, at_ms: float, **fields: Any) -> None:
        """Append one event; `at_ms` counts from the start of the call. Never raises."""
        line = json.dumps({"t": kind, "ms": round(at_ms, 1), **fields}, ensure_ascii=False)
        self._waiting += line.encode() + b"\n"
        try:
            written = os.write(self._file, self._waiting)
        except OSError as error:
            if not self._failed:
                _log.error(
                    "event log not written; will retry", path=str(self.path), error=str(error)
                )
            self._failed = True
            return
        self._waiting = self._waiting[written:]
        self._failed = bool(self._waiting)

    def close(self) -> None:
        """Write what waits and force it to the disk; where it is closed, do nothing.

        Raises:
            StoreError: it could not be written. The file lacks its last lines; they still wait,
                and closing it can be tried again.
        """
        if self._closed:
            return
        try:
            while self._waiting:
                self._waiting = self._waiting[os.write(self._file, self._waiting) :]
            os.ftruncate(self._file, os.fstat(self._file).st_size)  # gives back what is left
            os.fsync(self._file)
        except OSError as error:
            raise StoreError(f"event log {self.path}: {error.strerror}") from error
        self._closed = True
        with contextlib.suppress(OSError):
            os.close(self._file)


def read_events(path: Path) -> list[dict[str, Any]]:
    """All whole events of a log; a truncated last line is left out.

    Raises:
        StoreError: the file cannot be read, or a line before the last is not JSON.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(f"event log {path}: {error.strerror}") from error
    events: list[dict[str, Any]] = []
    for number, line in enumerate(lines[:-1], 1):  # what follows the last newline is truncated
        try:
            event = json.loads(line)
        except ValueError as error:
            raise StoreError(f"event log {path}: line {number} is not JSON") from error
        if not isinstance(event, dict) or not {"t", "ms"} <= event.keys():
            raise StoreError(f"event log {path}: line {number} is not an event")
        events.append(event)
    return events
