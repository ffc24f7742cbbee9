"""The booking flow by text on the box's real tools, and what becomes of a call when they fail."""

from collections.abc import Iterator
from datetime import time
from pathlib import Path

import pytest

from appliance.actions import host as host_module
from appliance.actions import wrapup as wrapup_module
from appliance.actions.booking_card import SETTLED
from appliance.actions.host import ActionHost
from appliance.actions.tools import Claim, Request
from appliance.actions.wrapup import WrapUps
from appliance.cli.chat import as_listened, example_accounts, understanding
from appliance.config import Config
from appliance.dialogue.events import ToolDone
from appliance.dialogue.turn import Turn
from appliance.flows.registry import load_flow
from appliance.flows.textcall import TextCall
from appliance.session.afterwards import Story
from appliance.session.toolbox import tools, wrap_ups
from appliance.store import database as database_module
from appliance.store.accounts import load_accounts
from appliance.store.actions import ActionStore
from appliance.store.calendar import Calendar, Rules
from appliance.store.calendar_bookings import Bookings
from appliance.store.calendar_windows import Hours
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.store.papers import CARD, Papers
from appliance.store.requests import Origin, Requests
from tests.fault.test_store_contention import locked
from tests.store.asking import MONDAY

PROBLEM = "my furnace is not working"
DETAILS = (PROBLEM, "no", "90210", "twelve oak street", "maria lopez", "yes")
BOOKS = (*DETAILS, "as soon as possible", "yes")
MARIA = "+13105550100"


class Desk:
    """A box without a telephone: the flow, the real tools and what they store."""

    def __init__(self, path: Path) -> None:
        self.database = Database(path)
        self.host = ActionHost(ActionStore(self.database), tools(self.database, Config()))
        self.wrap_ups = WrapUps(wrap_ups(self.database, Config()))
        self.calendar = Calendar(self.database)
        self.bookings, self.requests = Bookings(self.database), Requests(self.database)
        self.outbox, self.cards = Outbox(self.database), Papers(self.database, CARD)


class Caller:
    """One call of the booking flow."""

    def __init__(self, desk: Desk, call: str, number: str = MARIA) -> None:
        self._desk, self._number, self.key = desk, number, call
        flow = load_flow("booking")
        account = load_accounts(example_accounts("booking")).find(number)
        bound = flow.bind(call, account, "en", entry={"caller_number": number})
        self._call = TextCall(bound, as_listened(understanding(None)), lambda: MONDAY)
        self._story = Story()
        self.said: list[str] = []
        self._settle(self._call.starts())

    def says(self, *texts: str) -> None:
        for text in texts:
            self._settle(self._call.says(text))

    def hangs_up(self) -> None:
        self._story.ended_by = "peer"
        self._settle(self._call.hangs_up())

    def hangs_up_while_something_is_done(self, text: str) -> None:
        """He says this, and is gone before the tool that it leads to has come to an end."""
        turn = self._call.says(text)
        self._story.ended_by = "peer"
        self._call.hangs_up()
        self._settle(turn)

    def is_over(self) -> str:
        """What the session does after the call; returns its outcome."""
        self._story.leaves(self._call.flow, self._call.state)
        over = self._story.over(self._call.flow, self._call.state, self._number, MONDAY)
        self._desk.wrap_ups.run(self._story.wrap_up, over)
        assert self._call.state.ended
        return over.outcome

    def _settle(self, turn: Turn) -> None:
        self.said += [prompt.id for prompt in turn.say]
        for action in () if turn.state.ended else turn.actions:
            request = Request(
                key=action.key, call=self.key, tool=action.name, args=action.args, at=MONDAY,
                number=self._number, flow="booking",
            )  # fmt: skip
            result = self._desk.host.perform(request, Claim())
            self._story.deeds.append((action.name, result.outcome))
            facts = tuple(sorted(result.facts.items()))
            self._settle(self._call.take(ToolDone(action.name, result.outcome, action.key, facts)))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)
    desk = Desk(tmp_path / "x.sqlite")
    yield desk
    desk.database.close()


def test_second_call_is_that_of_somebody_known(desk: Desk) -> None:
    first = Caller(desk, "c1")
    first.says(*BOOKS)
    assert first.is_over() == "booked"
    assert {"ask_zip", "ask_address", "ask_name"} <= set(first.said)
    second = Caller(desk, "c2")
    second.says("my water heater is leaking", "no", "yes", "as soon as possible", "yes")
    assert second.is_over() == "booked"
    assert not {"ask_zip", "ask_address", "ask_name"} & set(second.said)
    one, two = (desk.bookings.of_call(call) for call in ("c1", "c2"))
    assert one is not None
    assert two is not None
    assert two.begins >= one.ends  # nobody can be at home for two technicians at once
    assert (two.address, two.zip, two.name) == (one.address, one.zip, one.name)
    assert desk.requests.all() == []
    assert len(desk.outbox.all()) == 2


def test_full_calendar_ends_in_a_callback(desk: Desk) -> None:
    desk.calendar.set_hours(range(7), [])
    caller = Caller(desk, "c1")
    caller.says(*BOOKS)
    assert caller.is_over() == "booking_full"
    assert caller.said.count("no_slot") == 1
    (callback,) = desk.requests.all()
    assert (callback.origin, callback.details["callback_type"]) == (Origin.CALL, "booking_failed")
    assert callback.details["problem"]
    (parcel,) = desk.outbox.all()
    assert parcel.notice.kind == "callback"
    card = desk.cards.find("c1")
    assert card is not None
    assert card["booking_status"] == "attempted_failed"
    assert card["card_headline"] == "Call back: booking failed (heating)"


def test_last_place_goes_to_one_of_two_callers(desk: Desk) -> None:
    desk.calendar.set_hours(range(7), [])
    desk.calendar.set_hours([1], [Hours(1, time(8), time(10), minutes=120, capacity=1)])
    desk.calendar.set_rules(Rules(lead_minutes=0, horizon_days=7))
    first, second = Caller(desk, "c1"), Caller(desk, "c2", "+13105550101")
    for text in BOOKS:  # word by word, side by side
        first.says(text)
        second.says(text)
    assert [first.is_over(), second.is_over()] == ["booked", "booking_full"]
    assert desk.bookings.of_call("c1") is not None
    assert [each.call for each in desk.requests.all()] == ["c2"]


def test_locked_database_loses_nothing_and_says_nothing_twice(desk: Desk, tmp_path: Path) -> None:
    caller = Caller(desk, "c1")
    caller.says(*BOOKS[:-1])
    with locked(tmp_path / "x.sqlite"):
        caller.says(BOOKS[-1])
        assert caller.is_over() == "booking_failed"
        assert desk.host.behind
        assert desk.wrap_ups.behind
    assert len(caller.said) == len(set(caller.said))
    assert {"not_booked", "not_noted"} <= set(caller.said)
    desk.host.catch_up()
    desk.wrap_ups.catch_up()
    assert desk.bookings.of_call("c1") is None
    (callback,) = desk.requests.all()
    assert (callback.origin, callback.details["name"]) == (Origin.CALL, "Maria Lopez")
    assert len(desk.outbox.all()) == 1
    card = desk.cards.find("c1")
    assert card is not None
    assert (card["callback"], card["booking_status"]) == ("requested", "attempted_failed")


@pytest.mark.parametrize("answers", range(1, len(BOOKS)))
def test_hung_up_midway_after_a_problem(desk: Desk, answers: int) -> None:
    """Wherever he hangs up after he has said what is wrong, he is called back, once."""
    caller = Caller(desk, "c1")
    caller.says(*BOOKS[:answers])
    caller.hangs_up()
    caller.is_over()
    (callback,) = desk.requests.all()
    assert callback.number == MARIA
    assert callback.details["problem"]
    assert len(desk.outbox.all()) == 1


def test_hung_up_while_it_is_booked_leaves_a_booking_and_no_callback(desk: Desk) -> None:
    caller = Caller(desk, "c1")
    caller.says(*BOOKS[:-1])
    caller.hangs_up_while_something_is_done(BOOKS[-1])
    assert caller.is_over() == "caller_left"
    assert desk.bookings.of_call("c1") is not None
    assert desk.requests.all() == []
    assert [parcel.notice.kind for parcel in desk.outbox.all()] == ["booking"]
    card = desk.cards.find("c1")
    assert card is not None
    assert card["booking_status"] == "confirmed"


def test_hung_up_while_nothing_is_free_is_called_back_once(desk: Desk) -> None:
    desk.calendar.set_hours(range(7), [])
    caller = Caller(desk, "c1")
    caller.says(*BOOKS[:-1])
    caller.hangs_up_while_something_is_done(BOOKS[-1])
    caller.is_over()
    (callback,) = desk.requests.all()
    assert callback.details["callback_type"] == "service"
    assert [parcel.notice.kind for parcel in desk.outbox.all()] == ["callback"]


def test_hung_up_at_once(desk: Desk) -> None:
    caller = Caller(desk, "c1")
    caller.hangs_up()
    caller.is_over()
    assert desk.requests.all() == []
    assert desk.cards.find("c1") is not None


def test_emergency_waits_for_no_callback(desk: Desk) -> None:
    caller = Caller(desk, "c1")
    caller.says(PROBLEM, "yes")
    assert caller.is_over() == "safety_emergency"
    assert desk.requests.all() == []
    card = desk.cards.find("c1")
    assert card is not None
    assert card["card_headline"] == "Emergency: told to call 911 (heating)"


def test_lead_is_told_to_people(desk: Desk) -> None:
    caller = Caller(desk, "c1")
    caller.says("i would like a quote for a new furnace", *DETAILS[1:])
    assert caller.is_over() == "sales_lead"
    assert [each.kind for each in desk.requests.all()] == ["callback", "lead"]
    assert [each.notice.kind for each in desk.outbox.all()] == ["callback", "lead"]


def test_safety_net_knows_the_outcomes_of_the_flow() -> None:
    assert set(SETTLED) <= set(load_flow("booking").spec.outcomes)
