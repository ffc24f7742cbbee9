"""One appliance and the calls that are placed to it, level by level.

open_box / far box -> Sitting.warm_up() -> Sitting.measure(level) -> Material
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from appliance.store.events import EVENTS_SUFFIX
from appliance.testing.latency.agent_logs import Logged, find_logs, read_call
from appliance.testing.latency.callers import CallerProcesses
from appliance.testing.latency.figuring import Material
from appliance.testing.latency.jobs import Far, make_jobs, make_lanes
from appliance.testing.latency.observed import CallReport
from appliance.testing.latency.processor import Busy, Meter
from appliance.testing.served import Served, write_flow_trial

CALLS_A_LINE = 3
_WARM_UP_STEPS = 5
"""Reply, answer, reply, answer, reply."""
_LOGS_TIMEOUT_S = 15.0
_REFUSED = "call refused: "
OnReport = Callable[[CallReport], None]


@dataclass(frozen=True)
class Box:
    """What is called. `calls`, `pid`: its logs and its agent, where they are on this machine.

    `log`: what an agent that was started here says, as it comes.
    """

    far: Far
    calls: Path | None = None
    pid: int | None = None
    log: Sequence[dict[str, Any]] = ()


@dataclass
class Sitting:
    """Places calls to one box. `first` numbers its calls, so that no two of a run are alike."""

    box: Box
    scripts: Sequence[Path]
    voices: Path
    first: int
    _placed: int = field(default=0)

    def warm_up(self, calls: int, on_report: OnReport) -> None:
        """Calls whose figures are thrown away: caches fill, costs are learned.

        Two answers each, and they hang up; at once as far as one line carries them.
        """
        if calls:
            self.measure(min(calls, CALLS_A_LINE), calls, on_report, _WARM_UP_STEPS)

    def measure(
        self, concurrency: int, calls: int, on_report: OnReport, steps: int | None = None
    ) -> Material:
        """One level of load; of each script only the first `steps`, where given.

        Raises:
            ConfigError: the callers could not be started, or one broke down.
            StoreError: a log cannot be read.
        """
        known, said_before = self._logs(), len(self.box.log)
        first = self.first + self._placed
        self._placed += calls
        lanes = make_lanes(
            self.box.far.targets, self.scripts, concurrency, range(first, first + calls), steps
        )
        reports: list[CallReport] = []
        busy: list[Busy] = []

        async def place() -> None:
            jobs = make_jobs(self.box.far, self.voices, lanes)
            async with CallerProcesses(jobs) as callers:
                meter = Meter(self.box.pid, callers.pids) if self.box.pid else None
                if meter is not None:
                    meter.begin()

                def take(report: CallReport) -> None:
                    reports.append(report)
                    on_report(report)

                await callers.run(take)
                if meter is not None:
                    busy.append(meter.end())

        asyncio.run(place())
        reports.sort(key=lambda report: report.number)
        logs = self._read(reports, known) if self.box.calls is not None else None
        reports = with_reasons(reports, self.box.log[said_before:])
        return Material(concurrency, reports, logs, busy)

    def _logs(self) -> set[Path]:
        return set(self.box.calls.glob(f"*/*{EVENTS_SUFFIX}")) if self.box.calls else set()

    def _read(self, reports: Sequence[CallReport], known: set[Path]) -> dict[int, Logged]:
        """The logs of the calls; the last are written a moment after the calls end."""
        assert self.box.calls is not None
        calls = self.box.calls
        wanted = {report.call_id for report in reports if report.connected_ns}

        async def complete() -> dict[str, Any]:
            logs = find_logs(calls, known)
            for _ in range(int(_LOGS_TIMEOUT_S / 0.2)):
                ended = {key for key, log in logs.items() if log[-1]["t"] == "end"}
                if wanted <= ended:
                    break
                await asyncio.sleep(0.2)
                logs = find_logs(calls, known)
            return logs

        logs = asyncio.run(complete())
        return {
            report.number: read_call(report, logs[report.call_id])
            for report in reports
            if report.call_id in logs
        }


@contextmanager
def open_box(
    flow: str, most_calls: int, extra: dict[str, dict[str, Any]], tell: Callable[[str], None]
) -> Iterator[Box]:
    """An appliance with the shipped models, started here for one flow and so many calls.

    Raises:
        ConfigError: it did not start.
    """
    processes = -(-most_calls // CALLS_A_LINE)
    sections = {**extra, "line": {**extra.get("line", {}), "processes": processes}}
    with tempfile.TemporaryDirectory() as folder:
        trial = write_flow_trial(Path(folder), flow, sections)
        with Served(trial.config, tell) as served:
            yield Box(Far(targets=trial.targets), trial.calls, served.pid, served.log)


def with_reasons(reports: Sequence[CallReport], log: Sequence[dict[str, Any]]) -> list[CallReport]:
    """What the agent said about calls that it refused, added to those that were."""
    events = sorted({str(each.get("event", "")) for each in log})
    reasons = [each.removeprefix(_REFUSED) for each in events if each.startswith(_REFUSED)]
    if not reasons:
        return list(reports)
    said = f" (the agent: {'; '.join(reasons)})"
    return [
        each.model_copy(update={"why": each.why + said}) if each.outcome == "refused" else each
        for each in reports
    ]


def join(materials: Sequence[Material]) -> Material:
    """The same level at several boxes, one after another, as one."""
    logs: dict[int, Logged] | None = None
    if all(each.logs is not None for each in materials):
        logs = {number: log for each in materials for number, log in (each.logs or {}).items()}
    return Material(
        materials[0].concurrency,
        [report for each in materials for report in each.reports],
        logs,
        [busy for each in materials for busy in each.busy],
    )
