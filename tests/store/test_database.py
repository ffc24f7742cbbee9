"""The box's database itself: what it says when it cannot be used, and what reading needs."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.errors import StoreError
from appliance.store import database as database_module
from appliance.store.actions import ActionStore
from appliance.store.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    database = Database(tmp_path / "x.sqlite")
    ActionStore(database)
    database.close()
    return tmp_path / "x.sqlite"


@pytest.fixture
def locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield path
    other.close()


def test_reading_needs_no_write_lock(locked: Path) -> None:
    database = Database(locked)
    assert ActionStore(database).of_call("abc") == []
    database.close()


def test_a_locked_database_says_what_to_do(locked: Path) -> None:
    database = Database(locked)
    with pytest.raises(StoreError) as error, database.writing():
        pass
    assert str(error.value) == (
        f"store {locked}: database is locked: another program writes to it for too long;"
        " try again when that has ended"
    )
    database.close()


def test_a_file_that_is_no_database_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"no database" * 500)
    with pytest.raises(StoreError, match="not a database: name another file"):
        Database(tmp_path / "x.sqlite")
