"""Tells `health` how the agent and its box are: at every beat what is known, slowly what is not.

    every half second, in the loop ─ beat, lines, calls, registration, load, models ─┐
    every 15 s, in a thread ──────── disks, store, outbox, backups ──────────────────┴─> Health

The second kind asks the file system and the database, which may take their time; the event loop and
whoever scrapes never wait for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

import structlog

from appliance.config import Config
from appliance.health.health import Health
from appliance.health.pulse import BEAT_S
from appliance.session.admission import Admission
from appliance.session.premises import Premises
from appliance.session.services import Services, workers
from appliance.telephony.messages import Alive
from appliance.telephony.switch import Switch

_MEASURE_EVERY_S = 15.0
_OK = range(200, 300)
_log = structlog.get_logger()


class Vitals:
    """Of one agent."""

    def __init__(
        self, config: Config, services: Services, admission: Admission, health: Health
    ) -> None:
        self._config, self._services = config, services
        self._admission, self._health = admission, health
        self._premises = Premises(config, services.database, services.clock, health)
        self._grown: dict[str, float] = {}
        self._pids: dict[int, int] = {}

    def ready(self, switch: Switch) -> None:
        """All is loaded, and the first call can come."""
        box, language = self._health.box, self._config.call.language
        box.loading.set(self._health.uptime_s)
        hearing, speaking = self._config.hearing.models, self._config.speaking.models
        for kind, path in (
            ("recognizer", hearing.folder(language)), ("voice", speaking.file(language)),
            ("intents", self._config.understanding.model),
        ):  # fmt: skip
            box.model.labels(kind, language, path.name).set(1)
        self.look(switch)
        self._health.readiness.release("loading")

    async def run(self, switch: Switch) -> None:
        """Tell until cancelled; to be run in the loop that the calls are served in."""
        measuring = asyncio.create_task(self._measure(), name="measuring")
        try:
            while True:
                self.look(switch)
                await asyncio.sleep(BEAT_S)
        finally:
            measuring.cancel()
            await asyncio.gather(measuring, return_exceptions=True)

    def look(self, switch: Switch) -> None:
        """Tell what is known at this moment."""
        self._health.pulse.beat()
        self._look_at_lines(switch)
        self._look_at_load()
        hangs = self._services.scheduler.load.hangs
        broken = "decodes hang" if hangs else self._health.engines.broken
        self._health.readiness.set("model_broken", broken)
        voices = self._services.voices
        self._health.box.prompts_ready.set(voices.ready)
        self._count(self._health.box.rendered.inc, "rendered", voices.rendered)
        self._health.box.unsaved.set(
            self._services.actions.behind or self._services.wrap_ups.behind
        )

    def _look_at_lines(self, switch: Switch) -> None:
        box, readiness = self._health.box, self._health.readiness
        up = sum(1 for line in switch.lines if line.pid)
        box.lines.set(len(switch.lines))
        box.lines_up.set(up)
        box.call_limit.set(self._config.line.capacity)
        box.open_calls.set(switch.open_calls)
        readiness.set("no_line", "" if up else "no line process takes calls")
        answer, wanted = switch.registration, self._config.line.registrar is not None
        code = answer.code if answer is not None else 0
        registered = answer is not None and code in _OK and answer.expires_s > 0
        box.registrar.set(wanted)
        box.registered.set(registered)
        box.registration_code.set(code)
        said = f"the PBX answered {code}" if code else "the PBX has not answered"
        readiness.set("not_registered", said if wanted and not registered else "")
        for index, line in enumerate(switch.lines):
            self._look_at_counts(index, line.statistics)
            self._count(box.frames_dropped.inc, f"frames {index}", line.dropped_frames)
            if line.pid and self._pids.setdefault(index, line.pid) != line.pid:
                self._pids[index] = line.pid
                box.line_restarts.inc()

    def _look_at_counts(self, index: int, counted: Alive | None) -> None:
        """What a line has counted by itself: line by line, since each begins anew by itself.

        The first count of an agent has what was refused while there was none.
        """
        if counted is None:
            return
        box = self._health.box
        for name, grow, total in (
            ("requests", box.requests_dropped.inc, counted.dropped_requests),
            ("full", box.refused.labels("full").inc, counted.refused_full),
            ("closed", box.refused.labels("closed").inc, counted.refused_closed),
        ):
            self._count(grow, f"{name} {index}", total)

    def _count(self, grow: Callable[[float], None], name: str, total: float) -> None:
        """Let a counter grow as this one has; one that began anew has grown by what it shows."""
        last = self._grown.get(name, 0.0)
        self._grown[name] = total
        grow(total - last if total >= last else total)

    def _look_at_load(self) -> None:
        box, now_ns = self._health.box, self._services.clock.monotonic_ns()
        stands = self._admission.standing(now_ns)
        hearing = self._services.scheduler.load.figures(now_ns)
        for name, share in (
            ("loop", stands.loop), ("voice", stands.voice), ("box", stands.box),
            ("recognition", hearing.busy),
        ):  # fmt: skip
            box.load.labels(name).set(share)
        box.loop_lag.set(stands.lag_ms / 1000)
        box.voice_wait.set(stands.wait_ms / 1000)
        box.recognition_late.set(hearing.late_ms / 1000)
        box.decodes_hanging.set(hearing.hanging)

    async def _measure(self) -> None:
        thread, loop = workers("measuring", 1), asyncio.get_running_loop()
        try:
            while True:
                due_s = monotonic() + _MEASURE_EVERY_S
                try:
                    await loop.run_in_executor(thread, self._premises.measure)
                except Exception:  # noqa: BLE001 - boundary: what is measured must go on
                    _log.exception("not measured because of a bug")
                    self._health.box.measuring_failed.inc()
                await asyncio.sleep(max(0.0, due_s - monotonic()))
        finally:
            thread.shutdown(wait=False, cancel_futures=True)
