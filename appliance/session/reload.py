"""Takes changed flows and campaigns into use: for new calls, and only once they are proven.

    files or the campaign's row change ──> read ──> accounts fit ── `appliance flow check` in a
                     process of its own ──> prompts rendered ──> FlowShelf.put

Exploring a flow takes a second of one core, so it is done beside the agent and at low priority:
a call that is under way must not notice. A flow that is refused changes nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import structlog

from appliance.config import CallConfig
from appliance.dialogue.campaign import Campaign
from appliance.errors import ApplianceError, ConfigError
from appliance.flows.shelf import FlowSet, FlowShelf
from appliance.session.campaigns import CampaignWatch, as_file
from appliance.session.metered import Apart
from appliance.session.readiness import (
    check_accounts,
    check_intents,
    check_languages,
    voices_of,
    wanted_of,
)
from appliance.session.services import Services
from appliance.store.accounts import AccountBook

_LOOK_EVERY_S = 2.0
_PROOF_TIMEOUT_S = 120.0
_TELL_EVERY_S = 2.0
_log = structlog.get_logger()


class Reloader:
    """Watches the files of the flows in use, and the campaign that is laid over the first."""

    def __init__(
        self, flows: FlowShelf, accounts: AccountBook, call: CallConfig, services: Services
    ) -> None:
        self._flows, self._accounts = flows, accounts
        self._call, self._services = call, services
        self._watch = CampaignWatch(call.campaign, services.database, flows.campaign)

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            loop = asyncio.get_running_loop()
            other = await loop.run_in_executor(self._services.store_worker, self._watch.changed)
            if self._flows.changed() or other:
                try:
                    await self.reload()
                except Exception:  # noqa: BLE001 - boundary: the next change must be seen
                    _log.exception("changed flow not looked at because of a bug")

    async def reload(self) -> bool:
        """Prove the flows as their files are now and take them into use; False if refused."""
        try:
            loop = asyncio.get_running_loop()
            campaign = await loop.run_in_executor(
                self._services.store_worker, self._watch.wanted, self._call.language
            )
            flows = await loop.run_in_executor(self._services.store_worker, self._read, campaign)
            _assert_proven(flows, await self._proven(flows, campaign))
            await self._render(flows)
        except ApplianceError as error:
            _log.error("changed flow refused; calls go on with the old one", why=str(error))
            return False
        self._flows.put(flows, campaign)
        _log.info("changed flows in use for new calls", hashes=[flow.hash for flow in flows.all()])
        return True

    async def _proven(self, flows: FlowSet, campaign: Campaign | None) -> set[str]:
        """The versions that the checker accepts, by hash; it runs in a process of its own."""
        names = [str(folder) for folder in flows.by_folder]  # the campaign's is the first
        with as_file(campaign) as file:
            given = ["--campaign", str(file)] if file else []
            return await self._checked([*given, *names])

    async def _checked(self, arguments: list[str]) -> set[str]:
        process = await asyncio.create_subprocess_exec(
            "nice", "-n", "10", sys.executable, "-m", "appliance", "flow", "check", "--json",
            *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(_PROOF_TIMEOUT_S):
                out, err = await process.communicate()
        except TimeoutError as error:
            raise ConfigError(f"not proven within {_PROOF_TIMEOUT_S:.0f} s") from error
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode not in (0, 1):
            raise ConfigError(err.decode(errors="replace").strip() or "the checker did not run")
        return _accepted(json.loads(out))

    def _read(self, campaign: Campaign | None) -> FlowSet:
        flows = self._flows.read(campaign)
        check_languages(flows.all(), self._call.language)
        check_accounts(flows.all(), self._accounts, self._call.language)
        check_intents(flows.all(), self._services.understander.intents)
        return flows

    async def _render(self, flows: FlowSet) -> None:
        """Have the prompts ready, one by one: sentences of calls that go on come in between."""
        loop, workers = asyncio.get_running_loop(), self._services.speaking_workers
        wanted, names = wanted_of(flows.all(), self._call.language), voices_of(flows.all())
        jobs = self._services.voices.jobs(wanted, names)
        told = time.monotonic()
        for done, job in enumerate(jobs):
            await loop.run_in_executor(workers, Apart(job))
            if time.monotonic() > told + _TELL_EVERY_S:
                told = time.monotonic()
                _log.info("rendering prompts of a changed flow", done=done + 1, total=len(jobs))
        self._services.voices.retire(wanted, names)


def _assert_proven(flows: FlowSet, proven: set[str]) -> None:
    for flow in flows.all():
        if flow.hash not in proven:  # it was changed again while it was being proven
            raise ConfigError(f"flow {flow.name}: version {flow.hash} is not proven")


def _accepted(verdicts: list[dict[str, Any]]) -> set[str]:
    refused = [each for each in verdicts if each["failures"]]
    if refused:
        said = (f"{f['title']}: {f['detail']}" for each in refused for f in each["failures"])
        raise ConfigError("; ".join(said))
    return {each["hash"] for each in verdicts}
