"""A whole box has no violation; each way of breaking it is seen, by the rule that it breaks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.actions.tools import Request
from appliance.store.actions import ActionStore
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from appliance.store.events import EventLog
from appliance.store.outbox import Outbox
from appliance.store.papers import CARD, Papers
from appliance.store.records import write_record
from appliance.store.requests import Requests
from appliance.testing.storm.callers import Told
from appliance.testing.storm.errands import CALLBACK, ERRANDS, PROMISE, STOP, VISIT
from appliance.testing.storm.invariants import Scene, violations

AT = datetime(2026, 11, 23, 7, tzinfo=UTC)
VISIT_ARGS = {"preferred_time": "soonest", "confirmed": "true"}


class Box:
    """A promise, a stop request, a callback and a booking, by a call each, as a box keeps them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls, self.store = folder, folder / "calls", folder / "x.sqlite"
        self.database = Database(self.store)
        Calendar(self.database)
        self.told: list[Told] = []
        self.words = ""
        actions = ActionStore(self.database)
        actions.add(self.call("c1", "collections", PROMISE, "promise_set"))
        actions.add(self.call("c2", "collections", STOP, "stop_ack"))
        requests = Requests(self.database, ("webhook",))
        requests.add(self.call("c3", "booking", CALLBACK, "callback_promised"), "callback")
        bookings = Bookings(self.database, ("webhook",))
        bookings.book(self.call("c4", "booking", VISIT, "booked"), lambda: True)
        outbox = Outbox(self.database)
        while parcel := outbox.lease("webhook", AT, 30):
            outbox.delivered(parcel, AT)
        self.arrived = {each.notice.key: 1 for each in outbox.all()}

    def call(self, call: str, flow: str, tool: str, prompt: str, **more: Any) -> Request:
        """One that did this and said so, with its record and card; `more`: of what was heard."""
        cards = ["booking_card"] if flow == "booking" else []
        key = f"{call}:2:{tool}"
        log = EventLog(self.calls, call, AT)
        log.write("call", 0, call=call, sip_call_id=f"sip-{call}", flow=flow, wrap_up=cards)
        log.write("heard", 500, text="…", **more)
        log.write("begun", 900, name=tool, key=key)
        done = "booked" if tool == VISIT else "done"
        log.write("action", 1000, name=tool, key=key, outcome=done)
        log.write("turn", 1001, turn=2, prompts=[prompt])
        log.write("end", 2000, outcome="ended", by="agent")
        log.close()
        write_record(log.path)
        for _ in cards:
            Papers(self.database, CARD).put(call, AT, {})
        self.told.append(Told(ERRANDS[flow][0], f"sip-{call}", said_all=True))
        args = VISIT_ARGS if tool == VISIT else {}
        return Request(key=key, call=call, tool=tool, args=args, at=AT, number="+1")

    def sql(self, statement: str) -> None:
        with sqlite3.connect(self.store) as link:
            link.execute(statement)
        link.close()

    def log(self, call: str) -> Path:
        return next(self.calls.glob(f"*/{call}.events.jsonl"))

    def rules(self) -> set[str]:
        self.database.close()
        scene = Scene(self.folder, self.calls, self.store, self.arrived, self.told,
                      lambda _: self.words)  # fmt: skip
        return {each.rule for each in violations(scene)}


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def test_whole_box_has_none(box: Box) -> None:
    assert box.rules() == set()


def test_box_that_nobody_called_has_none(tmp_path: Path) -> None:
    Database(tmp_path / "x.sqlite").close()
    assert violations(Scene(tmp_path, tmp_path / "calls", tmp_path / "x.sqlite")) == []


def lose_promise(box: Box) -> None:
    box.sql("DELETE FROM actions WHERE call = 'c1'")


def lose_booking(box: Box) -> None:
    box.sql("DELETE FROM bookings")


def keep_promise_under_another_key(box: Box) -> None:
    box.sql("UPDATE actions SET key = 'c1:9:other' WHERE call = 'c1'")


def begin_to_say_it_before_it_is_stored(box: Box) -> None:
    """The crash came before the tool's answer was logged, but the caller began to hear it."""
    lose_promise(box)
    lines = box.log("c1").read_text().splitlines(keepends=True)
    box.log("c1").write_text("".join(line for line in lines if '"action"' not in line))


def promise_twice(box: Box) -> None:
    again = Request(key="c1:4:x", call="c1", tool=PROMISE, args={}, at=AT, number="+1")
    ActionStore(box.database).add(again)


def give_a_place_away_twice(box: Box) -> None:
    box.sql("DROP INDEX bookings_seat")
    box.sql("DROP INDEX bookings_number")
    columns = "call, day, begins, minutes, seat, number, name, address, zip, problem, wished, at"
    box.sql(f"INSERT INTO bookings (key, {columns}) SELECT 'c9:2:x', {columns} FROM bookings")


def call_back_who_is_booked(box: Box) -> None:
    box.sql("UPDATE requests SET call = 'c4', origin = 'inferred'")


def tell_nobody(box: Box) -> None:
    box.sql("DELETE FROM outbox WHERE kind = 'booking'")


def tell_of_nothing(box: Box) -> None:
    box.sql("UPDATE outbox SET key = 'booking:c8:2:x' WHERE kind = 'booking'")


def mark_as_delivered_what_never_arrived(box: Box) -> None:
    box.arrived.popitem()


def leave_a_notification_waiting(box: Box) -> None:
    box.sql("UPDATE outbox SET standing = 'waiting' WHERE kind = 'callback'")


def deliver_what_is_not_in_the_outbox(box: Box) -> None:
    box.arrived["callback:c7:2:x"] = 1


def lose_a_record(box: Box) -> None:
    next(box.calls.glob("*/c1.record.json")).unlink()


def cut_a_record(box: Box) -> None:
    record = next(box.calls.glob("*/c1.record.json"))
    record.write_text(record.read_text()[:40])


def garble_a_log(box: Box) -> None:
    lines = box.log("c1").read_text().splitlines(keepends=True)
    box.log("c1").write_text("".join((*lines[:2], "{oops\n", *lines[2:])))


def lose_a_log(box: Box) -> None:
    box.log("c2").unlink()


def leave_half_a_file(box: Box) -> None:
    (box.folder / "something.17.part").touch()


def lose_a_card(box: Box) -> None:
    box.sql("DELETE FROM papers WHERE call = 'c3'")


def break_a_page(box: Box) -> None:
    box.database.close()
    link = sqlite3.connect(box.store)
    link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    link.close()
    data = bytearray(box.store.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    box.store.write_bytes(data)


def ignore_a_stop_request(box: Box) -> None:
    """Understood and logged; then the box died."""
    log = EventLog(box.calls, "c6", AT)
    log.write("call", 0, call="c6", sip_call_id="sip-c6", flow="collections", wrap_up=[])
    log.write("heard", 500, text="…", intent="stop_request")
    log.close()
    write_record(log.path)


def call_back_who_wants_no_calls(box: Box) -> None:
    ignore_a_stop_request(box)
    box.sql("UPDATE actions SET call = 'c6' WHERE name = 'mark_do_not_contact'")
    box.sql("UPDATE requests SET call = 'c6', origin = 'inferred'")


def hear_what_is_not_stored(box: Box) -> None:
    """Only the caller knows: the log has nothing of it, and nor has the store."""
    log = EventLog(box.calls, "c6", AT)
    log.write("call", 0, call="c6", sip_call_id="sip-c6", flow="collections", wrap_up=[])
    log.close()
    write_record(log.path)
    heard = np.zeros(8000, np.int16)
    box.told.append(Told(ERRANDS["collections"][2], "sip-c6", said_all=True, after=heard))
    box.words = "thank you i've noted your payment of"


WAYS: list[tuple[Callable[[Box], None], str]] = [
    (lose_promise, "lost"),
    (lose_booking, "lost"),
    (keep_promise_under_another_key, "lost"),
    (begin_to_say_it_before_it_is_stored, "lost"),
    (hear_what_is_not_stored, "lost"),
    (promise_twice, "twice"),
    (give_a_place_away_twice, "twice"),
    (call_back_who_is_booked, "twice"),
    (tell_nobody, "outbox"),
    (tell_of_nothing, "outbox"),
    (mark_as_delivered_what_never_arrived, "outbox"),
    (leave_a_notification_waiting, "outbox"),
    (deliver_what_is_not_in_the_outbox, "outbox"),
    (lose_a_record, "record"),
    (cut_a_record, "record"),
    (garble_a_log, "log"),
    (lose_a_log, "log"),
    (leave_half_a_file, "half file"),
    (lose_a_card, "card"),
    (break_a_page, "database"),
    (ignore_a_stop_request, "stop"),
    (call_back_who_wants_no_calls, "stop"),
]


@pytest.mark.parametrize(("spoil", "rule"), WAYS, ids=[spoil.__name__ for spoil, _ in WAYS])
def test_what_is_broken_is_seen(box: Box, spoil: Callable[[Box], None], rule: str) -> None:
    spoil(box)
    assert rule in box.rules()


def test_what_a_caller_heard_counts_only_where_it_was_a_confirmation(box: Box) -> None:
    hear_what_is_not_stored(box)
    box.words = "i'm sorry i couldn't confirm your payment just now"
    assert box.rules() == set()


def test_records_are_json_of_their_logs(box: Box) -> None:
    record = json.loads(next(box.calls.glob("*/c1.record.json")).read_text())
    assert [each["outcome"] for each in record["actions"]] == ["done"]
