"""The box's database under other processes, a lock that is held, and a disk that fills up."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import time
from pathlib import Path

import pytest

from appliance.actions import host as host_module
from appliance.actions.booking import BookService
from appliance.actions.host import ActionHost
from appliance.actions.requests import CALLBACK, KeepRequest
from appliance.actions.tools import DONE, FAILED, Claim, Result
from appliance.errors import StoreError
from appliance.store import database as database_module
from appliance.store.actions import ActionStore
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.calendar_windows import Hours
from appliance.store.customers import Customers
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.store.requests import Requests
from tests.store.asking import MONDAY, ask

ROOT = Path(__file__).resolve().parents[2]

FIGHTER = """
import sys
from appliance.errors import StoreError
from appliance.store.calendar_bookings import Booking, Bookings
from appliance.store.database import Database
from tests.store.asking import ask

bookings = Bookings(Database(__import__("pathlib").Path(sys.argv[1])))
print("ready", flush=True)
for line in sys.stdin:
    day, number = line.split()
    for attempt in range(20):  # a busy machine may hold the lock for longer than a wait
        try:
            made = bookings.book(ask(f"{number}-{day}:1:b", day, number=number), lambda: True)
            break
        except StoreError as error:
            made = str(error)
    print("won" if isinstance(made, Booking) else made, flush=True)
"""

FILLER = """
import json, resource, sys
from pathlib import Path
from appliance.errors import StoreError
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from tests.store.asking import ask

bookings = Bookings(Database(Path(sys.argv[1])))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
made, failed = [], 0
for number in range(60):
    try:
        bookings.book(ask(f"c{number}:1:b", number=str(number + 1)), lambda: True)
        made.append(f"c{number}:1:b")
    except StoreError:
        failed += 1
print(json.dumps([made, failed]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.sqlite"
    database = Database(path)
    Calendar(database)
    Bookings(database)
    Requests(database)
    ActionStore(database)
    database.close()
    return path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another connection holds the write lock, as another process would."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.05)
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)


def test_last_place_goes_to_one_of_two_processes(path: Path) -> None:
    """Twenty days with a single place each; both ask for each at the same moment."""
    database = Database(path)
    Calendar(database).set_hours(range(7), [
        Hours(weekday, time(8), time(10), minutes=120, capacity=1) for weekday in range(7)
    ])  # fmt: skip
    fighters = [
        subprocess.Popen(
            [sys.executable, "-c", FIGHTER, str(path)], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    try:
        for each in fighters:
            assert each.stdout.readline() == "ready\n"
        for number in range(1, 21):
            for who, each in enumerate(fighters, 1):
                each.stdin.write(f"2026-12-{number:02} {who}\n")
                each.stdin.flush()
            answers = sorted(each.stdout.readline().strip() for each in fighters)
            assert answers == ["full", "won"]
    finally:
        for each in fighters:
            each.communicate()
    assert len(Bookings(database).between(MONDAY.date(), MONDAY.date().replace(year=2027))) == 20
    assert len(Outbox(database).all()) == 20
    database.close()


@pytest.mark.usefixtures("impatient")
def test_booking_into_a_locked_database_has_failed(path: Path) -> None:
    database = Database(path)
    host = ActionHost(ActionStore(database), {"book_service": BookService(Bookings(database))})
    with locked(path):
        assert host.perform(ask(), Claim()) == Result(FAILED)
    host.close()
    assert Bookings(database).between(MONDAY.date(), MONDAY.date().replace(year=2027)) == []
    database.close()


@pytest.mark.usefixtures("impatient")
def test_callback_into_a_locked_database_is_stored_later(path: Path) -> None:
    database = Database(path)
    requests = Requests(database)
    tools = {"create_callback_request": KeepRequest(requests, CALLBACK)}
    host = ActionHost(ActionStore(database), tools)
    request = ask("c1:7:create_callback_request", callback_type="booking_failed")
    with locked(path):
        assert host.perform(request, Claim()) == Result(FAILED)
        late = Claim()
        late.give_up()
        other = ask("c2:7:create_callback_request")
        assert host.perform(other, late) == Result(FAILED)
        host.catch_up()
        assert host.behind
    assert host.perform(ask("c3:7:create_callback_request"), Claim()) == Result(DONE)
    assert not host.behind
    host.close()
    assert [each.call for each in requests.all()] == ["c1", "c2", "c3"]
    assert len(Outbox(database).all()) == 3
    assert ActionStore(database).of_call("c1") == []
    database.close()


@pytest.mark.usefixtures("impatient")
def test_locked_database_can_still_be_read(path: Path) -> None:
    """Who calls is known while another process writes."""
    database = Database(path)
    bookings, customers = Bookings(database), Customers(database)
    bookings.book(ask(), lambda: True)
    with locked(path):
        assert customers.find("13105550100")
        with pytest.raises(StoreError, match="locked"):
            bookings.book(ask("c2:1:b"), lambda: True)
    database.close()


@pytest.mark.parametrize("room_kb", [0, 8, 40, 120])
def test_full_disk_loses_nothing_that_was_confirmed(path: Path, room_kb: int) -> None:
    """Files may not grow beyond a size: every booking is whole, or was refused."""
    limit = path.stat().st_size + room_kb * 1024
    done = subprocess.run(
        [sys.executable, "-c", FILLER, str(path), str(limit)], cwd=ROOT, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    made, failed = json.loads(done.stdout)
    assert failed > 0
    database = Database(path)
    kept = Bookings(database).between(MONDAY.date(), MONDAY.date().replace(year=2027))
    assert sorted(each.key for each in kept) == sorted(made)
    assert sorted(each.notice.key for each in Outbox(database).all()) == [
        f"booking:{key}" for key in sorted(made)
    ]
    assert len(Customers(database).all()) == len(made)
    with database.reading() as session:
        check = session.connection().exec_driver_sql("PRAGMA integrity_check").scalar_one()
    assert check == "ok"
    assert Bookings(database).book(ask("z:1:b", number="999"), lambda: True) != "full"
    database.close()
