"""The box of a test: the edge as rendered, real lines, and an agent that echoes or refuses.

attacker ──> kamailio 192.0.2.1:PORT ──> lines 127.0.0.1 ──> the test
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from appliance.config import Config
from appliance.telephony.call import LineCall
from appliance.testing.caller import CallRefused, ScriptedCaller
from tests.edge.box import EdgeBox, box_config, running_edge

from .hosts import BOX, PBX, Host, Hosts

TOO_MANY = 503
"""What the edge says above its rate, with Retry-After."""

RELAY = 40000
"""First port of the relay; as many as a box has by default: floods must not use them up."""

TONE = (8000 * np.sin(np.arange(4000) * 0.35)).astype(np.int16)
"""Half a second at 8 kHz."""


@dataclass
class Box:
    """What runs, and how to see that all of it still does.

    Attributes:
        edge: kamailio and rtpengine.
        agent: tests/call's: its switch, its calls.
        arrived: SIP call ids of the calls that reached a line.
    """

    hosts: Hosts
    config: Config
    edge: EdgeBox
    agent: Any
    pids: frozenset[int] = frozenset()

    @property
    def arrived(self) -> list[str]:
        return [call.sip_call_id for call in self.agent.calls]

    @property
    def sip(self) -> tuple[str, int]:
        """Where the edge listens for the PBX."""
        return str(self.config.edge.address), self.config.edge.port

    def processes(self) -> frozenset[int]:
        """All of the edge and the lines: a crash, even of one worker, changes it."""
        own = [self.edge.pid("kamailio"), self.edge.pid("rtpengine")]
        lines = [line.pid for line in self.agent.switch.lines]
        return frozenset([*own, *lines, *(child for pid in own for child in _children(pid))])

    def assert_alive(self) -> None:
        """Nothing has died since the start."""
        assert self.processes() == self.pids, self.edge.log("kamailio")[-3000:]
        assert self.agent.switch.restarts == 0

    @contextlib.asynccontextmanager
    async def caller(self, host: Host = "pbx", address: str = PBX) -> AsyncIterator[ScriptedCaller]:
        """A caller on that host."""
        with self.hosts.inside(host):
            caller = ScriptedCaller(self.edge.uri, address)
            await caller.__aenter__()
        try:
            yield caller
        finally:
            await caller.__aexit__(None, None, None)

    async def assert_takes_a_call(self, within_s: float = 20.0) -> None:
        """A caller at the PBX is answered, once what a flood may cost is over, and is heard."""
        deadline = time.monotonic() + within_s
        while True:
            async with self.caller() as caller:
                try:
                    await caller.call(deadline - time.monotonic())
                except CallRefused as refused:
                    if refused.code != TOO_MANY or time.monotonic() > deadline:
                        raise
                    await asyncio.sleep(0.2)
                    continue
                await caller.say(TONE)
                await caller.pause(300)
                assert caller.received, "the line's echo was not heard"
                assert caller.hung_up_ns is None
                await caller.hang_up()
                return


@contextlib.asynccontextmanager
async def running_box(
    hosts: Hosts,
    rig: Any,
    folder: Path,
    processes: int = 1,
    edge: Mapping[str, Any] | None = None,
    line: Mapping[str, Any] | None = None,
) -> AsyncIterator[Box]:
    """All of it on the host `box`, whose kernel is set as an installed one is."""
    hosts.harden()
    at = {"address": BOX, "peers": [f"{PBX}/32"], "rtp_port": RELAY, "rtp_ports": 1000}
    config = box_config(folder, at | dict(edge or {}), line, processes)
    async with (
        running_edge(config, folder) as running,
        rig.agent(config.line, rig.echo, refuse_floods) as agent,
    ):
        box = Box(hosts, config, running, agent)
        box.pids = box.processes()
        yield box


def refuse_floods(call: LineCall) -> None:
    """What a box with its hands full does; the calls that tests mean are answered."""
    if "flood" in call.from_uri:
        call.reject(486)
    else:
        call.answer()


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in found]
