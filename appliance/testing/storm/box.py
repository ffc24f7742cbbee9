"""A box under a supervisor, and the hand that kills its processes.

One agent that starts its lines itself: a line that dies is the agent's to start again, an agent
that dies is the supervisor's. Processes are found in /proc (Linux), as they are at that moment.
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

from appliance.testing.sip import parse_uri
from appliance.testing.storm.kept import Entry, Kept
from appliance.testing.storm.schedule import Strike

PROC = Path("/proc")
_LINE_MODULE = "appliance.telephony.line"


class Box:
    """`appliance serve`, kept running. Use as an async context manager; leaving it stops it.

    Attributes:
        said: warnings and errors that it logged, counted by event.
        faults: what it said about bugs of its own, in full.
    """

    def __init__(self, config: Path) -> None:
        program = (sys.executable, "-m", "appliance", "serve", "--config", str(config))
        self.agent = Kept(program, self._heard)
        self.said: Counter[str] = Counter()
        self.faults: list[Entry] = []

    async def __aenter__(self) -> Self:
        """Start it; does not wait until it is up."""
        self._task = asyncio.create_task(self.agent.run(), name="supervisor")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

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
        agent = self.agent.pid
        lines = line_pids(agent) if agent else {}
        if strike.victim == "line":
            return sum(map(_kill, _chosen(lines, strike, target)))
        victims = [agent] if agent else []
        if strike.victim == "all":
            victims += lines.values()
        return sum(map(_kill, victims))

    def _heard(self, entry: Entry) -> None:
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
