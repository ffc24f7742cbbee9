"""A hub with real servers: processes on pipes, or on 127.0.0.1."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from appliance.clock import Clock, SystemClock
from appliance.findings import Finding, Lookup
from appliance.sections import SourceConfig, SourcesConfig
from appliance.sources.hub import Hub

ROGUE = Path(__file__).with_name("rogue.py")
SECRET = "90210"
"""The rogue puts it where it misbehaves; no error may repeat it."""


def rogue(*tricks: str, pids: Path | None = None, **settings: Any) -> SourceConfig:
    """A rogue as a source; `pids`: a file that gets the id of each of its processes."""
    environment = settings.pop("environment", {})
    if pids is not None:
        environment = {**environment, "PIDS": str(pids)}
    command = (sys.executable, "-S", "-E", str(ROGUE), *tricks)
    short = {"deadline_s": 1.0, "start_s": 10.0}
    return SourceConfig(command=command, environment=environment, **(short | settings))


@contextmanager
def running(clock: Clock | None = None, **servers: SourceConfig) -> Iterator[Hub]:
    """A hub whose servers are connected, or have failed once."""
    hub = Hub(SourcesConfig(mcp=servers), clock or SystemClock())
    hub.start()
    try:
        hub.settle(20)
        yield hub
    finally:
        hub.close()


def look(hub: Hub, tool: str, **args: Any) -> Finding:
    """Look one thing up; whatever comes of it, no secret is in its error."""
    finding = hub.look_up([Lookup(tool, args)])[tool]
    assert SECRET not in finding.error
    assert "Maria" not in finding.error
    assert finding.ok == (not finding.error)
    return finding


def eventually(is_so: Callable[[], bool], within_s: float = 15.0) -> None:
    """Wait for something that another thread or process brings about."""
    ends = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.01)


def pids_in(file: Path) -> list[int]:
    return [int(each) for each in file.read_text().split()] if file.exists() else []


def lives(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
