from pathlib import Path

import pytest

from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.store.requests import Origin, Requests
from tests.store.asking import MONDAY, ask

KEY = "c1:7:create_callback_request"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.sqlite")


def test_request_and_its_notification_come_together_and_once(database: Database) -> None:
    requests = Requests(database, ("email",))
    assert requests.add(ask(KEY, callback_type="billing"), "callback") is True
    assert requests.add(ask(KEY, callback_type="billing"), "callback") is False
    (kept,) = requests.all()
    assert kept.details["callback_type"] == "billing"
    assert kept.origin is Origin.CALL
    (parcel,) = Outbox(database).all()
    assert parcel.notice.key == f"callback:{KEY}"
    assert parcel.notice.details["number"] == "+13105550100"
    assert parcel.standing is Standing.WAITING


def test_without_a_channel_the_notification_is_kept(database: Database) -> None:
    Requests(database).add(ask("c1:7:send_sales_lead_alert"), "lead")
    (parcel,) = Outbox(database).all()
    assert (parcel.channel, parcel.standing) == ("", Standing.KEPT)


def test_closed_once(database: Database) -> None:
    requests = Requests(database)
    requests.add(ask(KEY), "callback")
    requests.add(ask("c2:7:create_callback_request"), "callback")
    assert requests.close(KEY, MONDAY) is True
    assert requests.close(KEY, MONDAY) is False
    assert requests.close("none", MONDAY) is False
    assert [each.call for each in requests.all(open_only=True)] == ["c2"]
    assert len(requests.all()) == 2
    assert requests.all(call="c1")[0].closed == MONDAY


def test_callback_is_inferred_only_where_there_is_none(database: Database) -> None:
    requests = Requests(database)
    requests.add(ask("c1:7:send_sales_lead_alert"), "lead")
    assert requests.infer_callback(ask("c1:wrap_up:callback")) is True
    assert requests.infer_callback(ask("c1:wrap_up:callback")) is False
    requests.add(ask("c2:7:create_callback_request"), "callback")
    assert requests.infer_callback(ask("c2:wrap_up:callback")) is False
    assert [(each.call, each.origin) for each in requests.all()] == [
        ("c1", Origin.CALL), ("c1", Origin.INFERRED), ("c2", Origin.CALL),
    ]  # fmt: skip


def test_late_callback_takes_the_place_of_the_inferred_one(database: Database) -> None:
    """The database was locked when the caller was promised it; nobody is told twice."""
    requests = Requests(database)
    requests.infer_callback(ask("c1:wrap_up:callback", reason="guessed"))
    requests.close("c1:wrap_up:callback", MONDAY)
    assert requests.add(ask(KEY, reason="said"), "callback") is True
    (kept,) = requests.all()
    assert (kept.key, kept.details["reason"], kept.closed) == (KEY, "said", MONDAY)
    assert len(Outbox(database).all()) == 1
