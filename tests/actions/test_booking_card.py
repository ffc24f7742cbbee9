import itertools
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest

from appliance.actions.booking_card import SETTLED, BookingCard
from appliance.actions.card_texts import BookingStatus, Callback, headline, summary
from appliance.actions.wrapup import CallOver
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.store.papers import CARD, Papers
from appliance.store.requests import OpenRequest, Origin, Requests
from appliance.testing.clock import VirtualClock
from tests.store.asking import MONDAY, PERSONAL, ask

OVER = CallOver(
    call="c1", number="+13105550100", flow="booking", outcome="callback", ended_by="appliance",
    started=MONDAY, language="en", turns=3,
)  # fmt: skip
FAILED_TO_BOOK = (("lookup_caller", "unknown"), ("book_service", "full"))


@dataclass
class Desk:
    """What is stored, and the wrap-up that looks at it."""

    bookings: Bookings
    requests: Requests
    cards: Papers
    outbox: Outbox
    wrap_up: BookingCard

    def callback_after(self, over: CallOver) -> OpenRequest | None:
        self.wrap_up(over)
        return self.requests.callback_of(over.call)

    def card_after(self, over: CallOver) -> Any:
        self.wrap_up(over)
        return self.cards.find(over.call)


@pytest.fixture
def desk(database: Database) -> Desk:
    Calendar(database)
    bookings, requests, cards = Bookings(database), Requests(database), Papers(database, CARD)
    wrap_up = BookingCard(bookings, requests, cards, VirtualClock(MONDAY))
    return Desk(bookings, requests, cards, Outbox(database), wrap_up)


def after(**changes: Any) -> CallOver:
    return replace(OVER, **changes)


@pytest.mark.parametrize(
    ("over", "kind", "reason"),
    [
        (after(facts={"problem": "no heat"}), "service", "without a booking or a callback"),
        (after(facts={"problem": "no heat"}, ended_by="peer"), "service", "hung up"),
        (after(facts={"callback_type": "vendor", "reason": "sells filters"}), "vendor", "sells"),
        (after(facts={"problem": "no heat"}, deeds=FAILED_TO_BOOK), "booking_failed", "not be"),
        (after(deeds=FAILED_TO_BOOK, ended_by="peer"), "booking_failed", "could not be made"),
        (after(deeds=(("create_callback_request", "failed"),), ended_by="peer"), "other", "hung"),
        (after(outcome="interrupted", ended_by="appliance_crash"), "other", "by a fault"),
        (after(outcome="interrupted", ended_by="peer"), "other", "by a fault"),
        (after(number="", facts={"address": "12 Oak Street", "problem": "x"}), "service", "ended"),
    ],
)
def test_callback_that_was_forgotten_is_made(
    desk: Desk, over: CallOver, kind: str, reason: str
) -> None:
    made = desk.callback_after(over)
    assert made is not None
    assert made.origin is Origin.INFERRED
    assert made.details["callback_type"] == kind
    assert reason in made.details["reason"]
    (parcel,) = desk.outbox.all()
    assert parcel.notice.kind == "callback"
    assert parcel.notice.details["callback_type"] == kind


@pytest.mark.parametrize(
    "over",
    [
        *(after(outcome=outcome, facts={"problem": "gas"}) for outcome in SETTLED),
        after(outcome="caller_left", ended_by="peer"),
        after(outcome="silence_timeout"),
        after(ended_by="peer", facts={"name": "Maria Lopez"}),
        after(outcome="max_turns", facts={"problem": "no heat", "call_back": "unwanted"}),
        after(number="", facts={"problem": "no heat"}),
        after(outcome="interrupted", deeds=(("mark_do_not_contact", "interrupted"),)),
    ],
)
def test_nobody_is_called_back_who_does_not_wait_for_it(desk: Desk, over: CallOver) -> None:
    assert desk.callback_after(over) is None
    assert desk.outbox.all() == []
    assert desk.cards.find("c1") is not None


def test_nothing_is_added_to_a_booking(desk: Desk) -> None:
    """Even where the crash came before the call knew that it was booked."""
    desk.bookings.book(ask("c1:4:book_service"), lambda: True)
    assert desk.callback_after(after(outcome="interrupted")) is None
    card = desk.cards.find("c1")
    assert card is not None
    assert card["booking_status"] == "confirmed"
    assert card["card_headline"] == "Booked: Mon 23 Nov, 10:00 (heating)"
    assert card["complete_percent"] == 100


def test_nothing_is_added_to_a_callback(desk: Desk) -> None:
    desk.requests.add(ask("c1:7:x", callback_type="billing", reason="a bill"), "callback")
    made = desk.callback_after(after(deeds=(("create_callback_request", "done"),)))
    assert made is not None
    assert made.origin is Origin.CALL
    assert len(desk.outbox.all()) == 1
    card = desk.cards.find("c1")
    assert card is not None
    assert (card["callback"], card["card_headline"]) == (
        "requested",
        "Call back: billing (heating)",
    )


def test_running_twice_changes_nothing(desk: Desk) -> None:
    over = after(facts={"problem": "no heat"})
    first = desk.card_after(over)
    assert desk.card_after(over) == first
    assert first["callback"] == "inferred"
    assert len(desk.requests.all()) == len(desk.outbox.all()) == 1


def test_what_the_caller_said_goes_with_the_inferred_callback(desk: Desk) -> None:
    facts = {**PERSONAL, "preferred_time": "soonest", "urgency": "urgent", "confirmed": True}
    made = desk.callback_after(after(facts=facts, ended_by="peer"))
    assert made is not None
    assert made.number == "+13105550100"
    assert {name: made.details[name] for name in PERSONAL} == PERSONAL
    assert made.details["urgency"] == "urgent"


@pytest.mark.parametrize(
    ("deeds", "status"),
    [
        ((), "not_requested"),
        ((("lookup_caller", "known"),), "not_requested"),
        ((("book_service", "booked"),), "confirmed"),
        ((("book_service", "full"),), "attempted_failed"),
        ((("book_service", "failed"), ("create_callback_request", "done")), "attempted_failed"),
        ((("book_service", "failed"), ("book_service", "booked")), "confirmed"),
    ],
)
def test_booking_status_from_the_outcomes_of_tools(
    desk: Desk, deeds: tuple[tuple[str, str], ...], status: str
) -> None:
    assert desk.card_after(after(deeds=deeds))["booking_status"] == status


@pytest.mark.parametrize(
    ("known", "percent"),
    [((), 17), (("problem",), 33), (("problem", "name", "zip"), 67),
     (("problem", "name", "address", "zip", "preferred_time"), 100)],
)  # fmt: skip
def test_scorecard(desk: Desk, known: tuple[str, ...], percent: int) -> None:
    card = desk.card_after(after(facts=dict.fromkeys(known, "x")))
    assert card["complete_percent"] == percent
    assert [name for name, is_known in card["scorecard"].items() if is_known] == [*known, "number"]


def test_card_of_a_failed_booking(desk: Desk) -> None:
    facts = {"name": "Maria Lopez", "problem": "the furnace is out"}
    card = desk.card_after(after(facts=facts, deeds=FAILED_TO_BOOK))
    assert card["card_headline"] == "Call back: booking failed (heating)"
    assert card["card_summary"] == (
        "Maria Lopez called from +13105550100. It is about: the furnace is out."
        " A booking was tried and could not be made."
        " Please call back (booking failed); this was added after the call."
        " The booking could not be made. Not known: address, zip, preferred time."
    )


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (
            {"problem": "it hums", "problem_kind": "water_heater"},
            "Call back: service (water heater)",
        ),
        ({"problem": "my sink is clogged"}, "Call back: service (sink)"),  # left before the summary
        ({"problem": "it hums"}, "Call back: service"),
        ({"problem": "my sink hums", "problem_kind": "other"}, "Call back: service"),
        ({"callback_type": "billing"}, "Call back: billing"),
    ],
)
def test_headline_says_what_the_problem_is_about(
    desk: Desk, facts: dict[str, str], line: str
) -> None:
    assert desk.card_after(after(facts=facts))["card_headline"] == line


@pytest.mark.parametrize("outcome", [*SETTLED, "interrupted", "done"])
@pytest.mark.parametrize("status", BookingStatus)
@pytest.mark.parametrize("callback", Callback)
def test_every_card_has_its_words(status: BookingStatus, callback: Callback, outcome: str) -> None:
    begins = datetime(2026, 11, 23, 10)  # noqa: DTZ001 (local, as on the card)
    booked = status is BookingStatus.CONFIRMED
    for known, kind, reason in itertools.product(
        ({}, PERSONAL | {"number": "+1"}), ("other", "sales_lead"), ("", "a bill")
    ):
        about = "water_heater" if known else ""
        line = headline(status, callback, kind, begins if booked else None, outcome, about)
        window = (begins, begins) if booked else None
        text = summary(known, ["zip"], status, window, (callback, kind, reason))
        for each in (line, text):
            assert each
            assert not set(each) & set("{}_")
            assert "  " not in each


def test_what_a_crash_forgot_does_not_replace_the_card(desk: Desk) -> None:
    known = {"problem": "no heat", "name": "Ann Example", "call_back": "wanted"}
    whole = desk.card_after(after(facts=known))
    assert desk.card_after(after(recovered=True)) == whole
    assert desk.card_after(after(call="c2", recovered=True)) != whole
