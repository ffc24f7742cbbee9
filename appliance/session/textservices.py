"""What `[desk]` asks for beside the calls: text messages answered, and the own desk's HTTP API."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from appliance.config import Config
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder
from appliance.flows.shelf import FlowShelf
from appliance.session.deskserver import DeskServer
from appliance.session.services import Services
from appliance.session.textdesk import TextDesk
from appliance.session.textmessage import TextMessages
from appliance.session.textrun import Means
from appliance.store.conversations import Conversations
from appliance.store.text_runs import TextRuns


class Runner(Protocol):
    """Something that runs beside the calls until it is cancelled."""

    async def run(self) -> None:
        """Run."""
        ...


def text_services(config: Config, services: Services) -> list[Runner]:
    """Those that are configured.

    Raises:
        ConfigError: the flow is refused, or the token cannot be read.
        StoreError: a table cannot be created.
    """
    found: list[Runner] = []
    outside = services.outside
    if config.desk.flow is not None:
        means = Means(
            services.actions, services.wrap_ups, services.understander, services.clock,
            services.store_worker, services.afterwards, services.outside_workers,
            config.call.language,
        )  # fmt: skip
        flows = _shelf(config.desk.flow, services.flows)
        outside.warm(flows.current.all())
        messages = TextMessages(
            outside.desk, outside.inbox, TextRuns(services.database), flows, means,
            config.desk.snooze_s,
        )  # fmt: skip
        found.append(TextDesk(messages, config.desk.poll_s))
    if config.desk.port is not None:
        if not isinstance(outside.desk, Conversations):
            raise ConfigError("desk.port: the API is that of the own desk; leave it out")
        found.append(DeskServer(config.desk, outside.desk, services.clock))
    return found


def _shelf(flow: str, calls: FlowShelf) -> FlowShelf:
    """The shelf of the calls where it is the same flow: it is proven once, and reloaded."""
    same = flow_folder(flow).resolve() == Path(calls.folder)
    return calls if same and calls.campaign is None else FlowShelf(flow)
