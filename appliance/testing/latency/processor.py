"""Who used the processor while calls were measured: the appliance, its callers, others.

    Meter.begin() ... Meter.end() -> Busy

Read from /proc (proc(5): stat, utime + stime), so on the appliance's own machine only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_PROC = Path("/proc")
_TICKS_S = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)
"""Columns of /proc/stat that are not work: idle, iowait."""


class Busy(BaseModel):
    """Cores kept busy on average: 1.0 is one whole core. `cores`: how many there are.

    `memory_mb` is the proportional set size of the appliance at the end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float
    appliance: float
    callers: float
    others: float
    cores: int
    memory_mb: float | None = None


class Meter:
    """Measures over one stretch. `pid`: of the agent, whose children (lines) count with it."""

    def __init__(self, pid: int, callers: Iterable[int]) -> None:
        self._pid = pid
        self._callers = tuple(callers)
        self._begun_s = 0.0
        self._before = (0.0, 0.0, 0.0)

    def begin(self) -> None:
        """From here on."""
        self._begun_s = time.monotonic()
        self._before = self._read()

    def end(self) -> Busy:
        """Up to here; the callers' processes must still be there."""
        seconds = time.monotonic() - self._begun_s
        spent = [after - before for after, before in zip(self._read(), self._before, strict=True)]
        appliance, callers, machine = (round(each / seconds, 3) for each in spent)
        return Busy(
            seconds=round(seconds, 1),
            appliance=appliance,
            callers=callers,
            others=round(max(0.0, machine - appliance - callers), 3),
            cores=os.cpu_count() or 1,
            memory_mb=_memory_mb(_family(self._pid)),
        )

    def _read(self) -> tuple[float, float, float]:
        return _spent_s(_family(self._pid)), _spent_s(self._callers), _machine_s()


def _family(pid: int) -> set[int]:
    """A process with all its descendants."""
    parents = {}
    for folder in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int(_fields(int(folder.name))[1])
    family = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in family} - family
        if not more:
            return family
        family |= more


def _spent_s(pids: Iterable[int]) -> float:
    """Processor time of the processes and of their children that have ended; gone ones count 0."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += sum(int(field) for field in _fields(pid)[11:15])
    return total / _TICKS_S


def _fields(pid: int) -> list[str]:
    """/proc/pid/stat from the state on; the name before it may hold anything."""
    return (_PROC / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _machine_s() -> float:
    columns = (_PROC / "stat").read_text(encoding="utf-8").splitlines()[0].split()[1:9]
    return sum(int(each) for at, each in enumerate(columns) if at not in _IDLE) / _TICKS_S


def _memory_mb(pids: Iterable[int]) -> float | None:
    total_kb = 0
    for pid in pids:
        try:
            lines = (_PROC / str(pid) / "smaps_rollup").read_text(encoding="utf-8").splitlines()
        except OSError:  # not ours to read, or gone
            continue
        total_kb += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return round(total_kb / 1024, 1) if total_kb else None
