"""The wall clock is set right, or wrong, while calls go on and notices wait.

Everything that counts time within a call reads the monotonic clock or the line's frames; only
what has to be told to people has wall times. So a jump may make a date in a log odd, and must not
end a call, keep a notice waiting, give one up, or store something twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.actions.delivery import Delivery
from appliance.actions.notices import Notice
from appliance.actions.wire import Cutoff
from appliance.config import NotifyConfig
from appliance.errors import PeerError
from appliance.store.database import Database
from appliance.store.events import read_events
from appliance.store.outbox import Outbox, Standing
from appliance.store.requests import Requests
from appliance.testing.clock import VirtualClock
from tests.session.conftest import placed
from tests.store.asking import ask

YEARS = timedelta(days=2000)
NOTIFY = NotifyConfig(retry_s=10, retry_max_s=60, give_up_h=1)


@pytest.mark.parametrize("by", [YEARS, -YEARS, timedelta(hours=1), -timedelta(hours=1)])
def test_jump_in_a_call_ends_nothing_and_is_in_no_duration(tmp_path: Path, by: timedelta) -> None:
    async def call() -> None:
        async with placed(tmp_path) as trial:
            await trial.listens()
            trial.clock.set_wall(by)
            await trial.says("stop calling me")
            await trial.listens()
            assert trial.line.is_down
            assert trial.actions() == ["mark_do_not_contact"]
        events = read_events(trial.log)
        times = [event["ms"] for event in events]
        assert times == sorted(times)
        assert trial.record()["outcome"] == "cease_contact"
        assert 0 < trial.record()["duration_ms"] < 60_000

    asyncio.run(call())


class Post:
    """A channel that refuses so often."""

    name = "webhook"

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.arrived: list[str] = []

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        if self.failures:
            self.failures -= 1
            raise PeerError("HTTP 500")
        self.arrived.append(notice.call)


class Box:
    """A callback whose notice waits."""

    def __init__(self, database: Database, post: Post) -> None:
        self.clock, self.post, self.outbox = VirtualClock(), post, Outbox(database)
        self.delivery = Delivery(self.outbox, post, NOTIFY, self.clock)
        Requests(database, ("webhook",)).add(ask("c1:7:x", at=self.clock.now()), "callback")

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            while self.delivery.deliver_next():
                pass
            self.clock.advance(1000)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


@pytest.mark.parametrize("by", [-YEARS, -timedelta(hours=5)])
def test_notice_that_was_put_off_by_a_clock_that_was_ahead_is_delivered(
    database: Database, by: timedelta
) -> None:
    box = Box(database, Post(failures=1))
    box.run(1)
    assert box.post.arrived == []
    box.clock.set_wall(by)
    box.run(61)
    assert box.post.arrived == ["c1"]


def test_notice_from_before_the_clock_was_set_is_not_given_up_at_its_first_failure(
    database: Database,
) -> None:
    """A box without a battery wakes up in another year; then the network tells it the time."""
    box = Box(database, Post(failures=3))
    box.clock.set_wall(YEARS)
    box.run(120)
    assert box.post.arrived == ["c1"]
    assert box.outbox.all(Standing.GIVEN_UP) == []


def test_notice_that_never_arrives_is_given_up_all_the_same(database: Database) -> None:
    box = Box(database, Post(failures=1000))
    box.clock.set_wall(YEARS)
    box.run(300)
    (parcel,) = box.outbox.all(Standing.GIVEN_UP)
    assert parcel.why == "HTTP 500"


def test_lease_of_a_box_that_was_killed_before_its_clock_was_set_back_runs_out(
    database: Database,
) -> None:
    box = Box(database, Post())
    leased = box.outbox.lease("webhook", box.clock.now(), 40.0)
    assert leased is not None
    box.clock.set_wall(-YEARS)
    box.run(1)
    assert box.post.arrived == ["c1"]
