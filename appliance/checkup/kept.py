"""What the box keeps: is the database whole, and how old is the last backup?

Looked at beside a running agent: the database is opened for reading only, as SQLite allows.
"""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

from appliance.checkup.finding import Finding, fail, ok, skipped, warn
from appliance.config import Config
from appliance.store.archives import backups

STORE, BACKUPS = "store", "backups"
_OLD = timedelta(hours=49)  # made each night: one may fail before somebody is told


def check_store(config: Config) -> list[Finding]:
    """Does SQLite find its file whole?"""
    path = config.record.store
    if not path.exists():
        return [skipped(STORE, f"{path}: not there yet; the first start makes it")]
    try:
        said = _quick_check(path)
    except sqlite3.Error as error:
        return [fail(
            STORE, f"{path}: {error}",
            "run this as root; if it stays: appliance backup list, then appliance restore FILE",
        )]  # fmt: skip
    if said != "ok":
        return [fail(
            STORE, f"{path} is damaged: {said.splitlines()[0]}",
            "stop the box, then restore the last backup: appliance backup list, appliance restore",
        )]  # fmt: skip
    return [ok(STORE, f"{path}: whole ({path.stat().st_size / 1e6:.1f} MB)")]


def check_backups(config: Config, now: datetime) -> list[Finding]:
    """How old is the newest archive?"""
    folder = config.backup.folder
    if not config.record.store.exists():
        return [skipped(BACKUPS, "there is nothing to back up yet")]
    try:
        if folder.is_dir():
            os.scandir(folder).close()  # a folder that cannot be read is not an empty one
        found = backups(folder)
    except OSError as error:
        return [skipped(BACKUPS, f"{folder}: {error.strerror}: run this as root")]
    remedy = "appliance backup create; on an installed box: systemctl status appliance-backup.timer"
    if not found:
        return [warn(BACKUPS, f"there is none in {folder}", remedy)]
    age = now - found[-1].written
    seen = f"{len(found)} in {folder}, the newest {age.total_seconds() / 3600:.0f} hours old"
    return [warn(BACKUPS, seen, remedy) if age > _OLD else ok(BACKUPS, seen)]


def _quick_check(path: Path) -> str:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        rows = connection.execute("PRAGMA quick_check(5)").fetchall()
        return "\n".join(str(row[0]) for row in rows)
    finally:
        connection.close()
