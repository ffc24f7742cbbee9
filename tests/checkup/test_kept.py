import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from appliance.checkup.finding import Status
from appliance.checkup.kept import check_backups, check_store
from appliance.config import Config, parse_config
from appliance.store.actions import ActionStore
from appliance.store.archives import archive_name
from appliance.store.database import Database

NOW = datetime.fromisoformat("2026-11-20T10:00:00-08:00")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    sections = {"record": {"store": "a.sqlite"}, "backup": {"folder": "backups"}}
    return parse_config(sections, tmp_path / "a.toml")


def test_store_before_the_first_start(config: Config) -> None:
    (found,) = check_store(config)
    assert found.status is Status.SKIPPED
    assert check_backups(config, NOW)[0].status is Status.SKIPPED


def test_store_in_use_is_looked_at_and_left_alone(config: Config) -> None:
    database = Database(config.record.store)
    ActionStore(database)
    with database.writing():
        (found,) = check_store(config)
    database.close()
    assert found.status is Status.OK


def test_damaged_store_is_found(config: Config) -> None:
    path = config.record.store
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (x)")
        made.executemany("INSERT INTO t VALUES (?)", [("y" * 900,)] * 200)
    made.close()
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    path.write_bytes(data)
    (found,) = check_store(config)
    assert (found.status, "restore" in found.remedy) == (Status.FAIL, True)
    path.write_bytes(b"no database at all, but long enough to be looked at" * 30)
    assert check_store(config)[0].status is Status.FAIL


def place(config: Config, hours: int, *, before_migration: bool = False) -> None:
    """An archive by its name: copying one elsewhere and back makes it no newer."""
    name = archive_name(NOW - timedelta(hours=hours), before_migration=before_migration)
    (config.backup.folder / name).touch()


def test_age_of_the_newest_backup(config: Config) -> None:
    config.record.store.touch()
    assert check_backups(config, NOW)[0].status is Status.WARN
    config.backup.folder.mkdir()
    (config.backup.folder / ".lock").touch()  # a backup was begun, and failed
    assert check_backups(config, NOW)[0].status is Status.WARN
    (config.backup.folder / "a note of mine.txt").touch()
    place(config, 1, before_migration=True)  # of the databases only
    assert check_backups(config, NOW)[0].status is Status.WARN
    for hours, status in ((100, Status.WARN), (20, Status.OK)):
        place(config, hours)
        (found,) = check_backups(config, NOW)
        assert (found.status, f"{hours} hours" in found.seen) == (status, True)
