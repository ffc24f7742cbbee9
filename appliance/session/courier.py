"""Delivers notifications beside the calls, in a thread for each channel.

Courier.run ── every second ──> delivery.attempt until nothing is due
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import structlog

from appliance.actions.delivery import Channel, Delivery, attempt
from appliance.actions.email import Email
from appliance.actions.webhook import Webhook
from appliance.clock import Clock
from appliance.config import NotifyConfig
from appliance.session.services import Services, workers
from appliance.store.database import Database
from appliance.store.outbox import Outbox

_LOOK_EVERY_S = 1.0
_CATCH_UP_EVERY_S = 5.0
_log = structlog.get_logger()


def deliveries(database: Database, config: NotifyConfig, clock: Clock) -> list[Delivery[Any]]:
    """One for each channel that is configured.

    Raises:
        ConfigError: a secret or certificate cannot be read.
        StoreError: the outbox cannot be opened.
    """
    outbox = Outbox(database)
    channels: list[Channel] = []
    if config.email is not None:
        channels.append(Email(config.email))
    if config.webhook is not None:
        channels.append(Webhook(config.webhook))
    stranded = outbox.stranded(config.channels)
    if stranded:
        _log.warning("notifications wait for a channel that is not configured any more;"
                     " see `appliance outbox deliver --again`", count=stranded)  # fmt: skip
    return [Delivery(outbox, channel, config, clock) for channel in channels]


class Courier:
    """Runs deliveries until it is cancelled."""

    def __init__(self, deliveries: Sequence[Delivery[Any]]) -> None:
        self._deliveries = deliveries

    async def run(self) -> None:
        """Deliver. Cancelled, it breaks off what is under way: that is delivered later."""
        threads = {each: workers(f"delivery-{each.name}", 1) for each in self._deliveries}
        try:
            async with asyncio.TaskGroup() as tasks:
                for each, thread in threads.items():
                    tasks.create_task(self._deliver(each, thread), name=f"delivery {each.name}")
        finally:
            for each, thread in threads.items():
                each.stop()
                thread.shutdown(wait=True)

    async def _deliver(self, delivery: Delivery[Any], thread: Executor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while await loop.run_in_executor(thread, attempt, delivery):
                pass
            await asyncio.sleep(_LOOK_EVERY_S)


async def keep_up(services: Services) -> None:
    """Store what could not be stored, until cancelled: nobody may call for hours."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(_CATCH_UP_EVERY_S)
        for worker, kept in (
            (services.store_worker, services.actions),
            (services.afterwards, services.wrap_ups),
        ):
            if kept.behind:
                try:
                    await loop.run_in_executor(worker, kept.catch_up)
                except Exception:  # noqa: BLE001 - boundary: what waits must not wait for ever
                    _log.exception("not caught up because of a bug")
