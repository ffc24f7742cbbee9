"""A call is settled when what it decided is stored; a stop request outlives a crash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.actions import host as host_module
from appliance.actions import wrapup as wrapup_module
from appliance.actions.host import ActionHost
from appliance.actions.settling import SETTLE, STOP, Settle
from appliance.actions.tools import Claim
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.errors import StoreError
from appliance.session.afterwards import over_of_record
from appliance.store import database as database_module
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.store.events import EventLog
from appliance.store.records import recover_records
from tests.fault.test_store_contention import locked
from tests.store.asking import ask

OVER = CallOver(
    call="c1", number="+13105550100", flow="collections", outcome="cease_contact",
    ended_by="agent", started=datetime(2026, 11, 23, 9, tzinfo=UTC), language="en", turns=1,
)  # fmt: skip
KEY = f"c1:2:{STOP}"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)


class Box:
    """The parts of a box that keep what calls decide."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "x.sqlite"
        self.database = Database(self.store)
        self.ledger = ActionStore(self.database)
        self.host = ActionHost(self.ledger)
        self.wrap_ups = WrapUps({SETTLE: Settle(self.host, self.ledger)}, always=(SETTLE,))

    def recover(self, calls: Path) -> None:
        """What the agent does at its start."""

        def settle(record: dict[str, object], log: Path) -> bool:
            self.wrap_ups.run((), over_of_record(record))
            return True

        recover_records(calls, settle)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.database.close()


def test_no_record_while_something_of_the_call_waits_to_be_stored(box: Box) -> None:
    recorded: list[str] = []
    with locked(box.store):
        box.host.perform(ask(KEY), Claim())
        box.wrap_ups.run((), OVER, lambda: recorded.append("c1"))
        box.wrap_ups.run((), replace(OVER, call="c2"), lambda: recorded.append("c2"))
        assert recorded == ["c2"]  # nothing of that one waits
    box.host.catch_up()
    box.wrap_ups.catch_up()
    assert recorded == ["c2", "c1"]
    assert [each["key"] for each in box.ledger.of_call("c1")] == [KEY]


def cut_off(folder: Path, *outcomes: str) -> Path:
    """The calls of a box that died after a stop request was begun."""
    log = EventLog(folder / "calls", "c1", OVER.started)
    log.write("call", 0, call="c1", started=OVER.started.isoformat(), number=OVER.number,
              flow="collections", wrap_up=[])  # fmt: skip
    log.write("begun", 900, name=STOP, key=KEY)
    for outcome in outcomes:
        log.write("action", 990, name=STOP, key=KEY, outcome=outcome)
    return folder / "calls"


@pytest.mark.parametrize("outcomes", [(), ("failed",)])
def test_stop_request_that_a_crash_cut_off_is_stored_at_the_next_start(
    box: Box, tmp_path: Path, outcomes: tuple[str, ...]
) -> None:
    calls = cut_off(tmp_path, *outcomes)
    for _ in range(2):  # another crash, another start
        box.recover(calls)
        next(calls.glob("*/*.record.json")).unlink()
    (kept,) = box.ledger.of_call("c1")
    assert kept["key"] == KEY


def test_stop_request_that_was_stored_before_the_crash_is_not_stored_again(
    box: Box, tmp_path: Path
) -> None:
    box.ledger.add(ask(KEY))
    box.recover(cut_off(tmp_path))
    assert len(box.ledger.of_call("c1")) == 1


def test_nothing_else_is_done_again(box: Box) -> None:
    box.wrap_ups.run((), replace(OVER, recovered=True,
                                 unsettled=(("create_promise_to_pay", "c1:2:x"),)))  # fmt: skip
    assert box.ledger.of_call("c1") == []


def test_a_store_that_refuses_a_recovered_stop_request_is_asked_again(box: Box) -> None:
    recovered, recorded = replace(OVER, recovered=True, unsettled=((STOP, KEY),)), []
    with locked(box.store):
        box.wrap_ups.run((), recovered, lambda: recorded.append(1))
        assert recorded == []
    box.wrap_ups.catch_up()
    assert recorded == [1]
    assert len(box.ledger.of_call("c1")) == 1


def test_what_follows_is_tried_again_where_the_disk_refuses_it(box: Box) -> None:
    asked: list[int] = []

    def record() -> None:
        asked.append(1)
        if len(asked) < 3:
            raise StoreError("no space left on device")

    box.wrap_ups.run((), OVER, record)
    assert box.wrap_ups.behind
    box.wrap_ups.catch_up()
    box.wrap_ups.catch_up()
    assert not box.wrap_ups.behind
    assert len(asked) == 3
