from datetime import UTC, datetime

import pytest

from appliance.actions import wrapup as wrapup_module
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.errors import ConfigError, SourceError, StoreError

OVER = CallOver(
    call="abc", number="+13105550100", flow="booking", outcome="booked", ended_by="appliance",
    started=datetime(2026, 11, 23, 9, tzinfo=UTC), language="en", turns=3,
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)


class Card:
    """Done after failing `failures` times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.asked = 0
        self.done: list[CallOver] = []

    def __call__(self, over: CallOver) -> None:
        self.asked += 1
        if self.failures:
            self.failures -= 1
            raise StoreError("locked")
        self.done.append(over)


@pytest.mark.parametrize("failures", [0, 2, 3])
def test_what_the_store_refuses_is_done_later(failures: int) -> None:
    card = Card(failures)
    wrap_ups = WrapUps({"card": card})
    wrap_ups.run(["card"], OVER)
    assert len(card.done) == (failures < 3)
    wrap_ups.close()
    assert card.done == [OVER]


def test_one_that_fails_keeps_no_other_from_its_work() -> None:
    card, asked = Card(0), []

    def broken(over: CallOver) -> None:
        asked.append(over)
        raise ConfigError("no such template")

    wrap_ups = WrapUps({"broken": broken, "card": card})
    wrap_ups.run(["nobody", "broken", "card"], OVER)
    wrap_ups.close()
    assert card.done == [OVER]
    assert asked == [OVER]  # trying it again would not help


def test_a_call_is_done_once_nothing_of_it_waits() -> None:
    locked, card, done = Card(4), Card(0), []
    wrap_ups = WrapUps({"locked": locked, "card": card})
    wrap_ups.run(["locked", "card"], OVER, lambda: done.append("first"))
    assert (card.done, done) == ([OVER], [])
    wrap_ups.catch_up()  # the fourth failure
    assert (wrap_ups.behind, done) == (True, [])
    wrap_ups.run([], OVER, lambda: done.append("second"))  # catches up first
    wrap_ups.close()
    assert (locked.done, done) == ([OVER], ["first", "second"])


def test_a_bug_in_one_fails_nothing_else() -> None:
    card, done = Card(0), []

    def buggy(over: CallOver) -> None:
        raise KeyError("no such fact")

    WrapUps({"buggy": buggy, "card": card}).run(["buggy", "card"], OVER, lambda: done.append(1))
    assert (card.done, done) == ([OVER], [1])


def test_helpdesk_that_is_not_reached_is_not_asked_again_at_once() -> None:
    """Each time may take its whole deadline, in the thread that stores for all calls."""
    asked = []

    def unreached(over: CallOver) -> None:
        asked.append(over)
        if len(asked) < 3:
            raise SourceError("request tracker: timed out")

    wrap_ups = WrapUps({"inquiry": unreached})
    wrap_ups.run(["inquiry"], OVER)
    assert (len(asked), wrap_ups.behind) == (1, True)
    wrap_ups.catch_up()
    wrap_ups.catch_up()
    assert (len(asked), wrap_ups.behind) == (3, False)


def test_one_that_is_always_refused_keeps_no_other_waiting() -> None:
    card, done = Card(4), []

    def refused(over: CallOver) -> None:
        raise SourceError("request tracker: HTTP 403")

    wrap_ups = WrapUps({"refused": refused, "card": card})
    wrap_ups.run(["refused"], OVER)
    wrap_ups.run(["card"], OVER, lambda: done.append(1))
    for _ in range(4):
        wrap_ups.catch_up()
    assert (card.done, done) == ([OVER], [1])
    assert wrap_ups.behind
