"""kill -9 at any moment of what changes data as a whole: nothing is half done that matters."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.config import load_config
from appliance.errors import StoreError
from appliance.store.archive_reading import check_database, verify
from appliance.store.archive_writing import write_archive
from appliance.store.archives import archives, places_of
from appliance.store.checking import check_all
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database, restore_mark
from appliance.store.erasure import Eraser
from appliance.store.migrating import migrate_all
from appliance.store.people import person
from appliance.store.restoring import restore
from appliance.store.retention import Retention
from appliance.store.stops import Stops
from appliance.store.versions import BOX
from tests.store.boxes import JOHN, MARIA, NOW, STOP, box_at, live, opened, undo_migrations

LONG = [pytest.mark.slow, pytest.mark.timeout(900)]
TIMES = pytest.mark.parametrize("times", [2, pytest.param(40, marks=LONG)])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A box with two people that is copied for each kill."""
    folder = tmp_path / "model"
    folder.mkdir()
    box = box_at(folder)
    for name, number in (("Maria", MARIA), ("John", JOHN)):
        live(box, number, name, 30 if name == "Maria" else 31)
        box.act(f"call-{name}", STOP, number, 30)
    write_archive(places_of(box.config), box.config.backup.folder, NOW)
    Customers(box.database).put([Customer("1", "after the backup")])
    box.database.close()
    return folder


class Storm:
    """Runs something in a process of its own again and again, and kills it at random moments."""

    def __init__(self, model: Path, work: Callable[[Path], None]) -> None:
        self._model, self._work = model, work
        self._dice = random.Random(7)
        began = time.monotonic()
        self._child(self._copy(0), kill_after_s=None)
        self._length_s = time.monotonic() - began

    def folders(self, times: int) -> list[Path]:
        """Boxes whose process was killed."""
        made = []
        for number in range(1, times + 1):
            folder = self._copy(number)
            self._child(folder, self._dice.uniform(0, self._length_s))
            made.append(folder)
        return made

    def _copy(self, number: int) -> Path:
        folder = self._model.parent / f"box{number}"
        shutil.copytree(self._model, folder)
        return folder

    def _child(self, folder: Path, kill_after_s: float | None) -> None:
        child = os.fork()
        if child == 0:  # nothing of the tests may run here
            code = 1
            try:
                self._work(folder)
                code = 0
            finally:
                os._exit(code)
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert kill_after_s is not None or status == 0


@TIMES
def test_backup(model: Path, times: int) -> None:
    def work(folder: Path) -> None:
        config = load_config(folder / "appliance.toml")
        write_archive(places_of(config), config.backup.folder, NOW + timedelta(minutes=1))

    for folder in Storm(model, work).folders(times):
        config = load_config(folder / "appliance.toml")
        for each in archives(config.backup.folder):
            verify(each.path)
        check_database(config.record.store)
        work(folder) if len(archives(config.backup.folder)) == 1 else None
        left = [each.name for each in config.backup.folder.glob(".*") if each.name != ".lock"]
        assert len(archives(config.backup.folder)) == 2
        assert not [name for name in left if name.endswith(".part")]


@TIMES
def test_erasure(model: Path, times: int) -> None:
    def work(folder: Path) -> None:
        box = opened(folder)
        retention = box.config.retention
        Eraser(box.database, box.config.record.folder, retention, NOW).erase(person(MARIA))

    for folder in Storm(model, work).folders(times):
        box = opened(folder)
        began = box.count("erasures") == 1
        Retention(box.database, box.config, NOW).run()
        whole = {"bookings": 2, "papers": 6, "conversations": 2, "actions": 4, "text_runs": 2}
        left = {table: box.count(table) for table in whole}
        assert left == ({t: n // 2 for t, n in whole.items()} if began else whole)
        assert len(box.files()) == (2 if began else 4)
        assert box.count("stops") == 2
        assert MARIA[1:] not in {each.number for each in Customers(box.database).all()} or not began
        box.database.close()


@TIMES
def test_retention(model: Path, times: int) -> None:
    later = NOW + timedelta(days=1000)

    def work(folder: Path) -> None:
        box = opened(folder)
        Retention(box.database, box.config, later).run(clock_is_right=True)

    for folder in Storm(model, work).folders(times):
        box = opened(folder)
        assert not check_all(box.config, deep=True)[0].problems
        Retention(box.database, box.config, later).run(clock_is_right=True)
        assert box.files() == []
        assert {t for t in box.counts() if not t.startswith(("calendar", "store"))} == {
            "stops", "customers", "sweeps",
        }  # fmt: skip
        assert box.count("stops") == 2
        box.database.close()


@TIMES
def test_migration(model: Path, times: int) -> None:
    box = opened(model)
    undo_migrations(box)
    box.database.close()

    def work(folder: Path) -> None:
        migrate_all(load_config(folder / "appliance.toml"), NOW + timedelta(minutes=1))

    for folder in Storm(model, work).folders(times):
        box = opened(folder)
        version = box.database.version(BOX)
        assert version is not None
        assert version.revision in (0, BOX.head)
        work(folder)
        assert not check_all(box.config, deep=True)[0].problems
        assert len(Customers(box.database).all()) == 3
        box.database.close()


@TIMES
def test_restore(model: Path, times: int) -> None:
    box = opened(model)
    box.act("after", STOP, "+12125550100", 0)
    box.database.close()

    def work(folder: Path) -> None:
        config = load_config(folder / "appliance.toml")
        restore(archives(config.backup.folder)[0].path, config, NOW + timedelta(minutes=1))

    for folder in Storm(model, work).folders(times):
        config = load_config(folder / "appliance.toml")
        if restore_mark(config.record.store).exists():
            with pytest.raises(StoreError, match="a restore was cut off"):
                Database(config.record.store)
        else:
            database = Database(config.record.store)
            assert len(Customers(database).all()) in (2, 3)  # as it was, or as it is to be
            database.close()
        work(folder)
        box = opened(folder)
        assert len(Customers(box.database).all()) == 2
        assert {each.number for each in Stops(box.database).all()} >= {"12125550100"}
        assert len(box.files()) == 4
        assert not list(folder.glob(".restoring-*"))
        assert not check_all(config, deep=True)[0].problems
        box.database.close()
        assert not restore_mark(config.record.store).exists()
