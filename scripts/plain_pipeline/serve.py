"""Takes calls on the line of an appliance's configuration, each in a pipeline of its own.

It reads the same file as `appliance serve` and says `ready` in the same words, so that whoever
starts the one can start the other.
"""

from __future__ import annotations

import asyncio
import signal
import sys

import structlog
from loguru import logger as pipecat_log
from pipecat.workers.runner import WorkerRunner

from appliance.cli.chat import as_listened
from appliance.cli.chat_host import open_host
from appliance.clock import SystemClock
from appliance.config import Config
from appliance.flows.shelf import FlowShelf
from appliance.flows.textcall import TextCall, Understand
from appliance.logs import configure_logging
from appliance.nlu.loading import open_understander
from appliance.session.textwalk import Perform, TextWalk
from appliance.store.accounts import AccountBook, load_accounts
from appliance.telephony.call import LineCall
from appliance.telephony.switch import Switch
from plain_pipeline.pipeline import Models, build
from plain_pipeline.talk import Talk
from plain_pipeline.variants import Variant

TURN = "turn"
"""The event that the log has for each answer, with its laps in milliseconds."""


class Receptionist:
    """Gives each call its dialogue and its pipeline."""

    def __init__(self, config: Config, variant: Variant) -> None:
        """Load flow and models.

        Raises:
            ApplianceError: one of them cannot be used.
        """
        self._config = config
        self._log = structlog.get_logger()
        self.flows = FlowShelf(config.call.flow)
        self._accounts = (
            load_accounts(config.call.accounts) if config.call.accounts else AccountBook({})
        )
        self._understand: Understand = as_listened(open_understander(config.understanding))
        self._models = Models(config, variant)

    async def run(self, perform: Perform) -> None:
        """Take calls until cancelled; `perform` does what their flows ask for."""
        async with Switch(self._config.line, SystemClock(), self._log) as switch:
            self._log.info("ready")
            async with asyncio.TaskGroup() as calls:
                async for call in switch.calls():
                    calls.create_task(self._converse(call, perform))

    async def _converse(self, call: LineCall, perform: Perform) -> None:
        talk = self._talk(call, perform)
        worker = build(call, talk, self._models, lambda laps: self._log.info(TURN, **laps))
        runner = WorkerRunner(handle_sigint=False)
        try:
            await runner.add_workers(worker)
            await runner.run()
        finally:
            call.hang_up()

    def _talk(self, call: LineCall, perform: Perform) -> Talk:
        number = call.from_uri.partition("sip:")[2].partition("@")[0]
        entry: dict[str, bool | str] = {"caller_number": number}
        first = self.flows.current.first
        flow = first.bind(
            call.key, self._accounts.find(number), self._config.call.language, entry=entry,
            seed=self._config.call.seed,
        )  # fmt: skip
        text_call = TextCall(flow, self._understand, SystemClock().now)
        return Talk(TextWalk(text_call, self.flows.current, perform, entry))


def serve(config: Config, variant: Variant) -> None:
    """Take calls until SIGINT or SIGTERM.

    Raises:
        ApplianceError: it cannot start as configured.
    """
    configure_logging()
    pipecat_log.remove()
    pipecat_log.add(sys.stderr, level="WARNING")
    receptionist = Receptionist(config, variant)
    with open_host(config, config.record.store, receptionist.flows.current.all(), (), "") as host:
        asyncio.run(_until_signal(receptionist, host.perform))


async def _until_signal(receptionist: Receptionist, perform: Perform) -> None:
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(receptionist.run(perform))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, running.cancel)
    await asyncio.wait([running])
    if not running.cancelled():
        running.result()
