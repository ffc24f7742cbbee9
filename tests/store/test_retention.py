"""What stays how long: every table, every kind of file, and what is owed."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.conversations import STATUS, Contact
from appliance.errors import ConfigError, StoreError
from appliance.store.belongings import CALLS
from appliance.store.calendar_bookings import BookingRow
from appliance.store.conversations import Conversations
from appliance.store.customers import Customer, Customers
from appliance.store.outbox import Notice, NoticeRow, Outbox, enqueue
from appliance.store.papers import CARD, PaperRow, Papers
from appliance.store.periods import FOR_GOOD, PERIODS, WITH
from appliance.store.requests import Requests
from appliance.store.retention import FOLDERS, HALVES, Retention, Swept
from appliance.store.stops import Stops
from appliance.store.tables import METADATA
from appliance.store.text_runs import TextRun, TextRuns
from tests.store.boxes import JOHN, MARIA, NOW, STOP, Box, asked, at_time, box_at, live

YEAR = 365


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = box_at(tmp_path)
    yield box
    box.database.close()


def sweep(box: Box) -> Swept:
    return Retention(box.database, box.config, NOW).run(clock_is_right=True)


def test_every_table_has_a_policy() -> None:
    with_policy = [*(table.__tablename__ for table in (*PERIODS, *WITH)), *FOR_GOOD]
    every = {name for metadata in METADATA.values() for name in metadata.tables}
    assert sorted(with_policy) == sorted(every)


def test_calls_that_may_collect_debts_stay_three_years(box: Box) -> None:
    box.call("old", MARIA, 3 * YEAR + 2)
    box.call("young", JOHN, 3 * YEAR - 1)
    box.call("booked", "+14155550111", YEAR + 1, flow="booking")
    box.call("new", "+14155550112", YEAR - 1, flow="booking")
    swept = sweep(box)
    assert swept.removed == {CALLS: 2, FOLDERS: 2}
    assert [name.partition(".")[0] for name in box.files()] == ["new", "new", "young", "young"]


def test_a_call_that_was_handed_to_debt_collection_is_one(box: Box) -> None:
    box.call("c1", MARIA, 2 * YEAR, flow="booking", then="collections")
    assert sweep(box).removed == {}


def test_a_call_stays_as_long_as_its_caller_or_its_account_is_heard_of(box: Box) -> None:
    for key, number in (("c1", MARIA), ("c2", "anonymous")):
        box.call(key, number, 4 * YEAR)
    box.act("c2", "create_promise_to_pay", "", 4 * YEAR, account="A-7")
    box.call("c3", "3105550100", 10)  # without the country code
    box.act("c4", "create_promise_to_pay", "", 10, account="A-7")
    assert sweep(box).removed == {}


def test_actions_and_papers_go_with_their_call(box: Box) -> None:
    for key, days in (("old", 4 * YEAR), ("new", 1)):
        box.call(key, MARIA if key == "old" else JOHN, days)
        box.act(key, "create_promise_to_pay", "", days)
        Papers(box.database, CARD).put(key, NOW - timedelta(days=days), {})
    sweep(box)
    assert box.count("actions") == box.count("papers") == 1


def test_actions_and_papers_of_calls_without_files_go_by_their_own_age(box: Box) -> None:
    for key, days in (("old", 4 * YEAR), ("new", 1)):
        box.act(key, "create_promise_to_pay", "", days)
        Papers(box.database, CARD).put(key, NOW - timedelta(days=days), {})
    assert sweep(box).removed == {"actions": 1, "papers": 1}


def test_a_log_without_a_record_stays_and_is_named(box: Box) -> None:
    log = box.call("c1", MARIA, 9 * YEAR, finished=False)
    assert any(str(log) in note for note in sweep(box).notes)
    assert log.exists()


def test_a_damaged_log_stays_as_long_as_the_law_may_want_it(box: Box) -> None:
    for key, days in (("old", 4 * YEAR), ("young", 2 * YEAR)):
        log = box.call(key, MARIA, days, flow="booking")
        log.write_bytes(b"\xff\x00 no JSON\n")
        log.with_name(f"{key}.record.json").write_text("{")
    assert sweep(box).removed == {CALLS: 1, FOLDERS: 1}
    assert box.files()[0].startswith("young")


def test_stop_requests_outlive_their_calls(box: Box) -> None:
    box.call("c1", MARIA, 9 * YEAR)
    box.act("c1", STOP, MARIA, 9 * YEAR, account="A-7")
    swept = sweep(box)
    assert swept.stops == 1
    assert box.count("actions") == 0
    assert [(each.number, each.account) for each in Stops(box.database).all()] == [
        ("13105550100", "A-7")
    ]
    assert sweep(box).stops == 0


def test_the_number_of_an_old_stop_request_is_that_of_its_call(box: Box) -> None:
    box.call("c1", MARIA, 9 * YEAR)
    box.act("c1", STOP, "", 9 * YEAR)  # kept before actions had a number
    sweep(box)
    assert Stops(box.database).all()[0].number == "13105550100"


def test_a_stop_request_of_nobody_binds_nobody(box: Box) -> None:
    box.call("c1", "anonymous", 1)
    box.act("c1", STOP, "anonymous", 1)
    assert sweep(box).stops == 0


def test_requests_go_when_they_are_closed_for_long(box: Box) -> None:
    requests = Requests(box.database)
    for call, days in (("open", 900), ("old", 900), ("new", 900)):
        requests.add(asked(call, "callback", MARIA, days), "callback")
    for call, days in (("old", YEAR + 1), ("new", YEAR - 1)):
        requests.close(f"{call}:4:callback", NOW - timedelta(days=days))
    sweep(box)
    assert [each.call for each in requests.all()] == ["new", "open"]


def test_a_request_of_debt_collection_stays_as_long_as_its_call(box: Box) -> None:
    box.call("c1", MARIA, 2 * YEAR)
    Requests(box.database).add(asked("c1", "callback", MARIA, 2 * YEAR), "callback")
    Requests(box.database).close("c1:4:callback", NOW - timedelta(days=2 * YEAR))
    sweep(box)
    assert box.count("requests") == 1


def test_bookings_go_after_their_day(box: Box) -> None:
    with box.database.writing() as session:
        for key, days in (("old", YEAR + 1), ("new", YEAR - 1), ("ahead", -3)):
            day = (NOW - timedelta(days=days)).date()
            session.add(
                BookingRow(
                    key=key, call=key, day=day, begins=NOW.time(), minutes=60, seat=0, number="",
                    name="", address="", zip="", problem="", wished="",
                    at=NOW - timedelta(days=2 * YEAR),
                )
            )  # fmt: skip
    assert sweep(box).removed == {"bookings": 1}


def test_notifications_go_when_nobody_will_deliver_them(box: Box) -> None:
    outbox = Outbox(box.database)
    with box.database.writing() as session:
        for key, days in (("waiting", 900), ("old", 31), ("new", 29)):
            at = NOW - timedelta(days=days)
            enqueue(session, Notice(key, "lead", key, at, {}), ["webhook"])
            enqueue(session, Notice(f"kept-{key}", "lead", key, at, {}), [])
    for parcel in outbox.all():
        if parcel.notice.key in ("old", "new"):
            outbox.delivered(parcel, parcel.notice.at)
    sweep(box)
    assert {each.notice.key for each in outbox.all()} == {"waiting", "new", "kept-new"}


def test_conversations_go_with_all_that_belongs_to_them(box: Box) -> None:
    for name, days in (("old", YEAR + 1), ("new", YEAR - 1)):
        live(box, MARIA if name == "old" else JOHN, name, days)
    sweep(box)
    assert box.count("conversations") == box.count("text_runs") == 1
    assert box.count("conversation_messages") == 2
    with box.database.reading() as session:
        assert session.get(PaperRow, ("run-old", "summary")) is None


def test_a_conversation_that_waits_for_an_answer_stays(box: Box) -> None:
    desk = Conversations(box.database, at_time(NOW - timedelta(days=9 * YEAR)))
    desk.open("k1", Contact("a@example.com"), "", "Hello?")  # for the agent
    handed, message = desk.open("k2", Contact("b@example.com"), "", "Hello?")
    desk.settled(handed, message)
    desk.put_attribute(handed, STATUS, "ROUTE_TO_TEAM")  # for a person
    done, message = desk.open("k3", Contact("c@example.com"), "", "Hello?")
    desk.close(done)
    sweep(box)
    assert box.count("conversations") == box.count("conversation_messages") == 2


def test_a_run_that_is_not_done_stays(box: Box) -> None:
    runs = TextRuns(box.database)
    runs.begin(TextRun("k1", "1", "1", "k1", NOW - timedelta(days=9 * YEAR)))
    assert sweep(box).removed == {}


def test_customers_are_as_old_as_their_last_activity(box: Box) -> None:
    customers = Customers(box.database)
    customers.put([Customer(MARIA, "Maria"), Customer(JOHN, "John")])
    assert sweep(box).removed == {}  # nobody knows how old they are: from now on
    box.call("c1", JOHN, -1000, flow="booking")
    later = Retention(box.database, box.config, NOW + timedelta(days=1200)).run(clock_is_right=True)
    assert later.removed == {"customers": 1}
    assert [each.name for each in customers.all()] == ["John"]


def test_what_crashes_left_goes_and_what_is_not_ours_stays(box: Box) -> None:
    log = box.call("c1", MARIA, 2, flow="booking")
    half = log.with_name("c1.record.json.4711.part")
    half.write_text("{")
    foreign = [log.with_name("notes.txt"), box.config.record.folder / "README"]
    for each in foreign:
        each.write_text("mine")
    today = box.call("c2", MARIA, 0).with_name("c2.record.json.4711.part")
    today.write_text("{")  # it may be being written
    swept = sweep(box)
    assert swept.removed == {HALVES: 1}
    assert not half.exists()
    assert today.exists()
    for each in foreign:
        assert each.exists()
        assert f"{each}: no file of a call; it stays" in swept.notes


def test_a_dry_run_says_what_a_run_does_and_does_nothing(box: Box) -> None:
    for name, number in (("old", MARIA), ("older", JOHN)):
        live(box, number, name, 3 * YEAR)
    Retention(box.database, box.config, NOW).run(
        clock_is_right=True
    )  # from now on the customers have a date
    live(box, MARIA, "again", 3 * YEAR)
    later = NOW + timedelta(days=1200)
    before = (box.files(), box.counts())
    tried = Retention(box.database, box.config, later).try_out()
    assert (box.files(), box.counts()) == before
    swept = Retention(box.database, box.config, later).run(clock_is_right=True)
    assert +swept.removed - tried.removed == {FOLDERS: 1}
    assert tried.removed["customers"] == 2


def test_a_file_that_cannot_be_removed_is_said_and_the_next_run_goes_on(box: Box) -> None:
    log = box.call("c1", MARIA, 9 * YEAR)
    record = log.with_name("c1.record.json")
    content = record.read_text()
    record.unlink()
    (record / "in the way").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"c1\.record\.json: cannot be removed: Is a directory"):
        sweep(box)
    assert not log.exists()  # the log goes first: without it the record is taken for no crash
    (record / "in the way").rmdir()
    record.rmdir()
    record.write_text(content)
    assert sweep(box).removed == {CALLS: 1, FOLDERS: 1}


def test_a_row_that_is_owed_again_meanwhile_stays(box: Box) -> None:
    """Between the look and the deletion the operator has it delivered again."""
    with box.database.writing() as session:
        at = NOW - timedelta(days=90)
        enqueue(session, Notice("n1", "lead", "c1", at, {}), ["webhook"])
    outbox = Outbox(box.database)
    outbox.given_up(outbox.all()[0], NOW - timedelta(days=60), "")
    work = Retention(box.database, box.config, NOW)
    keys = work._expired_rows(NoticeRow)
    assert len(keys) == 1
    outbox.revive(["webhook"], NOW)
    assert work._remove_rows(NoticeRow, keys) == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "debt_calls_days = 400\n",
            "1096 days at least .12 CFR 1006.100.; where this box collects",
        ),
        ("calls_days = 0\n", "retention.calls_days"),
    ],
)
def test_periods_that_are_too_short_are_refused(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        box_at(tmp_path, f"[retention]\n{more}")


def test_an_operator_who_collects_no_debts_may_keep_calls_for_less(tmp_path: Path) -> None:
    box = box_at(tmp_path, "[retention]\nlegal_minimum = false\ndebt_calls_days = 30\n")
    box.call("c1", MARIA, 31)
    assert sweep(box).removed == {CALLS: 1, FOLDERS: 1}
    box.database.close()


def test_a_clock_that_is_years_ahead_removes_nothing(box: Box) -> None:
    box.call("c1", MARIA, 1, flow="booking")
    sweep(box)
    ahead = Retention(box.database, box.config, NOW + timedelta(days=4000))
    with pytest.raises(StoreError, match="clock says 2037-11-05, and the last sign of life is of"):
        ahead.run()
    assert len(box.files()) == 2
    assert ahead.run(clock_is_right=True).removed == {CALLS: 1, FOLDERS: 1}


def test_a_box_without_calls_is_swept_every_night(box: Box) -> None:
    for night in range(0, 100, 25):
        Retention(box.database, box.config, NOW + timedelta(days=night)).run()
    assert box.count("sweeps") == 4
