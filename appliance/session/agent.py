"""The agent: loads the models once, then gives every call a session of its own.

Switch.calls() ──> one task a call: account -> flow -> CallSession -> record
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from appliance.clock import Clock
from appliance.config import Config
from appliance.errors import ApplianceError, ConfigError, StoreError
from appliance.flows.shelf import FlowShelf
from appliance.health.health import Health
from appliance.notify import Notifier
from appliance.session.admission import Admission, reason_of
from appliance.session.afterwards import finish_call, over_of_record
from appliance.session.call import CallSession
from appliance.session.campaigns import campaign_of
from appliance.session.courier import Courier, deliveries, keep_up
from appliance.session.farewell import Farewells
from appliance.session.gauges import Gauges
from appliance.session.journal import Journal
from appliance.session.loading import Progress, load_services
from appliance.session.readiness import check_accounts
from appliance.session.reception import Reception
from appliance.session.reload import Reloader
from appliance.session.testcall import bind_test, is_test, without_deeds
from appliance.session.textservices import Runner, text_services
from appliance.session.vitals import Vitals
from appliance.session.watchdog import Vigil, Watchdog
from appliance.store.accounts import AccountBook, load_accounts
from appliance.store.events import EventLog
from appliance.store.records import recover_records, write_record
from appliance.telephony.call import LineCall
from appliance.telephony.switch import Switch

_UNAVAILABLE, _BUSY, _ENDING = 480, 486, 503


class Agent:
    """Takes the calls of its lines until it is cancelled, or has drained."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        progress: Progress,
        health: Health | None = None,
        notifier: Notifier | None = None,
    ) -> None:
        """Load flow, models and prompts; takes seconds. `health` and systemd are told how it goes.

        Raises:
            ApplianceError: something configured is missing or broken; the text says what.
        """
        self._config = config
        self._clock = clock
        self._health = health or Health()
        self._notifier = notifier or Notifier()
        drain_s = config.line.drain_s
        self._reception = Reception(drain_s, self._health.readiness, self._notifier)
        self._log = structlog.get_logger()
        self._flows = FlowShelf(config.call.flow, campaign_of(config))
        self._accounts = (
            load_accounts(config.call.accounts) if config.call.accounts else AccountBook({})
        )
        check_accounts(self._flows.current.all(), self._accounts, config.call.language)
        self._services = load_services(config, self._flows, clock, progress)
        self._farewells = Farewells(config.call.language, self._services.voices)
        recognition = self._services.scheduler.load
        cores = len(os.sched_getaffinity(0))
        self._admission = Admission(recognition, config.hearing.sla_ms, cores)
        self._gauges = Gauges(self._admission, self._services.speaking_meter, recognition, clock)
        self._vitals = Vitals(config, self._services, self._admission, self._health)
        courier = Courier(deliveries(self._services.database, config.notify, clock))
        self._beside: list[Runner] = [courier, *text_services(config, self._services)]
        recover_records(config.record.folder, self._wrap_up_recovered)

    async def run(self, ready: Callable[[Switch], None]) -> None:
        """Start the line and take calls; `ready` is called when the first can come.

        Returns when the agent has drained.
        """
        try:
            switch = Switch(self._config.line, self._clock, self._log)
            self._farewells.tell(self._flows.current.first, switch)
            async with switch:
                self._vitals.ready(switch)
                ready(switch)
                beside = [
                    asyncio.create_task(self._gauges.run(switch), name="gauges"),
                    asyncio.create_task(self._watchdog(switch).run(), name="watchdog"),
                    asyncio.create_task(self._vitals.run(switch), name="vitals"),
                    asyncio.create_task(self._reloader().run(), name="reload of flows"),
                    *(asyncio.create_task(each.run()) for each in self._beside),
                    asyncio.create_task(keep_up(self._services), name="what waits to be stored"),
                ]
                try:
                    await self._reception.run(switch, partial(self._lead, switch))
                finally:
                    for task in beside:
                        task.cancel()
                    await asyncio.gather(*beside, return_exceptions=True)
        finally:
            self._services.close()

    def drain(self) -> None:
        """Take no more calls, let those go on for `line.drain_s`, and then end."""
        self._reception.drain()

    def _wrap_up_recovered(self, record: dict[str, Any], log: Path) -> bool:
        self._log.warning("call recovered after a crash", log=str(log))
        if "started" not in record or record.get("test"):  # before it was known, or nobody's
            return True
        over = over_of_record(record)
        self._services.wrap_ups.run(record["wrap_up"], over, partial(write_record, log))
        return False

    def _reloader(self) -> Reloader:
        return Reloader(self._flows, self._accounts, self._config.call, self._services)

    async def _lead(self, switch: Switch, call: LineCall) -> None:
        self._farewells.tell(self._flows.current.first, switch)
        await self._guarded(call)

    def _watchdog(self, switch: Switch) -> Watchdog:
        workers = {
            "speaking": self._services.speaking_workers,
            "store": self._services.store_worker,
        }
        load = self._services.scheduler.load
        vigil = Vigil(workers, lambda: load.hangs, self._clock)
        return Watchdog(self._notifier, vigil, lambda: self._status(switch))

    def _status(self, switch: Switch) -> str:
        missing = ", ".join(str(index) for index in switch.missing)
        calls = f"{len(self._reception)} of {self._config.line.capacity} calls"
        draining = "draining, " if self._reception.drains else ""
        return f"{draining}{calls}" + (f"; lines missing: {missing}" if missing else "")

    async def _guarded(self, call: LineCall) -> None:
        """The boundary of a call: whatever goes wrong in it ends this call and no other."""
        log, now_ns = self._log.bind(call=call.key), self._clock.monotonic_ns()
        if self._reception.drains:  # it came while the lines were being told
            self._health.box.refused.labels("closed").inc()
            self._refuse(call, _ENDING)
            return
        why = self._admission.refusal(now_ns)
        if why and self._config.line.admit == "measured":
            log.warning(f"call refused: {why}", **self._admission.figures(now_ns))
            self._health.box.refused.labels(reason_of(why)).inc()
            self._refuse(call, _BUSY)
            return
        self._admission.begin_call(now_ns)
        try:
            await self._converse(call)
        except ApplianceError as error:
            log.error("call failed", why=str(error))  # noqa: TRY400 (the cause is in the text)
        except Exception:
            log.exception("call failed by a bug")
        finally:
            self._admission.end_call(self._clock.monotonic_ns())
            call.hang_up()

    def _refuse(self, call: LineCall, code: int) -> None:
        """The box does not take it: the call goes where the operator wants it, or hears `code`."""
        if self._config.line.overflow:
            call.redirect(self._config.line.overflow)
        else:
            call.reject(code)

    async def _converse(self, call: LineCall) -> None:
        try:
            number, language = _number_of(call.from_uri), self._config.call.language
            first, test = self._flows.current.first, is_test(self._config, number)
            flow = bind_test(first, call.key, language) if test else first.bind(
                call.key, self._accounts.find(number), language, entry={"caller_number": number},
                seed=first.seed or self._config.call.seed,
            )  # fmt: skip
            started = self._clock.now()
            log = EventLog(self._config.record.folder, call.key, started)
        except (ConfigError, StoreError):
            self._health.box.refused.labels("unavailable").inc()
            call.reject(_UNAVAILABLE)
            raise
        journal = Journal(log, self._clock, flow, self._health.calls.tally())
        journal.note(
            "call", call=call.key, started=started.isoformat(), direction="inbound",
            peer=call.peer, number=number, sip_call_id=call.sip_call_id,
            flow=flow.flow.name, flow_hash=flow.flow.hash, wrap_up=flow.flow.spec.wrap_up,
            language=language,
            **({"campaign": first.campaign} if first.campaign else {}),
            **({"test": True} if test else {}),
        )  # fmt: skip
        services = without_deeds(self._services, first) if test else self._services
        session = CallSession(call, flow, services, journal, number)
        try:
            await session.run()
        except BaseException as error:
            journal.note("error", stage="call", what=type(error).__name__)
            raise
        finally:
            loop, (names, over) = asyncio.get_running_loop(), session.over(started)
            names = () if test else names
            await loop.run_in_executor(
                self._services.afterwards, finish_call, log, self._services.wrap_ups, names, over
            )


def _number_of(uri: str) -> str:
    """The user part of a SIP URI, or of a name-addr with one."""
    address = uri.rsplit("<", 1)[-1]
    scheme, _, rest = address.partition(":")
    return rest.split("@")[0].split(";")[0].rstrip(">") if scheme in ("sip", "sips", "tel") else ""
