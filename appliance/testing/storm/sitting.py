"""One box, one flow, so many kills: callers call, processes die, and then what is left is judged.

supervisor ──> box <── callers
                ^ SIGKILL
   strikes ─────┘        then: last start, outbox emptied, SIGTERM ──> Scene ──> violations
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import time as Time  # noqa: N812 (beside the module of that name)
from itertools import takewhile
from pathlib import Path

from appliance.errors import ConfigError
from appliance.store.calendar import Calendar
from appliance.store.calendar_windows import Hours
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.testing.served import Trial, write_flow_trial
from appliance.testing.speech import CallerVoice
from appliance.testing.storm.box import Box
from appliance.testing.storm.callers import StormCallers, Told
from appliance.testing.storm.errands import ERRANDS
from appliance.testing.storm.schedule import Strike
from appliance.testing.storm.sink import Sink

UP_S = 600.0
"""A start that takes longer than this has failed."""
_TALKING_S, _DECIDING_S, _CALLS_END_S, _DRAIN_S = 60.0, 20.0, 120.0, 60.0
_LOOK_S = 0.05
_PLACES = 40


@dataclass(frozen=True)
class Crowd:
    """Who calls: so many at once, at so many lines; `seed` fixes who wants what."""

    at_once: int
    lines: int
    seed: int


@dataclass(frozen=True)
class Until:
    """A storm ends early at this moment of `time.monotonic`."""

    end_s: float = math.inf

    @property
    def over(self) -> bool:
        """Whether it is time to end."""
        return time.monotonic() >= self.end_s


@dataclass
class Outcome:
    """What a sitting came to.

    Attributes:
        struck: kills by victim and moment; `processes` that died of them.
        starts_s: how long each start of the agent took.
        said: what the box logged as warnings and errors.
    """

    flow: str
    trial: Trial
    told: list[Told] = field(default_factory=list)
    refused: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    processes: int = 0
    starts_s: list[float] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    arrived: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def prepare(folder: Path, flow: str, lines: int, sink: Sink, *, attached: bool) -> Trial:
    """A box for one flow in a folder of its own, with room in its calendar.

    `attached`: its lines are programs of their own, as on an installed box.
    """
    folder.mkdir(parents=True, exist_ok=True)
    secret = folder / "secret"
    secret.write_text("0123456789abcdef", encoding="utf-8")
    trial = write_flow_trial(folder / "box", flow, {
        "line": {"processes": lines, "admit": "all",
                 **({"attach": str(folder / "lines.sock")} if attached else {})},
        "notify": {"retry_s": 1, "retry_max_s": 2},
        "notify.webhook": {"url": sink.url, "secret_file": str(secret)},
    })  # fmt: skip
    database = Database(trial.store)
    hours = [Hours(day, Time(8), Time(20), minutes=60, capacity=_PLACES) for day in range(7)]
    Calendar(database).set_hours(range(7), hours)
    database.close()
    return trial


class Sitting:
    """Carries the strikes out. `tell` is given a line for people after each."""

    def __init__(
        self, trial: Trial, flow: str, voice: CallerVoice, crowd: Crowd, tell: Callable[[str], None]
    ) -> None:
        self._outcome = Outcome(flow, trial)
        self._trial, self._tell = trial, tell
        self._callers = StormCallers(trial.targets, ERRANDS[flow], voice, crowd.at_once, crowd.seed)

    async def run(self, strikes: Sequence[Strike], sink: Sink, until: Until) -> Outcome:
        """Kill, then let the box come to rest.

        Raises:
            ConfigError: it did not start any more.
        """
        began_s, outcome = time.monotonic(), self._outcome
        async with Box(self._trial.config) as box:
            calling = asyncio.create_task(self._callers.run())
            try:
                await self._until_up(box)
                for strike in takewhile(lambda _: not until.over, strikes):
                    await self._strike(box, strike)
                await self._until_up(box)
                self._callers.stop()
                await asyncio.wait_for(calling, _CALLS_END_S)
                await self._until_delivered()
            finally:
                calling.cancel()
                await asyncio.gather(calling, return_exceptions=True)
        outcome.told, outcome.refused = self._callers.told, self._callers.refused
        outcome.starts_s, outcome.said = box.agent.starts_s, box.said
        outcome.faults = [str(entry) for entry in box.faults]
        outcome.arrived = Counter(sink.arrived)
        outcome.seconds = time.monotonic() - began_s
        return outcome

    async def _strike(self, box: Box, strike: Strike) -> None:
        target = ""
        if strike.moment == "starting":
            await _until(lambda: box.agent.pid > 0, _TALKING_S)
        else:
            await self._until_up(box)
            await _until(lambda: self._callers.talking > 0, _TALKING_S)
        if strike.moment == "deciding":
            with contextlib.suppress(TimeoutError):
                target = await asyncio.wait_for(self._callers.someone_decides(), _DECIDING_S)
        await asyncio.sleep(strike.delay_s)
        talking = self._callers.talking
        died = box.strike(strike, target)
        self._outcome.struck[f"{strike.victim}, {strike.moment}"] += 1
        self._outcome.processes += died
        told = len(self._callers.told)
        self._tell(f"{self._outcome.flow} {strike.number}: {strike.victim} ({strike.moment}),"
                   f" {died} processes, {talking} calls up, {told} answered so far")  # fmt: skip
        if strike.victim != "line":
            await _until(lambda: not box.agent.is_up, _TALKING_S)

    async def _until_up(self, box: Box) -> None:
        try:
            await box.up(UP_S)
        except TimeoutError as error:
            raise ConfigError(f"the box did not come up again: {dict(box.said)}") from error

    async def _until_delivered(self) -> None:
        """Until nothing waits in the outbox; what still does then, is judged."""
        database = Database(self._trial.store)
        outbox = Outbox(database)
        try:
            await _until(lambda: not outbox.all(Standing.WAITING), _DRAIN_S)
        finally:
            database.close()


async def _until(holds: Callable[[], bool], timeout_s: float) -> None:
    """Look until it holds; no longer than that."""
    end_s = time.monotonic() + timeout_s
    while not holds() and time.monotonic() < end_s:  # noqa: ASYNC110 (of another process)
        await asyncio.sleep(_LOOK_S)
