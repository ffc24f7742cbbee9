"""Real calls on 127.0.0.1: an agent with its line process, and clients from Debian.

Everything runs on free ports, and only processes that a test started are ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
import socket
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import structlog

from appliance.clock import SystemClock
from appliance.config import LineConfig
from appliance.telephony.call import LineCall, LineEvent
from appliance.telephony.messages import Audio
from appliance.telephony.switch import Switch
from appliance.testing.speech import CallerVoice

SIPP_FOLDER = Path(__file__).parent / "sipp"
PACKAGES = {"sipp": "sip-tester", "baresip": "baresip", "kamailio": "kamailio"}
RTP_PORTS = 20

Behaviour = Callable[[LineCall, LineEvent], None]


def need_tool(name: str) -> str:
    """The path of a Debian tool; fails the test, saying what to install, where it is missing."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if path is None:
        pytest.fail(f"{name} is missing: apt-get install {PACKAGES[name]}")
    return path


def free_port(kind: int = socket.SOCK_DGRAM) -> int:
    """A port that nobody holds at this moment."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def free_rtp_ports() -> int:
    """The first of RTP_PORTS free ports, even."""
    for _ in range(200):
        first = random.randrange(20000, 32000, 2)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + RTP_PORTS):
                probe = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                probe.bind(("127.0.0.1", port))
            return first
    raise AssertionError("no range of free UDP ports")


def line_config(**changes: Any) -> LineConfig:
    """A line on free ports of 127.0.0.1 for callers from 127.0.0.1 only."""
    settings: dict[str, Any] = {
        "port": free_port(),
        "rtp_port": free_rtp_ports(),
        "peers": ("127.0.0.1/32",),
    }
    return LineConfig.model_validate(settings | changes)


def kill(pid: int) -> None:
    """SIGKILL to one process that the test started."""
    assert pid > 0
    os.kill(pid, signal.SIGKILL)


def answer(call: LineCall, event: LineEvent) -> None:
    """An agent that listens."""


def echo(call: LineCall, event: LineEvent) -> None:
    """An agent that says what it hears."""
    if isinstance(event, Audio):
        call.play(event.pcm)


@dataclass
class TestAgent:
    """A small agent: answers every call (unless told not to) and keeps what came in."""

    __test__ = False

    config: LineConfig
    switch: Switch
    calls: list[LineCall] = field(default_factory=list)
    events: dict[str, list[LineEvent]] = field(default_factory=lambda: defaultdict(list))
    audio: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def uri(self) -> str:
        return f"sip:appliance@{self.config.address}:{self.config.port}"

    async def serve(self, behave: Behaviour, on_arrival: Callable[[LineCall], None]) -> None:
        async for call in self.switch.calls():
            self.calls.append(call)
            on_arrival(call)
            task = asyncio.create_task(self._follow(call, behave))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
            self.changed.set()

    async def _follow(self, call: LineCall, behave: Behaviour) -> None:
        async for event in call.inbox():
            if isinstance(event, Audio):
                self.audio[call.key] += event.pcm
            else:
                self.events[call.key].append(event)
            behave(call, event)
            self.changed.set()

    def of(self, kind: type[Any], index: int = 0) -> list[Any]:
        """The events of one kind of the index-th call."""
        if len(self.calls) <= index:
            return []
        return [e for e in self.events[self.calls[index].key] if isinstance(e, kind)]

    async def until(self, condition: Callable[[], Any], what: str, timeout_s: float = 15) -> None:
        """Wait until something holds that calls and their events bring about."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise AssertionError(
                    f"waited {timeout_s} s in vain for {what}; had {dict(self.events)}"
                )
            self.changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), min(left_s, 0.02))

    async def until_event(self, kind: type[Any], index: int = 0) -> Any:
        """The first event of a kind of the index-th call, once it is there."""
        await self.until(lambda: self.of(kind, index), kind.__name__)
        return self.of(kind, index)[0]


@contextlib.asynccontextmanager
async def running_agent(
    config: LineConfig,
    behave: Behaviour = answer,
    on_arrival: Callable[[LineCall], None] = LineCall.answer,
) -> AsyncIterator[TestAgent]:
    """A switch with its line process, and an agent behind it."""
    async with Switch(config, SystemClock(), structlog.get_logger()) as switch:
        agent = TestAgent(config, switch)
        server = asyncio.create_task(agent.serve(behave, on_arrival))
        try:
            yield agent
        finally:
            server.cancel()
            await asyncio.gather(server, return_exceptions=True)
    await asyncio.gather(*agent.tasks)


@dataclass
class Sipp:
    """Runs scenario files of tests/call/sipp against an agent."""

    folder: Path

    async def run(
        self, agent: TestAgent, scenario: str, *options: str, address: str = "127.0.0.1"
    ) -> None:
        """One call by the scenario; fails with sipp's own error log where it does not fit."""
        errors = self.folder / f"{scenario}.{time.monotonic_ns()}.err"
        target = f"{agent.config.address}:{agent.config.port}"
        command = [need_tool("sipp"), target, "-sf", str(SIPP_FOLDER / scenario), "-i", address]
        command += ["-p", str(free_port()), "-mi", address, "-m", "1", "-nostdin", "-nd"]
        command += ["-timeout", "20", "-timeout_error", "-recv_timeout", "10000"]
        command += ["-trace_err", "-error_file", str(errors), *options]
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), 30)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        said = errors.read_text() if errors.exists() else output.decode("latin-1")[-2000:]
        assert process.returncode == 0, f"{scenario}: sipp exit {process.returncode}\n{said}"


@pytest.fixture(scope="session")
def voice(tmp_path_factory: pytest.TempPathFactory) -> CallerVoice:
    """A voice that the recognizer was never trained on."""
    return CallerVoice(tmp_path_factory.mktemp("voice"))


@pytest.fixture
def sipp(tmp_path: Path) -> Sipp:
    need_tool("sipp")
    return Sipp(tmp_path)


@dataclass(frozen=True)
class Rig:
    """The above for tests that cannot import a conftest by name."""

    config: Callable[..., LineConfig] = line_config
    agent: Callable[..., contextlib.AbstractAsyncContextManager[TestAgent]] = running_agent
    echo: Behaviour = echo
    free_port: Callable[..., int] = free_port
    free_rtp_ports: Callable[[], int] = free_rtp_ports
    need_tool: Callable[[str], str] = need_tool
    kill: Callable[[int], None] = kill


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def play() -> Callable[[Callable[[], Awaitable[None]]], None]:
    """Runs one scenario in an event loop of its own."""

    def run(scenario: Callable[[], Awaitable[None]]) -> None:
        async def bounded() -> None:
            await asyncio.wait_for(scenario(), 60)

        asyncio.run(bounded())

    return run
