from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.actions.booking import BookService, LookUpCaller
from appliance.actions.requests import CALLBACK, LEAD, KeepRequest
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database
from appliance.store.requests import Requests
from tests.store.asking import ask


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path / "x.sqlite")
    Calendar(database)
    return database


def test_second_call_of_a_number_is_that_of_somebody_known(database: Database) -> None:
    look_up = LookUpCaller(Customers(database))
    assert look_up(ask("c1:1:lookup_caller"), Claim()) == Result("unknown")
    booked = BookService(Bookings(database))(ask(), Claim())
    assert booked == Result("booked", {"booked_date": "2026-11-23", "booked_time": "10:00"})
    known = {"name": "Maria Lopez", "address": "12 Oak Street", "zip": "90210"}
    assert look_up(ask("c2:1:lookup_caller"), Claim()) == Result("known", known)


def test_only_what_is_known_becomes_a_fact(database: Database) -> None:
    customers = Customers(database)
    customers.put([Customer("13105550100", name="Maria Lopez")])
    found = LookUpCaller(customers)(ask("c1:1:lookup_caller"), Claim())
    assert found == Result("known", {"name": "Maria Lopez"})


def test_full_day(database: Database) -> None:
    book = BookService(Bookings(database))
    assert book(ask(when="2026-11-28"), Claim()) == Result("full")


@pytest.mark.parametrize("wrong", [{"confirmed": "false"}, {"confirmed": ""}, {"when": "never"}])
def test_nothing_is_booked_without_consent_or_a_time(
    database: Database, wrong: dict[str, str]
) -> None:
    bookings = Bookings(database)
    assert BookService(bookings)(ask(**wrong), Claim()) == Result(FAILED)
    assert bookings.of_call("c1") is None


def test_booking_that_comes_too_late_is_not_made(database: Database) -> None:
    claim = Claim()
    claim.give_up()
    bookings = Bookings(database)
    assert BookService(bookings)(ask(), claim) == Result(FAILED)
    assert bookings.of_call("c1") is None


def test_claim_is_taken_last(database: Database) -> None:
    """Until the booking is about to be lasting, the call may still give it up."""
    order: list[str] = []

    class Watched(Bookings):
        def book(self, asked: Request, wanted: Callable[[], bool]) -> object:  # type: ignore[override]
            def watched() -> bool:
                assert claim.give_up() is True
                order.append("given up")
                return wanted()

            return super().book(asked, watched)

    claim = Claim()
    bookings = Watched(database)
    assert BookService(bookings)(ask(), claim) == Result(FAILED)  # type: ignore[arg-type]
    assert order == ["given up"]
    assert bookings.of_call("c1") is None


@pytest.mark.parametrize("kind", [CALLBACK, LEAD])
def test_request_is_kept_even_if_its_answer_comes_too_late(database: Database, kind: str) -> None:
    claim = Claim()
    claim.give_up()
    requests = Requests(database)
    assert KeepRequest(requests, kind)(ask("c1:7:x"), claim) == Result(DONE)
    assert [each.kind for each in requests.all()] == [kind]
