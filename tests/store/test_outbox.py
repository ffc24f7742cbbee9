from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.errors import StoreError
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Parcel, Standing
from appliance.store.requests import Requests
from tests.store.asking import MONDAY, ask

CHANNELS = ("email", "webhook")
SECOND = timedelta(seconds=1)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


@pytest.fixture
def outbox(database: Database) -> Outbox:
    requests = Requests(database, CHANNELS)
    for number in range(2):
        requests.add(ask(f"c{number}:7:cb", at=MONDAY + number * SECOND), "callback")
    return Outbox(database)


def lease(outbox: Outbox, seconds_later: int = 10) -> Parcel:
    parcel = outbox.lease("email", MONDAY + seconds_later * SECOND, 30)
    assert parcel is not None
    return parcel


def test_each_channel_has_its_own(outbox: Outbox) -> None:
    assert len(outbox.all()) == 4
    assert lease(outbox).channel == "email"
    assert outbox.lease("fax", MONDAY + 10 * SECOND, 30) is None


def test_oldest_first_and_none_before_its_time(outbox: Outbox) -> None:
    assert outbox.lease("email", MONDAY - SECOND, 30) is None
    assert lease(outbox, 0).notice.call == "c0"
    assert outbox.lease("email", MONDAY, 30) is None
    assert lease(outbox, 1).notice.call == "c1"


def test_leased_to_one_until_the_lease_runs_out(outbox: Outbox) -> None:
    assert [lease(outbox).notice.call, lease(outbox).notice.call] == ["c0", "c1"]
    assert outbox.lease("email", MONDAY + 39 * SECOND, 30) is None
    assert lease(outbox, 40).attempts == 2  # whoever held it has crashed


def test_clock_that_was_ahead_keeps_nothing_waiting(outbox: Outbox) -> None:
    """It is set right after a notice was put off, and another leased by who has crashed since."""
    wrong, hour = MONDAY + timedelta(days=400), 3600.0
    put_off = outbox.lease("email", wrong, 30, hour)
    assert put_off is not None
    outbox.put_off(put_off, wrong + timedelta(seconds=60), "HTTP 500")
    leased = outbox.lease("email", wrong, 30, hour)
    assert leased is not None
    now = MONDAY + 10 * SECOND
    found = [outbox.lease("email", now, 30, hour) for _ in range(3)]
    assert [each.notice.call for each in found if each] == ["c1", "c0"]


def test_what_is_put_off_by_a_right_clock_stays_put_off(outbox: Outbox) -> None:
    parcel = lease(outbox)
    outbox.put_off(parcel, MONDAY + 3600 * SECOND, "HTTP 500")
    assert lease(outbox).notice.call == "c1"
    assert outbox.lease("email", MONDAY + 10 * SECOND, 30, 3600) is None


def test_delivered_is_done(outbox: Outbox) -> None:
    outbox.delivered(lease(outbox), MONDAY)
    assert lease(outbox, 9999).notice.call == "c1"
    assert len(outbox.all(Standing.DELIVERED)) == 1


def test_put_off_until_later(outbox: Outbox) -> None:
    outbox.put_off(lease(outbox), MONDAY + 60 * SECOND, "SMTP 451")
    assert lease(outbox).notice.call == "c1"
    assert outbox.lease("email", MONDAY + 39 * SECOND, 30) is None
    again = lease(outbox, 60)
    assert (again.notice.call, again.attempts, again.why) == ("c1", 2, "")
    assert lease(outbox, 60).why == "SMTP 451"


def test_given_up_and_kept_can_be_revived(outbox: Outbox, database: Database) -> None:
    outbox.given_up(lease(outbox), MONDAY, "SMTP 550")
    Requests(database).add(ask("c9:7:cb"), "callback")
    assert outbox.revive((), MONDAY) == 0
    assert len(outbox.all(Standing.KEPT)) == 1
    assert outbox.revive(CHANNELS, MONDAY) == 2
    assert not outbox.all(Standing.KEPT, Standing.GIVEN_UP)
    waiting = [each for each in outbox.all(Standing.WAITING) if each.channel == "email"]
    assert {each.notice.call for each in waiting} == {"c0", "c1", "c9"}


def test_what_waits_for_a_channel_that_is_gone_goes_through_another(
    outbox: Outbox, database: Database
) -> None:
    """Once: c0 and c1 go through both anyway."""
    Requests(database, ["email"]).add(ask("c8:7:cb"), "callback")
    assert (outbox.stranded(["email"]), outbox.stranded(["webhook"])) == (2, 3)
    assert outbox.revive(("webhook",), MONDAY) == 3
    waiting = [(each.notice.call, each.channel) for each in outbox.all(Standing.WAITING)]
    assert sorted(waiting) == [("c0", "webhook"), ("c1", "webhook"), ("c8", "webhook")]
    assert outbox.stranded(["webhook"]) == 0


def test_moment_without_a_zone_is_refused(outbox: Outbox) -> None:
    with pytest.raises(StoreError, match="needs its zone"):
        outbox.lease("email", MONDAY.replace(tzinfo=None), 30)
