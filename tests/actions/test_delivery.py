from collections.abc import Callable
from datetime import datetime

import pytest

from appliance.actions.delivery import Delivery, attempt, retry_after_s
from appliance.actions.notices import Notice
from appliance.actions.wire import Cutoff
from appliance.config import NotifyConfig
from appliance.errors import PeerError, StoreError
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Parcel, Standing
from appliance.store.requests import Requests
from appliance.testing.clock import VirtualClock
from tests.store.asking import ask

CONFIG = NotifyConfig(retry_s=10, retry_max_s=60, give_up_h=1)


class Post:
    """A channel that fails as often as it is told to."""

    name = "webhook"

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.arrived: list[str] = []
        self.attempts: list[datetime] = []
        self.clock = VirtualClock()

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        self.attempts.append(self.clock.now())
        if self.failures:
            self.failures -= 1
            raise PeerError("HTTP 500")
        self.arrived.append(notice.call)


@pytest.fixture
def outbox(database: Database) -> Outbox:
    return Outbox(database)


@pytest.fixture
def enqueue(database: Database) -> Callable[[Post, str], None]:
    requests = Requests(database, ("webhook",))
    return lambda post, call: requests.add(ask(f"{call}:7:x", at=post.clock.now()), "callback")


def run_for(delivery: Delivery[Parcel], post: Post, seconds: int) -> None:
    for _ in range(seconds):
        while attempt(delivery):
            pass
        post.clock.advance(1000)


def test_back_off_doubles_up_to_its_limit() -> None:
    assert [retry_after_s(CONFIG, n) for n in (1, 2, 3, 4, 5, 500)] == [10, 20, 40, 60, 60, 60]


def test_tried_again_at_the_times_that_the_schedule_says(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    post = Post(failures=5)
    began = post.clock.now()
    enqueue(post, "c1")
    run_for(Delivery(outbox, post, CONFIG, post.clock), post, 300)
    assert [(at - began).seconds for at in post.attempts] == [0, 10, 30, 70, 130, 190]
    assert post.arrived == ["c1"]
    (parcel,) = outbox.all(Standing.DELIVERED)
    assert parcel.attempts == 6
    assert not parcel.why


def test_given_up_when_too_old_and_revived_by_the_operator(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    post = Post(failures=1000)
    enqueue(post, "c1")
    delivery = Delivery(outbox, post, CONFIG, post.clock)
    for _ in range(130):
        run_for(delivery, post, 1)
        post.clock.advance(29_000)
    (parcel,) = outbox.all(Standing.GIVEN_UP)
    assert parcel.why == "HTTP 500"
    made = len(post.attempts)
    run_for(delivery, post, 200)
    assert len(post.attempts) == made
    post.failures = 0
    assert outbox.revive(("webhook",), post.clock.now()) == 1
    run_for(delivery, post, 1)
    assert post.arrived == ["c1"]


def test_one_that_fails_keeps_no_other_waiting(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    post = Post(failures=1)
    for call in ("c1", "c2", "c3"):
        enqueue(post, call)
    delivery = Delivery(outbox, post, CONFIG, post.clock)
    run_for(delivery, post, 1)
    assert post.arrived == ["c2", "c3"]
    run_for(delivery, post, 30)
    assert post.arrived == ["c2", "c3", "c1"]


def test_what_arrived_and_could_not_be_marked_is_not_sent_again(
    outbox: Outbox, enqueue: Callable[[Post, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    post = Post()
    enqueue(post, "c1")
    delivery = Delivery(outbox, post, CONFIG, post.clock)

    def locked(*_: object) -> None:
        raise StoreError("locked")

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "delivered", locked)
        run_for(delivery, post, 1)
    run_for(delivery, post, 60)  # its lease runs out
    assert post.arrived == ["c1"]
    assert len(outbox.all(Standing.DELIVERED)) == 1


def test_bug_in_a_channel_keeps_no_other_notice_from_its_way(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    class Broken(Post):
        def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
            if notice.call == "c1":
                raise KeyError("a bug")
            super().deliver(notice, cutoff)

    post = Broken()
    enqueue(post, "c1")
    enqueue(post, "c2")
    run_for(Delivery(outbox, post, CONFIG, post.clock), post, 3)
    assert post.arrived == ["c2"]
    assert [each.notice.call for each in outbox.all(Standing.WAITING)] == ["c1"]


def test_stopped_it_begins_no_other(outbox: Outbox, enqueue: Callable[[Post, str], None]) -> None:
    post = Post()
    enqueue(post, "c1")
    delivery = Delivery(outbox, post, CONFIG, post.clock)
    delivery.stop()
    assert attempt(delivery) is False
    assert post.attempts == []


def test_another_box_process_does_not_deliver_the_same(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    """The agent's delivery is under way while the operator runs `outbox deliver`."""
    post = Post()
    enqueue(post, "c1")

    class Slow(Post):
        def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
            assert attempt(second) is False
            super().deliver(notice, cutoff)

    slow = Slow()
    second = Delivery(outbox, post, CONFIG, post.clock)
    assert attempt(Delivery(outbox, slow, CONFIG, post.clock)) is True
    assert (slow.arrived, post.arrived) == (["c1"], [])


def test_broken_off_by_the_end_of_the_box_is_nobodys_failure(
    outbox: Outbox, enqueue: Callable[[Post, str], None]
) -> None:
    class Cut(Post):
        def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
            delivery.stop()
            assert cutoff.over
            raise PeerError("timed out")

    post = Cut()
    enqueue(post, "c1")
    post.clock.advance(3_600_000 * 2)  # old enough to be given up
    delivery = Delivery(outbox, post, CONFIG, post.clock)
    assert attempt(delivery) is False
    (parcel,) = outbox.all(Standing.WAITING)
    assert parcel.due == post.clock.now()
