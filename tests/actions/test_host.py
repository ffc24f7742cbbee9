import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from appliance.actions import host as host_module
from appliance.actions.host import ActionHost
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.errors import StoreError

REQUEST = Request(
    key="abc:4:schedule_callback", call="abc", tool="schedule_callback",
    args={"date": "2026-01-15"}, at=datetime(2026, 1, 2, tzinfo=UTC),
)  # fmt: skip


class Ledger:
    """Keeps requests after failing `failures` times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.kept: dict[str, Request] = {}

    def add(self, request: Request) -> bool:
        if self.failures:
            self.failures -= 1
            raise StoreError("disk full")
        new = request.key not in self.kept
        self.kept.setdefault(request.key, request)
        return new


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)


@pytest.mark.parametrize(("failures", "outcome"), [(0, DONE), (2, DONE), (3, FAILED)])
def test_a_failing_store_is_tried_again(failures: int, outcome: str) -> None:
    ledger = Ledger(failures)
    assert ActionHost(ledger).perform(REQUEST, Claim()) == Result(outcome)
    assert len(ledger.kept) == (outcome == DONE)


def test_what_could_not_be_stored_is_stored_later() -> None:
    ledger = Ledger(3)
    host = ActionHost(ledger)
    assert host.perform(REQUEST, Claim()) == Result(FAILED)
    host.close()
    assert list(ledger.kept) == [REQUEST.key]


def test_a_request_delivered_twice_is_kept_once() -> None:
    ledger = Ledger(0)
    host = ActionHost(ledger)
    assert [host.perform(REQUEST, Claim()).outcome for _ in range(2)] == [DONE, DONE]
    assert list(ledger.kept) == [REQUEST.key]


def test_a_tool_answers_in_place_of_the_ledger() -> None:
    ledger = Ledger(0)
    found = Result("found", {"day": "2026-01-15"})
    host = ActionHost(ledger, {"schedule_callback": lambda request, claim: found})
    assert host.perform(REQUEST, Claim()) == found
    assert not ledger.kept


def test_a_tool_that_breaks_has_failed_and_is_not_tried_later() -> None:
    asked = []

    def broken(request: Request, claim: Claim) -> Result:
        asked.append(request)
        raise StoreError("locked")

    host = ActionHost(Ledger(0), {"schedule_callback": broken})
    assert host.perform(REQUEST, Claim()) == Result(FAILED)
    host.close()
    assert asked == [REQUEST]


def test_a_claim_is_either_taken_or_given_up() -> None:
    taken, given_up = Claim(), Claim()
    assert taken.take()
    assert taken.take()
    assert not taken.give_up()
    assert given_up.give_up()
    assert not given_up.take()


@pytest.mark.parametrize("_round", range(100))
def test_a_claim_that_both_want_goes_to_one(_round: int) -> None:
    claim, won = Claim(), []

    def race(do: Callable[[], bool]) -> None:
        won.append(do())

    racers = [threading.Thread(target=race, args=(do,)) for do in (claim.take, claim.give_up)]
    for each in racers:
        each.start()
    for each in racers:
        each.join()
    assert sorted(won) == [False, True]
