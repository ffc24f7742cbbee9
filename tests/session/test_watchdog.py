"""The watchdog is fed while calls could be served, and then only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from appliance.session.watchdog import HEARING, HUNG_S, Vigil, Watchdog
from appliance.testing.clock import VirtualClock

HUNG_MS = int(HUNG_S * 1000)


class Told:
    """Stands where systemd is."""

    watchdog_s = 30.0

    def __init__(self) -> None:
        self.fed = 0
        self.last = ""

    def alive(self) -> None:
        self.fed += 1

    def status(self, status: str) -> None:
        self.last = status


@pytest.fixture
def worker() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as worker:
        yield worker


def come_back(worker: ThreadPoolExecutor) -> None:
    worker.submit(int).result()


def test_a_worker_that_hangs_is_named_until_it_works_again(worker: ThreadPoolExecutor) -> None:
    clock, may_end = VirtualClock(), threading.Event()
    told: Any = Told()
    vigil = Vigil({"speaking": worker}, lambda: False, clock)
    watchdog = Watchdog(told, vigil, lambda: "0 of 3 calls")
    watchdog.look()
    assert (told.fed, told.last) == (1, "0 of 3 calls")
    come_back(worker)
    stuck = worker.submit(may_end.wait)
    watchdog.look()
    clock.advance(HUNG_MS)
    watchdog.look()  # asks for the first time since it hangs
    clock.advance(HUNG_MS)
    watchdog.look()
    assert told.fed == 4
    clock.advance(1)
    watchdog.look()
    assert (told.fed, told.last) == (4, "hangs: speaking")
    may_end.set()
    stuck.result()
    come_back(worker)
    watchdog.look()
    assert (told.fed, told.last) == (5, "0 of 3 calls")


def test_a_worker_that_is_busy_but_gets_on_does_not_hang(worker: ThreadPoolExecutor) -> None:
    clock = VirtualClock()
    vigil = Vigil({"store": worker}, lambda: False, clock)
    for _ in range(5):
        assert vigil.hung() == ()
        come_back(worker)
        clock.advance(HUNG_MS)


def test_a_box_that_can_hear_nobody_any_more() -> None:
    clock, deaf = VirtualClock(), True
    vigil = Vigil({}, lambda: deaf, clock)
    assert vigil.hung() == ()
    clock.advance(HUNG_MS)
    assert vigil.hung() == ()  # a decode may still come back
    clock.advance(1)
    assert vigil.hung() == (HEARING,)
    deaf = False
    assert vigil.hung() == ()
