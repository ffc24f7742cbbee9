"""The data's disk fills up or breaks under a call: nothing is confirmed that is not stored."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.actions import host as host_module
from appliance.actions import wrapup as wrapup_module
from appliance.actions.host import ActionHost
from appliance.actions.settling import SETTLE, Settle
from appliance.actions.wrapup import WrapUps
from appliance.errors import StoreError
from appliance.session.afterwards import finish_call
from appliance.store.actions import ActionStore
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from appliance.store.events import EventLog, read_events
from appliance.store.outbox import Outbox
from appliance.store.records import record_path, recover_records
from appliance.testing.storm.stored import complaints
from tests.actions.test_settling import OVER
from tests.fault.disks import BreakingDisk, Disk, breaking_disk, small_disk
from tests.session.conftest import placed
from tests.store.asking import MONDAY, ask

DIES = """
import os, signal, sys
from pathlib import Path
from appliance.store.database import Database
from appliance.store.actions import ActionStore
from tests.store.asking import ask
ledger = ActionStore(Database(Path(sys.argv[1])))
for number in range(int(sys.argv[2])):
    ledger.add(ask(f"c{number}:1:x"))
    print(number, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "data") as disk:
        yield disk


@pytest.fixture
def breaking(tmp_path: Path) -> Iterator[BreakingDisk]:
    with breaking_disk(tmp_path / "data") as disk:
        yield disk


async def reach_the_last_question(trial: Any) -> None:
    await trial.listens()
    await trial.says("yes this is maria")
    await trial.listens()
    await trial.says("nine zero two one zero")
    await trial.listens()
    await trial.says("i can pay two hundred dollars on march thirty first")
    await trial.listens()


def test_promise_on_a_full_disk_is_not_confirmed_and_the_log_is_whole(disk: Disk) -> None:
    async def call() -> None:
        async with placed(disk.folder) as trial:
            await reach_the_last_question(trial)
            disk.fill()
            await trial.says("yes that's right")
            await trial.listens()
            assert trial.line.is_down
            assert trial.actions() == []
            disk.free()
            trial.services.actions.catch_up()
            assert not trial.services.actions.behind
        assert "not_noted" in trial.prompts()
        assert "promise_set" not in trial.prompts()
        assert trial.prompts()[-1] == "nobody_free_at_all"  # a polite end
        outcomes = {each["name"]: each["outcome"] for each in trial.events("action")}
        assert outcomes["create_promise_to_pay"] == "failed"
        assert trial.record()["ended_by"] == "agent"

    asyncio.run(call())
    assert complaints(disk.folder / "x.sqlite") == []


def test_stop_request_on_a_full_disk_is_stored_when_there_is_room(disk: Disk) -> None:
    async def call() -> None:
        async with placed(disk.folder) as trial:
            await trial.listens()
            disk.fill()
            await trial.says("stop calling me")
            await trial.listens()
            assert trial.line.is_down
            disk.free()
            trial.services.actions.catch_up()
            assert trial.actions() == ["mark_do_not_contact"]
        assert "stop_passed_on" in trial.prompts()
        assert "stop_ack" not in trial.prompts()

    asyncio.run(call())


def test_call_that_ends_on_a_full_disk_is_recorded_when_there_is_room(disk: Disk) -> None:
    database = Database(disk.folder / "x.sqlite")
    ledger = ActionStore(database)
    wrap_ups = WrapUps({SETTLE: Settle(ActionHost(ledger), ledger)}, always=(SETTLE,))
    log = EventLog(disk.folder / "calls", "c1", MONDAY)
    log.write("call", 0, call="c1")
    disk.fill()
    log.write("heard", 1, text="x" * 70_000)  # longer than the room that was taken
    log.write("end", 2, outcome="user_ended", by="peer")
    finish_call(log, wrap_ups, (), OVER)
    assert not record_path(log.path).exists()
    wrap_ups.catch_up()  # there is still no room
    disk.free()
    wrap_ups.catch_up()
    assert not wrap_ups.behind
    assert [each["t"] for each in read_events(log.path)] == ["call", "heard", "end"]
    assert record_path(log.path).exists()
    assert list(disk.folder.rglob("*.part")) == []
    database.close()


def test_log_has_its_room_before_the_disk_is_full_and_gives_back_the_rest(disk: Disk) -> None:
    """A box that is killed now knows what the caller asked for."""
    log = EventLog(disk.folder / "calls", "c1", MONDAY)
    disk.fill()
    for number in range(100):
        log.write("begun", number, name="mark_do_not_contact", key=f"c1:{number}")
    assert len(read_events(log.path)) == 100
    taken = log.path.stat().st_blocks
    log.close()
    assert log.path.stat().st_blocks < taken


def test_call_that_can_have_no_log_is_not_begun(disk: Disk) -> None:
    """The agent refuses it (480): a PBX then knows another way."""
    disk.fill()
    with pytest.raises(StoreError, match="No space left"):
        EventLog(disk.folder / "calls", "c1", MONDAY)
    assert list(disk.folder.rglob("*.jsonl")) == []


def test_call_that_comes_to_a_broken_disk_is_not_begun(breaking: BreakingDisk) -> None:
    breaking.breaks()
    with pytest.raises(StoreError, match="Read-only"):
        EventLog(breaking.folder / "calls", "c1", MONDAY)


def test_start_on_a_full_disk_says_what_to_do(disk: Disk) -> None:
    """SQLite needs 32 KiB beside the database before it can even read it."""
    store = disk.folder / "x.sqlite"
    first = Database(store)
    ActionStore(first)
    first.close()
    disk.fill()
    with pytest.raises(StoreError, match=r"full|room"):
        start(store)
    disk.free()
    start(store)


def start(store: Path) -> None:
    database = Database(store)
    try:
        ActionStore(database)
    finally:
        database.close()


@pytest.mark.parametrize("leave_kib", [0, 4, 16, 64])
def test_booking_is_whole_or_refused_however_little_room_there_is(
    disk: Disk, leave_kib: int
) -> None:
    database = Database(disk.folder / "x.sqlite")
    Calendar(database)
    bookings = Bookings(database, ("webhook",))
    disk.fill(leave_kib)
    made = []
    for number in range(1, 12):
        try:
            bookings.book(ask(f"c{number}:1:b", number=str(number)), lambda: True)
        except StoreError:
            continue
        made.append(f"booking:c{number}:1:b")
    assert len(made) < 11
    disk.free()
    assert sorted(each.notice.key for each in Outbox(database).all()) == sorted(made)
    assert bookings.book(ask("last:1:b", number="99"), lambda: True) not in ("full", "withdrawn")
    database.close()
    assert complaints(disk.folder / "x.sqlite") == []


def test_what_was_stored_outlives_a_kill_on_a_disk_that_fills_up(disk: Disk) -> None:
    store = disk.folder / "x.sqlite"
    Database(store).close()
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(store), "30"], capture_output=True, text=True,
        cwd=Path(__file__).parents[2], check=False,
    )  # fmt: skip
    said = [int(line) for line in died.stdout.split()]
    disk.fill()
    database = Database(store)  # the start of a box whose disk is full
    ledger = ActionStore(database)
    assert all(ledger.of_call(f"c{number}") for number in said)
    assert len(said) == 30
    database.close()


def test_promise_on_a_broken_disk_is_not_confirmed(breaking: BreakingDisk) -> None:
    calls: list[Any] = []

    async def call() -> None:
        async with placed(breaking.folder) as trial:
            calls.append(trial)
            await reach_the_last_question(trial)
            breaking.breaks()
            await trial.says("yes that's right")
            await trial.listens()
            assert trial.line.is_down
            assert ("create_promise_to_pay", "failed") in trial.session._dialogue.deeds.done

    with pytest.raises(StoreError, match="Read-only"):  # its log cannot be closed
        asyncio.run(call())
    calls[0].services.close()


def test_confirmed_before_the_disk_broke_is_there_after_the_next_boot(
    breaking: BreakingDisk,
) -> None:
    store, calls = breaking.folder / "x.sqlite", breaking.folder / "calls"
    database = Database(store)
    ledger = ActionStore(database)
    log = EventLog(calls, "c1", MONDAY)
    log.write("call", 0, call="c1")
    for number in range(20):
        assert ledger.add(ask(f"c{number}:1:x"))
    breaking.breaks()
    with pytest.raises(StoreError):
        ledger.add(ask("c20:1:x"))
    log.write("end", 1)  # never raises
    with pytest.raises(StoreError, match="Read-only"):
        log.close()
    os.close(log._file)
    database.close()
    breaking.mended()
    assert complaints(store) == []
    with sqlite3.connect(store) as link:
        (count,) = link.execute("SELECT count(*) FROM actions").fetchone()
    link.close()
    assert count == 20
    recover_records(calls)
    for each in calls.glob("*/*.events.jsonl"):
        assert record_path(each).exists()


def test_box_on_a_disk_that_is_read_only_says_what_to_do(breaking: BreakingDisk) -> None:
    store = breaking.folder / "x.sqlite"
    Database(store).close()
    breaking.breaks()
    with pytest.raises(StoreError, match="may this user write"):
        start(store)
