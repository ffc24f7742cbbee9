"""What `[desk]` makes the box run beside its calls."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.config import Config
from appliance.errors import ConfigError
from appliance.session.deskserver import DeskServer
from appliance.session.outside import open_outside
from appliance.session.textdesk import TextDesk
from appliance.session.textservices import text_services
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.testing.clock import VirtualClock
from tests.session.texting import FLOW, shelf, understander


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Any]:
    database, clock = Database(tmp_path / "x.sqlite"), VirtualClock()
    yield SimpleNamespace(
        flows=shelf(FLOW), database=database, clock=clock, understander=understander(),
        actions=None, wrap_ups=None, store_worker=None, afterwards=None, outside_workers=None,
        outside=SimpleNamespace(desk=Conversations(database, clock), warm=lambda _: None),
    )  # fmt: skip
    database.close()


def config(tmp_path: Path, **desk: Any) -> Config:
    (tmp_path / "token").write_text("1-27-0123")
    return Config.model_validate({"desk": desk})


def test_nothing_is_run_unless_it_is_asked_for(services: Any, tmp_path: Path) -> None:
    assert text_services(config(tmp_path), services) == []


def test_answering_and_the_api(services: Any, tmp_path: Path) -> None:
    services.outside.inbox = services.outside.desk
    wanted = config(tmp_path, flow=str(FLOW), port=18431, token_file=tmp_path / "token")
    answering, api = text_services(wanted, services)
    assert isinstance(answering, TextDesk)
    assert isinstance(api, DeskServer)
    assert api.port == 18431
    api._socket.close()


def test_api_is_that_of_the_own_desk_alone(services: Any, tmp_path: Path) -> None:
    tracker = {"url": "http://127.0.0.1:9/rt", "token_file": tmp_path / "token"}
    wanted = config(
        tmp_path, kind="request_tracker", request_tracker=tracker, port=18432,
        token_file=tmp_path / "token",
    )  # fmt: skip
    outside = open_outside(wanted, services.database, services.clock)
    services.outside = outside
    with pytest.raises(ConfigError, match=r"desk\.port"):
        text_services(wanted, services)
    outside.close()
