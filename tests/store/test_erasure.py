"""Erasing a person: all of his, nothing of others, and what stays is said."""

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from appliance.conversations import Contact
from appliance.errors import StoreError
from appliance.store import call_files
from appliance.store.belongings import CALLS, LAW, OWED, UNFINISHED, Kept
from appliance.store.calendar_bookings import Bookings
from appliance.store.conversations import Conversations
from appliance.store.customers import Customers
from appliance.store.erasure import Eraser
from appliance.store.outbox import Outbox
from appliance.store.people import person, same_number
from appliance.store.requests import Requests
from appliance.store.retention import Retention
from appliance.store.stops import Stops
from appliance.store.tombstones import ErasureRow, mark_of
from tests.store.boxes import (
    JOHN,
    MARIA,
    NOW,
    STOP,
    Box,
    asked,
    at_time,
    box_at,
    everything_in,
    live,
)

ALL = {
    "actions": 1, "papers": 3, "requests": 1, "outbox": 2, "bookings": 1, "conversations": 1,
    "text_runs": 1, "customers": 1, CALLS: 1,
}  # fmt: skip
"""What `live` leaves of one person."""


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = box_at(tmp_path)
    yield box
    box.database.close()


def eraser(box: Box, days: float = 0) -> Eraser:
    now = NOW + timedelta(days=days)
    return Eraser(box.database, box.config.record.folder, box.config.retention, now)


def tombstone(box: Box) -> ErasureRow:
    with box.database.reading() as session:
        return session.scalars(select(ErasureRow)).one()


def test_a_person_goes_with_all_that_is_his(box: Box) -> None:
    live(box, MARIA, "Maria Lopez", 30)
    live(box, JOHN, "John Smith", 31)
    before = {**box.counts()}
    done = eraser(box).erase(person("1 310 555 0100"))
    assert done.removed == ALL
    assert done.kept == ()
    after = box.counts()
    for table in before.keys() - {"calendar_hours", "calendar_rules", "store_version"}:
        assert after[table] * 2 == before[table], table  # John's are all there
    assert [each.number for each in Customers(box.database).all()] == ["12125550199"]
    assert [name.partition(".")[0] for name in box.files()] == ["call-John Smith"] * 2


def test_no_byte_of_a_person_is_left(box: Box) -> None:
    live(box, MARIA, "Maria Lopez", 30)
    box.database.close()
    found = everything_in(box.folder)
    assert b"Maria Lopez" in found
    assert b"3105550100" in found
    eraser(box).erase(person(MARIA))
    box.database.shrink_log()
    left = everything_in(box.folder)
    for each in (b"Maria", b"3105550100", b"Oak Street", b"90210"):
        assert each not in left


def test_trying_it_says_the_same_and_does_nothing(box: Box) -> None:
    live(box, MARIA, "Maria Lopez", 30)
    before = (box.counts(), box.files())
    assert eraser(box).try_out(person(MARIA)).removed == ALL
    assert (box.counts(), box.files()) == before


def test_numbers_are_the_same_however_they_are_written() -> None:
    assert same_number("+1 (310) 555-0100") == same_number("310-555-0100") == "3105550100"
    assert same_number("+49 30 555010") == "4930555010"
    assert same_number("anonymous") == ""


def test_a_hidden_number_is_nobody(box: Box) -> None:
    box.call("c1", "anonymous", 30, flow="booking")
    with pytest.raises(ValueError, match="give a telephone number"):
        person("anonymous")
    assert eraser(box).erase(person("", emails=("a@example.com",))).removed == {}
    assert len(box.files()) == 2


def test_an_extension_is_not_found_in_amounts(box: Box) -> None:
    requests = Requests(box.database)
    requests.add(asked("c1", "callback", JOHN, 1, reason="200"), "callback")
    requests.close("c1:4:callback", NOW)
    assert eraser(box).erase(person("200")).removed == {}


def test_what_somebody_else_left_for_the_number_goes_too(box: Box) -> None:
    requests = Requests(box.database)
    requests.add(asked("c1", "callback", JOHN, 1, phone="(310) 555-0100"), "callback")
    requests.close("c1:4:callback", NOW)
    assert eraser(box).erase(person(MARIA)).removed == {"requests": 1, "outbox": 1}


def test_an_account_goes_only_if_it_is_named(box: Box) -> None:
    for call, number in (("c1", MARIA), ("c2", JOHN)):
        box.call(call, number, 1500, flow="collections")
        box.act(call, "create_promise_to_pay", number, 1500, account="A-7")
    done = eraser(box).erase(person(MARIA))
    assert done.removed == {CALLS: 1, "actions": 1}
    assert done.accounts == ("A-7",)
    assert eraser(box).erase(person("", accounts=("A-7",))).removed == {CALLS: 1, "actions": 1}


def test_a_conversation_is_found_by_its_address(box: Box) -> None:
    live(box, MARIA, "Maria", 30)
    done = eraser(box).erase(person("", emails=("MARIA@example.com",)))
    assert done.removed == {"conversations": 1, "text_runs": 1, "papers": 1}
    assert box.count("conversation_messages") == 0


def test_what_is_owed_stays_until_it_is_not(box: Box) -> None:
    Requests(box.database, ["webhook"]).add(asked("c1", "callback", MARIA, 1), "callback")
    wish = asked("c1", "book_service", MARIA, 1, preferred_time="soonest")
    Bookings(box.database).book(wish, lambda: True)
    desk = Conversations(box.database, at_time(NOW))
    desk.begin("k1", MARIA, "")
    talk, _ = desk.open("k2", Contact("maria@example.com", "Maria", MARIA), "", "Hello?")
    done = eraser(box).erase(person(MARIA, emails=("maria@example.com",)))
    assert done.kept == (
        ("requests", Kept(OWED), 1),
        ("outbox", Kept(OWED), 1),
        ("bookings", Kept(OWED), 1),
        ("conversations", Kept(OWED), 1),
    )
    assert done.removed == {"conversations": 1, "customers": 1, "outbox": 1}
    Requests(box.database).close("c1:4:callback", NOW)
    outbox = Outbox(box.database)
    for each in outbox.all():
        outbox.delivered(each, NOW)
    desk.close(talk)
    box.call("c9", MARIA, -2, flow="booking")  # he calls again: no part of the erasure
    swept = Retention(box.database, box.config, NOW + timedelta(days=3)).run(clock_is_right=True)
    assert [each.kept for each in swept.erasures] == [()]
    assert {t: n for t, n in box.counts().items() if t in ALL or t == "stops"} == {}
    assert len(box.files()) == 2
    assert tombstone(box).done is not None


def test_what_the_law_keeps_stays_until_then(box: Box) -> None:
    box.call("c1", MARIA, 900)
    box.act("c1", "create_promise_to_pay", MARIA, 900)
    box.call("c2", MARIA, 800, flow="booking")
    until = (NOW - timedelta(days=800) + timedelta(days=1096)).astimezone()
    done = eraser(box).erase(person(MARIA))
    assert done.removed == {CALLS: 1}
    assert done.kept == ((CALLS, Kept(LAW, until), 1), ("actions", Kept(LAW, until), 1))
    assert tombstone(box).subject["number"] == "3105550100"
    assert eraser(box, days=297).go_on()[0].kept == ()
    row = tombstone(box)
    assert (box.files(), box.count("actions")) == ([], 0)
    assert row.removed == {CALLS: 2, "actions": 1}
    assert row.subject == {}


def test_without_the_law_nothing_is_kept(tmp_path: Path) -> None:
    box = box_at(tmp_path, "[retention]\nlegal_minimum = false\n")
    box.call("c1", MARIA, 1)
    assert eraser(box).erase(person(MARIA)).removed == {CALLS: 1}
    box.database.close()


def test_a_call_that_goes_on_is_erased_when_it_is_over(box: Box) -> None:
    log = box.call("c1", MARIA, 0.01, flow="booking", finished=False)
    assert eraser(box).erase(person(MARIA)).kept == ((CALLS, Kept(UNFINISHED), 1),)
    log.with_name("c1.record.json").write_text("{}")
    assert eraser(box).go_on()[0].removed == {CALLS: 1}


def test_a_stop_request_outlives_the_erasure(box: Box) -> None:
    box.call("c1", MARIA, 1, flow="booking")
    box.act("c1", STOP, MARIA, 1)
    done = eraser(box).erase(person(MARIA))
    assert done.stops == 1
    assert done.removed == {CALLS: 1, "actions": 1}
    assert [each.number for each in Stops(box.database).all()] == ["13105550100"]


def test_a_tombstone_does_not_say_whose_it_is(box: Box) -> None:
    live(box, MARIA, "Maria Lopez", 30)
    eraser(box).erase(person(MARIA))
    row = tombstone(box)
    assert row.removed == ALL
    assert row.marks == [mark_of("number:3105550100", row.salt)]
    assert row.subject == {}
    assert "3105550100" not in str((row.marks, row.salt, row.removed, row.kept))


@pytest.mark.parametrize("after", [0, 1, 2, 4, 8])
def test_an_erasure_that_is_cut_off_is_gone_on_with(
    box: Box, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    live(box, MARIA, "Maria Lopez", 30)
    live(box, JOHN, "John Smith", 31)
    left = iter(range(after))

    def power_cut(*_: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    writing = box.database.writing
    with monkeypatch.context() as patch:
        patch.setattr(box.database, "writing", lambda: (power_cut(), writing())[1])
        with pytest.raises(KeyboardInterrupt):
            eraser(box).erase(person(MARIA))
    Retention(box.database, box.config, NOW).run(clock_is_right=True)
    began = after > 1  # the first writes stop requests, the second the tombstone
    assert len(Customers(box.database).all()) == (1 if began else 2)
    assert len(box.files()) == (2 if began else 4)


def test_a_file_that_cannot_be_removed_is_said(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.call("c1", MARIA, 1, flow="booking")

    def denied(path: Path) -> bool:
        raise StoreError(f"{path}: cannot be removed: Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(call_files, "_remove", denied)
        with pytest.raises(StoreError, match="Permission denied"):
            eraser(box).erase(person(MARIA))
    assert eraser(box).go_on()[0].removed == {CALLS: 1}


def test_the_agent_can_write_while_a_person_is_erased(box: Box) -> None:
    """No transaction lasts: another connection gets the lock between any two of them."""
    live(box, MARIA, "Maria Lopez", 30)
    other = sqlite3.connect(box.config.record.store, timeout=0, isolation_level=None)
    work = eraser(box)
    found = work._found
    work._found = lambda wanted: (other.execute("BEGIN IMMEDIATE"), other.rollback(),  # type: ignore[method-assign]
                                  found(wanted))[2]  # fmt: skip
    assert work.erase(person(MARIA)).removed == ALL
    other.close()
