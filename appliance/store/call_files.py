"""The files of each call, and what they say of whose it was: for retention and erasure.

    calls/2026-11-23/KEY.events.jsonl + KEY.record.json ──> CallFiles(key, started, number, flows)

Only the first line of a log is read, unless more is asked for: there may be a million of them. A
log without a record belongs to a call that goes on, or that the next start finishes; it is never
removed here. Everything else in the folder is nobody's: it is reported and left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from appliance.errors import StoreError
from appliance.store.events import EVENTS_SUFFIX
from appliance.store.records import RECORD_SUFFIX

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PART = re.compile(r".*\.record(\.json)?\.\d+\.part")
_HANDOVER = '"t": "handover"'


@dataclass(frozen=True, slots=True)
class CallFiles:
    """What is on the disk of one call.

    Attributes:
        key: the call's.
        day: the folder that it lies in.
        started: when the call began; the day's midnight where nothing says it.
        number: the caller's as the line gave it; empty if unknown.
        flow: the flow that it began with; empty if unknown.
    """

    key: str
    day: Path
    started: datetime
    number: str
    flow: str

    @property
    def log(self) -> Path:
        """The event log; it may be missing."""
        return self.day / f"{self.key}{EVENTS_SUFFIX}"

    @property
    def record(self) -> Path:
        """The record; it may be missing."""
        return self.day / f"{self.key}{RECORD_SUFFIX}"

    @property
    def is_finished(self) -> bool:
        """Whether nobody has to do anything with the log any more."""
        return self.record.exists()

    def flows(self) -> frozenset[str]:
        """Every flow that the call was in; empty if that cannot be read."""
        try:
            with self.log.open(encoding="utf-8", errors="replace") as lines:
                later = [_parsed(line).get("flow") for line in lines if _HANDOVER in line]
        except OSError:
            later = []
        return frozenset(str(each) for each in (self.flow, *later) if each)

    def remove(self) -> int:
        """Remove both files; returns how many there were.

        The log goes first: a log without a record would be taken for a call that was cut off.

        Raises:
            StoreError: a file cannot be removed.
        """
        return sum(_remove(path) for path in (self.log, self.record))


def call_days(folder: Path) -> list[tuple[date, Path]]:
    """The folders of days, the oldest first."""
    try:
        names = sorted(each for each in folder.iterdir() if _DAY.fullmatch(each.name))
    except FileNotFoundError:
        return []
    return [(date.fromisoformat(each.name), each) for each in names if each.is_dir()]


def calls_of_day(day: date, folder: Path) -> Iterator[CallFiles]:
    """The calls of one day, by their keys."""
    names = [each.name for each in folder.iterdir()]
    keys = {name.removesuffix(suffix) for suffix in (EVENTS_SUFFIX, RECORD_SUFFIX)
            for name in names if name.endswith(suffix)}  # fmt: skip
    for key in sorted(keys):
        yield _call(key, day, folder)


def all_calls(folder: Path) -> Iterator[CallFiles]:
    """Every call that has files."""
    for day, path in call_days(folder):
        yield from calls_of_day(day, path)


def strays(folder: Path) -> tuple[list[Path], list[Path]]:
    """Halves of records that a crash left, and what is no file of a call at all."""
    days = {path for _, path in call_days(folder)}
    beside = sorted(folder.iterdir()) if folder.is_dir() else []
    halves, foreign = [], [path for path in beside if path not in days]
    for day in sorted(days):
        for path in sorted(day.iterdir()):
            if _PART.fullmatch(path.name):
                halves.append(path)
            elif not path.name.endswith((EVENTS_SUFFIX, RECORD_SUFFIX)):
                foreign.append(path)
    return halves, foreign


def _call(key: str, day: date, folder: Path) -> CallFiles:
    head = _head(folder / f"{key}{EVENTS_SUFFIX}") or _whole(folder / f"{key}{RECORD_SUFFIX}")
    try:
        started = datetime.fromisoformat(str(head.get("started")))
    except ValueError:
        started = datetime.combine(day, time())
    return CallFiles(
        key, folder, started.astimezone(), str(head.get("number") or ""),
        str(head.get("flow") or ""),
    )  # fmt: skip


def _head(log: Path) -> dict[str, Any]:
    """The first event; empty if there is none that can be read."""
    try:
        with log.open(encoding="utf-8", errors="replace") as lines:
            return _parsed(lines.readline())
    except OSError:
        return {}


def _whole(record: Path) -> dict[str, Any]:
    try:
        return _parsed(record.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be removed: {error.strerror}") from error
    return True
