"""A box under a supervisor, and the hand that kills its processes.

    as installed     agent, line 0, line 1 …   each kept running by the supervisor (`line.attach`)
    a small box      agent ── starts ──> lines, which are its own to start again

Which of them runs, the configuration says. Lines of the second kind are found in /proc (Linux), as
they are at that moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from appliance.config import load_config
from appliance.testing.sip import parse_uri
from appliance.testing.storm.kept import Entry, Kept
from appliance.testing.storm.schedule import Strike

PROC = Path("/proc")
_LINE_MODULE = "appliance.telephony.line"
_AGENT_PAUSE_S, _LINE_PAUSE_S = 3.0, 1.0
"""RestartSec of the units in systemd/."""


class Box:
    """`appliance serve`, kept running. Use as an async context manager; leaving it stops it.

    Attributes:
        said: warnings and errors that it logged, counted by event. All of it is in `box.log`.
        faults: what it said about bugs of its own, in full.
    """

    def __init__(self, config: Path) -> None:
        serve = (sys.executable, "-m", "appliance", "serve", "--config", str(config))
        line = (sys.executable, "-m", _LINE_MODULE, "--config-file", str(config), "--index")
        self._config = load_config(config).line
        indexes = range(self._config.processes) if self._config.attach else ()
        self.agent = Kept(serve, _AGENT_PAUSE_S, self._heard)
        self._lines = [Kept((*line, str(n)), _LINE_PAUSE_S, self._heard) for n in indexes]
        self._log = config.with_name("box.log")
        self.said: Counter[str] = Counter()
        self.faults: list[Entry] = []

    async def __aenter__(self) -> Self:
        """Start it; does not wait until it is up."""
        kept = (self.agent, *self._lines)
        self._tasks = [asyncio.create_task(each.run(), name="supervisor") for each in kept]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def up(self, timeout_s: float) -> None:
        """Wait until it takes calls.

        Raises:
            TimeoutError: it does not.
        """
        async with asyncio.timeout(timeout_s):
            await self.agent.up()

    def strike(self, strike: Strike, target: str = "") -> int:
        """Kill what it says, with SIGKILL; returns how many processes that were.

        `target`: the SIP URI whose line is meant, where one is; else the strike picks.
        """
        agent, lines = self.agent.pid, self._line_pids()
        if strike.victim == "line":
            return sum(map(_kill, _chosen(lines, strike, target)))
        victims = [agent] if agent else []
        if strike.victim == "all":
            victims += lines.values()
        return sum(map(_kill, victims))

    def _line_pids(self) -> Mapping[int, int]:
        """Process ids of the lines that run, by SIP port."""
        if not self._config.attach:
            return line_pids(self.agent.pid) if self.agent.pid else {}
        return {
            self._config.of_process(index).port: line.pid
            for index, line in enumerate(self._lines)
            if line.pid
        }

    def _heard(self, entry: Entry) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        if entry.get("level") in ("warning", "error", "critical"):
            self.said[str(entry["event"])] += 1
        if "exception" in entry or "Traceback" in str(entry.get("event")):
            self.faults.append(entry)


def line_pids(agent: int) -> Mapping[int, int]:
    """The line processes of an agent: process id by the SIP port that each was given."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if _parent(folder) == agent:
                    found[_port(folder)] = int(folder.name)
    return found


def _parent(folder: Path) -> int:
    return int((folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])


def _port(folder: Path) -> int:
    """Of a line, from its command line.

    Raises:
        ValueError: it is none, or not yet.
    """
    words = (folder / "cmdline").read_text(encoding="utf-8").split("\0")
    if _LINE_MODULE not in words:
        raise ValueError("no line")
    return int(json.loads(words[words.index("--config") + 1])["port"])


def _chosen(lines: Mapping[int, int], strike: Strike, target: str) -> list[int]:
    port = parse_uri(target).port if target else None
    if port is not None and port in lines:
        return [lines[port]]
    pids = [pid for _, pid in sorted(lines.items())]
    return pids[int(strike.pick * len(pids)) :][:1]


def _kill(pid: int) -> bool:
    """Whether there was such a process."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
