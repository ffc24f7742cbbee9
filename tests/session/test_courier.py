import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.actions import host as host_module
from appliance.actions.host import ActionHost
from appliance.actions.tools import Claim
from appliance.actions.wrapup import WrapUps
from appliance.config import Config, NotifyConfig
from appliance.errors import ConfigError
from appliance.session import courier as courier_module
from appliance.session.courier import deliveries, keep_up
from appliance.session.services import workers
from appliance.session.toolbox import tools
from appliance.store import database as database_module
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.store.requests import Requests
from appliance.testing.clock import VirtualClock
from tests.fault.test_store_contention import locked
from tests.store.asking import ask


def test_callback_is_stored_once_the_lock_is_gone_and_nobody_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)
    monkeypatch.setattr(courier_module, "_CATCH_UP_EVERY_S", 0.01)
    database = Database(tmp_path / "x.sqlite")
    host = ActionHost(ActionStore(database), tools(database, Config()))
    worker = workers("store", 1)
    services: Any = SimpleNamespace(
        actions=host, wrap_ups=WrapUps({}), store_worker=worker, afterwards=worker
    )

    async def run() -> None:
        with locked(tmp_path / "x.sqlite"):
            host.perform(ask("c1:7:create_callback_request"), Claim())
            task = asyncio.create_task(keep_up(services))
            await asyncio.sleep(0.1)
            assert host.behind
        async with asyncio.timeout(20):
            while host.behind:
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    worker.shutdown()
    assert len(Requests(database).all()) == 1
    database.close()


def test_a_bug_does_not_end_the_catching_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courier_module, "_CATCH_UP_EVERY_S", 0.01)
    worker, asked = workers("store", 1), []

    def catch_up() -> None:
        asked.append(1)
        raise KeyError("a bug")

    broken = SimpleNamespace(behind=True, catch_up=catch_up)
    services: Any = SimpleNamespace(
        actions=broken, wrap_ups=WrapUps({}), store_worker=worker, afterwards=worker
    )

    async def run() -> None:
        task = asyncio.create_task(keep_up(services))
        async with asyncio.timeout(20):
            while len(asked) < 2:
                assert not task.done()
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    worker.shutdown()


def test_no_channel_is_nothing_to_deliver(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    assert deliveries(database, NotifyConfig(), VirtualClock()) == []
    database.close()


def test_box_does_not_start_without_its_secret(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    config = NotifyConfig.model_validate(
        {"webhook": {"url": "http://127.0.0.1/", "secret_file": tmp_path / "none"}}
    )
    with pytest.raises(ConfigError, match=r"notify\.webhook\.secret_file: .*cannot be read"):
        deliveries(database, config, VirtualClock())
    database.close()
