"""Servers of the operator that hang, fail or vanish, and a box that is killed in between."""

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.actions.delivery import attempt
from appliance.config import EmailConfig, NotifyConfig, WebhookConfig
from appliance.session.courier import Courier, deliveries
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.store.requests import Requests
from appliance.testing.clock import VirtualClock
from tests.actions.servers import Server, mail, serving, web
from tests.store.asking import MONDAY, ask

ROOT = Path(__file__).resolve().parents[2]
CHANNELS = ("email", "webhook")

KILLED_AFTER_ENQUEUE = """
import os, signal, sys
from pathlib import Path
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from tests.store.asking import ask

database = Database(Path(sys.argv[1]))
Calendar(database)
bookings = Bookings(database, ("webhook",))
bookings.book(ask("c1:1:b"), lambda: True)
bookings.book(ask("c2:1:b", number="2"), lambda: os.kill(os.getpid(), signal.SIGKILL) or True)
"""

KILLED_WHEN_IT_ARRIVED = """
import os, signal, sys
from pathlib import Path
from appliance.actions.delivery import Delivery, attempt
from appliance.actions.webhook import Webhook
from appliance.config import NotifyConfig, WebhookConfig
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.testing.clock import VirtualClock
from tests.store.asking import MONDAY

class Killed(Webhook):
    def deliver(self, notice, cutoff):
        super().deliver(notice, cutoff)
        os.kill(os.getpid(), signal.SIGKILL)

channel = Killed(WebhookConfig(url=sys.argv[2], secret_file=Path(sys.argv[3])))
outbox = Outbox(Database(Path(sys.argv[1])))
attempt(Delivery(outbox, channel, NotifyConfig(), VirtualClock(MONDAY)))
"""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("0123456789abcdef")
    return path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


def notify(secret: Path, mails: Server, hooks: Server, deadline_s: float) -> NotifyConfig:
    """A deadline below the least that may be configured, so that the tests are quick."""
    config = NotifyConfig(
        email=EmailConfig(host="127.0.0.1", port=mails.port, tls="none",
                          sender="box@example.com", to=("a@example.com",)),
        webhook=WebhookConfig(url=f"http://127.0.0.1:{hooks.port}/", secret_file=secret),
        retry_s=1,
    )  # fmt: skip
    return config.model_copy(update={"deadline_s": deadline_s})


async def until(true: Any, what: str) -> None:
    """Wait for what other threads do; a test's own limit ends it."""
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.01)


def test_hanging_webhook_keeps_no_mail_waiting(database: Database, secret: Path) -> None:
    """Ten mails arrive while the webhook is still busy with the first post."""
    requests = Requests(database, CHANNELS)

    async def run(mails: Server, hooks: Server) -> None:
        config = notify(secret, mails, hooks, deadline_s=60)
        courier = asyncio.create_task(
            Courier(deliveries(database, config, VirtualClock(MONDAY))).run()
        )
        for number in range(10):
            requests.add(ask(f"c{number}:7:x"), "callback")
        await until(lambda: len(mails.mails) == 10, "mails")
        assert hooks.connections == 1
        courier.cancel()
        await asyncio.gather(courier, return_exceptions=True)

    before = set(threading.enumerate())
    with serving(mail) as mails, serving(web, "hang") as hooks:
        asyncio.run(run(mails, hooks))  # it ends at once: what hangs is cut off
    for each in set(threading.enumerate()) - before:
        each.join(5)
        assert not each.is_alive()
    assert len(Outbox(database).all(Standing.DELIVERED)) == 10
    assert len(Outbox(database).all(Standing.WAITING)) == 10


@pytest.mark.parametrize("first", ["hang", "drip", "busy", "drop"])
def test_both_channels_get_over_a_bad_first_attempt(
    database: Database, secret: Path, first: str
) -> None:
    Requests(database, CHANNELS).add(ask("c1:7:x"), "callback")
    clock = VirtualClock(MONDAY)
    with serving(mail, first, "ok") as mails, serving(web, first, "ok") as hooks:
        both = deliveries(database, notify(secret, mails, hooks, deadline_s=0.3), clock)
        for each in both:
            attempt(each)
        assert len(Outbox(database).all(Standing.WAITING)) == 2
        clock.advance(1000)
        for each in both:
            attempt(each)
    assert len(Outbox(database).all(Standing.DELIVERED)) == 2
    # With "drop" it had come, but nobody said so: the key tells.
    assert len(mails.mails) == (2 if first == "drop" else 1)
    assert len(hooks.posts) == (2 if first in ("drop", "busy") else 1)
    assert len({message["Message-ID"] for message in mails.mails}) == 1
    assert len({post.headers["Idempotency-Key"] for post in hooks.posts}) == 1


def test_servers_that_are_down_lose_nothing(database: Database, secret: Path) -> None:
    with serving(mail) as mails, serving(web) as hooks:
        config = notify(secret, mails, hooks, deadline_s=1)
    clock = VirtualClock(MONDAY)
    requests = Requests(database, CHANNELS)
    for number in range(3):
        requests.add(ask(f"c{number}:7:x"), "callback")
    for each in deliveries(database, config, clock):
        while attempt(each):
            pass
    waiting = Outbox(database).all(Standing.WAITING)
    assert len(waiting) == 6
    assert {each.why for each in waiting} == {"Connection refused"}


def _killed(code: str, *args: str) -> None:
    done = subprocess.run([sys.executable, "-c", code, *args], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL


def test_killed_between_enqueue_and_delivery(
    tmp_path: Path, database: Database, secret: Path
) -> None:
    """What was committed is delivered; what was not never happened."""
    _killed(KILLED_AFTER_ENQUEUE, str(tmp_path / "x.sqlite"))
    with serving(web) as hooks, serving(mail) as mails:
        config = notify(secret, mails, hooks, 5)
        for each in deliveries(database, config, VirtualClock(MONDAY)):
            while attempt(each):
                pass
    assert [post.headers["Idempotency-Key"] for post in hooks.posts] == ["booking:c1:1:b"]


def test_killed_between_arrival_and_mark(tmp_path: Path, database: Database, secret: Path) -> None:
    """Nobody knows that it arrived: it comes again, under the same key and not at once."""
    Requests(database, ("webhook",)).add(ask("c1:7:x"), "callback")
    with serving(web) as hooks, serving(mail) as mails:
        url = f"http://127.0.0.1:{hooks.port}/"
        _killed(KILLED_WHEN_IT_ARRIVED, str(tmp_path / "x.sqlite"), url, str(secret))
        config = notify(secret, mails, hooks, 5)
        clock = VirtualClock(MONDAY)
        _, delivery = deliveries(database, config, clock)
        assert attempt(delivery) is False  # the dead one's lease holds
        clock.advance(60_000)
        assert attempt(delivery) is True
    assert [post.headers["Idempotency-Key"] for post in hooks.posts] == ["callback:c1:7:x"] * 2
    assert hooks.posts[0].body == hooks.posts[1].body
    assert len(Outbox(database).all(Standing.DELIVERED)) == 1
