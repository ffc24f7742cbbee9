import itertools
import tempfile
import threading
from collections.abc import Iterator
from datetime import date, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.errors import StoreError
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Booking, Bookings
from appliance.store.calendar_windows import Hours
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from tests.store.asking import MONDAY, PERSONAL, ask

LATER = [f"+1310555{number:04d}" for number in range(100)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    Calendar(database)
    yield database
    database.close()


def yes() -> bool:
    return True


def booked(bookings: Bookings, *args: str, **others: str) -> str:
    """Day and hour of the booking, or why there is none."""
    made = bookings.book(ask(*args, **others), yes)  # type: ignore[arg-type]
    return f"{made.begins:%d %H:%M}" if isinstance(made, Booking) else made


@pytest.mark.parametrize(
    ("when", "begins"),
    [
        ("soonest", "23 10:00"),
        ("2026-11-24", "24 08:00"),
        ("2026-11-24 afternoon", "24 13:00"),
        ("2026-11-24 evening", "full"),
        ("2026-11-24 10:30", "24 10:00"),
        ("2026-11-24 12:30", "full"),
        ("afternoon", "23 13:00"),
        ("morning", "23 10:00"),
        ("evening", "full"),
        ("2026-11-28", "full"),
        ("2026-11-20", "full"),
    ],
)
def test_what_a_caller_gets(database: Database, when: str, begins: str) -> None:
    assert booked(Bookings(database), "c1:1:book_service", when) == begins


def test_same_key_gives_the_same_booking_again(database: Database) -> None:
    bookings = Bookings(database)
    assert booked(bookings) == booked(bookings) == "23 10:00"
    assert len(bookings.between(date(2026, 11, 1), date(2027, 1, 1))) == 1
    assert len(Outbox(database).all()) == 1


def test_full_window_is_not_another_one(database: Database) -> None:
    bookings = Bookings(database)
    for number in LATER[:2]:
        assert booked(bookings, f"{number}:1:b", "2026-11-24 08:00", number=number) == "24 08:00"
    assert booked(bookings, "c3:1:b", "2026-11-24 08:00") == "full"
    assert booked(bookings, "c4:1:b", "2026-11-24 morning") == "24 10:00"


def test_full_day_is_full_and_soonest_goes_on(database: Database) -> None:
    bookings = Bookings(database)
    got = [booked(bookings, f"{n}:1:b", "2026-11-24", number=n) for n in LATER[:9]]
    hours = ["24 08:00", "24 10:00", "24 13:00", "24 15:00"]
    assert got == [hour for hour in hours for _ in range(2)] + ["full"]
    soonest = [booked(bookings, f"{n}:2:b", number=n) for n in LATER[20:27]]
    assert soonest[-1] == "25 08:00"


def test_number_holds_a_window_once(database: Database) -> None:
    bookings = Bookings(database)
    assert booked(bookings, "c1:1:b", "2026-11-24 08:00") == "24 08:00"
    assert booked(bookings, "c2:1:b", "2026-11-24 08:00", number="1 (310) 555-0100") == "full"
    assert booked(bookings, "c3:1:b", "2026-11-24") == "24 10:00"
    assert booked(bookings, "c4:1:b", "2026-11-24 08:00", number="anonymous") == "24 08:00"


def test_callers_without_a_number_are_not_one_caller(database: Database) -> None:
    bookings = Bookings(database)
    got = [booked(bookings, f"c{n}:1:b", "2026-11-24 08:00", number="") for n in range(3)]
    assert got == ["24 08:00", "24 08:00", "full"]
    assert Customers(database).all() == []


def test_nothing_is_booked_that_nobody_waits_for(database: Database) -> None:
    bookings = Bookings(database)
    assert bookings.book(ask(), lambda: False) == "withdrawn"
    assert bookings.between(MONDAY.date(), date(2027, 1, 1)) == []
    assert Customers(database).all() == []
    assert Outbox(database).all() == []


def test_booking_writes_customer_and_notification(database: Database) -> None:
    bookings = Bookings(database, ("email", "webhook"))
    booked(bookings)
    customer = Customers(database).find("13105550100")
    assert customer == Customer("13105550100", "Maria Lopez", "12 Oak Street", "90210")
    parcels = Outbox(database).all(Standing.WAITING)
    assert {parcel.channel for parcel in parcels} == {"email", "webhook"}
    assert parcels[0].notice.key == "booking:c1:4:book_service"
    assert parcels[0].notice.details == {
        **PERSONAL, "number": "+13105550100", "date": "2026-11-23", "begins": "10:00",
        "ends": "12:00",
    }  # fmt: skip


def test_cancelled_place_is_free_again(database: Database) -> None:
    Calendar(database).set_hours([1], [Hours(1, time(8), time(10), minutes=120, capacity=1)])
    bookings = Bookings(database)
    assert booked(bookings, "c1:1:b", "2026-11-24") == "24 08:00"
    assert booked(bookings, "c2:1:b", "2026-11-24", number="2") == "full"
    assert bookings.cancel("c1:1:b", MONDAY) is True
    assert bookings.cancel("c1:1:b", MONDAY) is False
    assert bookings.of_call("c1") is None
    assert booked(bookings, "c2:1:b", "2026-11-24", number="2") == "24 08:00"
    found = bookings.of_call("c2")
    assert found is not None
    assert found.ends - found.begins == timedelta(hours=2)


def test_bookings_outlive_a_change_of_hours(database: Database) -> None:
    """A technician who is there from eight to ten cannot come at nine."""
    calendar, bookings = Calendar(database), Bookings(database)
    calendar.set_hours([1], [Hours(1, time(8), time(12), minutes=120, capacity=1)])
    assert booked(bookings, "c1:1:b", "2026-11-24 08:00") == "24 08:00"
    calendar.set_hours([1], [Hours(1, time(9), time(12), minutes=60, capacity=1)])
    assert booked(bookings, "c2:1:b", "2026-11-24 09:00", number="2") == "full"
    assert booked(bookings, "c3:1:b", "2026-11-24 10:00", number="3") == "24 10:00"


@pytest.mark.parametrize("when", ["", "tomorrow"])
def test_time_that_cannot_be_read(database: Database, when: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Bookings(database).book(ask(when=when), yes)


def test_threads_never_overbook(database: Database) -> None:
    """Forty callers at once for the eight places of a day."""
    bookings, got = Bookings(database), []

    def call(number: str) -> None:
        while True:
            try:
                got.append(booked(bookings, f"{number}:1:b", "2026-11-24", number=number))
            except StoreError:  # on a busy machine the lock may be long in coming
                continue
            return

    callers = [threading.Thread(target=call, args=(number,)) for number in LATER[:40]]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert len(got) == 40
    assert got.count("full") == 32
    assert sorted(set(got) - {"full"}) == ["24 08:00", "24 10:00", "24 13:00", "24 15:00"]
    assert all(got.count(hour) == 2 for hour in set(got) - {"full"})


def test_fewer_technicians_than_there_were(database: Database) -> None:
    """Somebody cancelled, but the one who is left has his booking."""
    calendar, bookings = Calendar(database), Bookings(database)
    for call, number in (("c1", "1"), ("c2", "2")):
        assert booked(bookings, f"{call}:1:b", "2026-11-24 08:00", number=number) == "24 08:00"
    bookings.cancel("c1:1:b", MONDAY)
    calendar.set_hours([1], [Hours(1, time(8), time(10), minutes=120, capacity=1)])
    assert booked(bookings, "c3:1:b", "2026-11-24 08:00", number="3") == "full"
    assert [room for _, room in bookings.room(date(2026, 11, 24))] == [0]


Op = tuple[str, int, int, int]
OPS = st.tuples(
    st.sampled_from(["book", "book", "book", "hours", "cancel"]),
    st.integers(0, 4), st.integers(1, 3), st.sampled_from([45, 60, 90, 120]),
)  # fmt: skip


@given(st.lists(OPS, max_size=40))
@settings(max_examples=40, deadline=None)
def test_nobody_is_in_two_places_at_once(ops: list[Op]) -> None:
    """Whatever is booked, cancelled and changed in between, on one day."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "x.sqlite")
        calendar, bookings, day = Calendar(database), Bookings(database), date(2026, 11, 24)
        capacity, made = 2, []
        for step, (op, who, places, minutes) in enumerate(ops):
            if op == "book":
                key = f"c{step}:1:b"
                got = bookings.book(ask(key, "2026-11-24", number=str(who or "")), yes)
                if isinstance(got, Booking):
                    made.append(key)
                    beside = [b for b in bookings.between(day, day) if _meets(b, got)]
                    assert most_at_once(beside) <= capacity
            elif op == "hours":
                capacity = places
                calendar.set_hours([1], [Hours(1, time(8), time(12), minutes, places)])
            elif made:
                bookings.cancel(made.pop(), MONDAY)
            there = bookings.between(day, day)
            for one, other in itertools.combinations(there, 2):
                assert not (one.number and one.number == other.number and _meets(one, other))
        database.close()


def _meets(one: Booking, other: Booking) -> bool:
    return one.begins < other.ends and other.begins < one.ends


def most_at_once(bookings: list[Booking]) -> int:
    return max(sum(each.begins <= at.begins < each.ends for each in bookings) for at in bookings)
