"""The appliance as a process of its own, started with a configuration for a trial run.

Demo, benchmark and tests use the product as an operator does: `appliance serve` with a file.
"""

from __future__ import annotations

import json
import queue
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from appliance.clock import SystemClock
from appliance.config import PORT_STEP, RTP_PORTS, Config
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, read_flow
from appliance.sections import Section
from appliance.session.samples import needs_samples, with_samples

Sections = dict[str, dict[str, Any]]
ROOT = Path(__file__).resolve().parents[2]
READY_TIMEOUT_S = 180.0
_STOP_TIMEOUT_S = 10.0
_SIP_PORTS = range(33000, 60000, 2)
_PATIENT_MS = 5000  # a trial on a busy machine is slow, not refused


def free_port(processes: int = 1) -> int:
    """The first of the UDP ports of 127.0.0.1 that so many line processes need for SIP."""
    if processes == 1:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])
    return _first_free(_SIP_PORTS, PORT_STEP, processes)


def free_rtp_range(processes: int = 1) -> int:
    """First of the UDP ports that so many line processes need for RTP; even, as RTP wants it."""
    return _first_free(range(20000, 32000 - RTP_PORTS * processes, 2), 1, RTP_PORTS * processes)


def _first_free(choice: range, step: int, count: int) -> int:
    """Start of `count` UDP ports, `step` apart, that nothing uses now."""
    while True:
        first = random.choice(choice)
        try:
            for port in range(first, first + step * count, step):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first


@dataclass(frozen=True, slots=True)
class Trial:
    """Where a trial appliance keeps its files and is called; see `write_trial_config`."""

    config: Path
    calls: Path
    store: Path
    port: int
    processes: int = 1

    @property
    def target(self) -> str:
        """The SIP URI to call."""
        return self.targets[0]

    @property
    def targets(self) -> tuple[str, ...]:
        """The SIP URI of each line process; each takes `max_calls`."""
        ports = range(self.port, self.port + PORT_STEP * self.processes, PORT_STEP)
        return tuple(f"sip:appliance@127.0.0.1:{port}" for port in ports)


def write_trial_config(folder: Path, accounts: Path, extra: Sections | None = None) -> Trial:
    """Write a configuration with the shipped models, free ports and all its files in `folder`.

    `extra` adds or replaces keys by section; `{"line": {"processes": 8}}` is a box of 24 calls.
    """
    processes = (extra or {}).get("line", {}).get("processes", 1)
    port = free_port(processes)
    trial = Trial(
        folder / "appliance.toml", folder / "calls", folder / "appliance.sqlite", port, processes
    )
    sections: dict[str, dict[str, Any]] = {
        "line": {"port": port, "rtp_port": free_rtp_range(processes), "drain_s": 0},
        "hearing": {"sla_ms": _PATIENT_MS, "turns": str(ROOT / "models/turns")},
        "hearing.models": {each: str(ROOT / "models/stt" / each) for each in ("en", "es")},
        "understanding": {"model": str(ROOT / "models/intent")},
        "speaking": {"cache": str(ROOT / "var/cache/prompts")},
        "speaking.models": _shipped(Config().speaking.models),
        **{
            f"speaking.voices.{name}": _shipped(voice)
            for name, voice in Config().speaking.voices.items()
        },
        "call": {"accounts": str(accounts)},
        "record": {"folder": str(trial.calls), "store": str(trial.store)},
    }
    for name, keys in (extra or {}).items():
        sections.setdefault(name, {}).update(keys)
    lines: list[str] = []
    for name, keys in sections.items():
        lines.append(f"[{name}]")
        # JSON's strings, numbers, booleans and lists of them are TOML's.
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    folder.mkdir(parents=True, exist_ok=True)
    trial.config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return trial


def _shipped(section: Section) -> dict[str, Any]:
    """What a section says by default, in this checkout."""
    said = section.model_dump(exclude_none=True)
    return {key: str(ROOT / each) if isinstance(each, Path) else each for key, each in said.items()}


def write_flow_trial(folder: Path, flow: str, extra: Sections | None = None) -> Trial:
    """The same for a shipped flow with its example accounts; one that asks sources has the samples.

    `extra` as for `write_trial_config`.
    """
    sections: Sections = {"call": {"flow": flow}}
    if needs_samples(read_flow(flow), Config()):
        box = with_samples(Config(), folder, SystemClock())
        sections["documents"] = box.documents.model_dump(mode="json")
        for name, source in box.sources.mcp.items():
            sections[f"sources.mcp.{name}"] = source.model_dump(mode="json", exclude_defaults=True)
    for name, keys in (extra or {}).items():
        sections.setdefault(name, {}).update(keys)
    return write_trial_config(folder, flow_folder(flow) / "accounts.example.yaml", sections)


class Served:
    """`appliance serve` as a child process. Use as a context manager; leaving it stops it.

    `program`: another one that takes calls by the same file and says `ready` in the same way.
    """

    def __init__(
        self,
        config: Path,
        progress: Callable[[str], None] = lambda _: None,
        program: Sequence[str] = (sys.executable, "-m", "appliance", "serve"),
    ) -> None:
        self._program = program
        self._config = config
        self._progress = progress
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._process: subprocess.Popen[str] | None = None
        self.log: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        """Start it; returns when it takes calls.

        Raises:
            ConfigError: it ended before that; the message holds what it said.
        """
        self._process = subprocess.Popen(
            [*self._program, "--config", str(self._config)],
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it as systemd would."""
        self.stop()

    @property
    def pid(self) -> int:
        """Process id of the agent."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> int:
        """SIGTERM, and SIGKILL if that is not heard; returns the exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        """Wait for its end, which something else has caused; SIGKILL if it does not come."""
        assert self._process is not None
        try:
            code = self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join()
        if self._process.stderr is not None:
            self._process.stderr.close()
        return code

    def _read(self) -> None:
        """In a thread: every line of its log, so that the pipe never fills."""
        assert self._process is not None
        assert self._process.stderr is not None
        for line in self._process.stderr:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"event": line.rstrip()}
            self.log.append(entry)
            self._lines.put(entry)
        self._lines.put(None)

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + READY_TIMEOUT_S
        while True:
            try:
                entry = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise ConfigError(f"not ready after {READY_TIMEOUT_S:.0f} s") from None
            if entry is None:
                said = "\n".join(str(each.get("event")) for each in self.log)
                raise ConfigError(f"the appliance did not start:\n{said}")
            if entry.get("event") == "ready":
                return
            self._progress(str(entry.get("what", entry.get("event", ""))))
