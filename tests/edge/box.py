"""A box on loopback for tests: rtpengine and kamailio as rendered, and a small agent behind them.

The edge is 127.0.0.2, the PBX 127.0.0.3; the lines are on 127.0.0.1 as always.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import socket
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from appliance.config import Config, parse_config
from appliance.edge.render import render_media, render_sip
from appliance.edge.writing import write_files

EDGE, PBX, STRANGER = "127.0.0.2", "127.0.0.3", "127.0.0.4"
PACKAGES = {
    "kamailio": "kamailio kamailio-tls-modules",
    "rtpengine": "rtpengine-daemon",
    "baresip": "baresip",
}
START_S = 20.0


def need_tool(name: str) -> str:
    """The path of a Debian tool; fails the test, saying what to install, where it is missing."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if path is None:
        pytest.fail(f"{name} is missing: apt-get install {PACKAGES[name]}")
    return path


def free_ports(count: int) -> int:
    """The first of so many ports that are free on 127.0.0.1 and on the edge's address."""
    for _ in range(300):
        first = random.randrange(20000, 32000, 2)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for address in ("127.0.0.1", EDGE):
                for port in range(first, first + count):
                    probe = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                    probe.bind((address, port))
            return first
    raise AssertionError("no range of free UDP ports")


def box_config(
    folder: Path,
    edge: Mapping[str, Any] | None = None,
    line: Mapping[str, Any] | None = None,
    processes: int = 2,
) -> Config:
    """A box with an edge, on free ports."""
    # Edge: SIP, local, control, then RTP; lines: SIP at two ports' distance, then RTP.
    relay = processes * 3 * 8
    first = free_ports(4 + relay + processes * 22)
    lines = first + 4 + relay
    sections: dict[str, Any] = {
        "edge": {
            "enabled": True,
            "address": EDGE,
            "port": first,
            "local_port": first + 1,
            "control_port": first + 2,
            "rtp_port": first + 4,
            "rtp_ports": relay,
            "peers": [f"{PBX}/32"],
        }
        | dict(edge or {}),
        "line": {"port": lines, "rtp_port": lines + 2 * processes, "processes": processes}
        | dict(line or {}),
    }
    return parse_config(sections, folder / "appliance.toml")


class EdgeBox:
    """The edge's two programs.

    Attributes:
        folder: where their files and logs are.
        uri: where the PBX sends calls.
    """

    def __init__(self, config: Config, folder: Path) -> None:
        self.config = config
        self.folder = folder
        self.uri = f"sip:200@{config.edge.address}:{config.edge.port}"
        self._running: dict[str, asyncio.subprocess.Process] = {}

    async def start_media(self) -> None:
        write_files(self.folder, render_media(self.config))
        await self._start(
            "rtpengine", f"--config-file={self.folder / 'rtpengine.conf'}", "--foreground",
            "--log-stderr",
        )  # fmt: skip
        ask = b"0_1 d7:command4:pinge"
        await self._until_answered("rtpengine", self.config.edge.control_port, ask)

    async def start_sip(self) -> None:
        write_files(self.folder, render_sip(self.config, self.folder))
        folder = str(self.folder)
        await self._start(
            "kamailio", "-f", str(self.folder / "kamailio.cfg"), "-DD", "-E", "-w", folder,
            "-Y", folder, "-m", "64", "-M", "8",
        )  # fmt: skip
        async with asyncio.timeout(START_S):
            while not (self.folder / "rpc.sock").exists() or not self._listens():
                if self._running["kamailio"].returncode is not None:
                    pytest.fail("kamailio did not start:\n" + self.log("kamailio"))
                await asyncio.sleep(0.05)

    async def stop(self, name: str) -> None:
        process = self._running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), 20)

    def pid(self, name: str) -> int:
        """The main process of one of the two."""
        return self._running[name].pid

    async def close(self) -> None:
        for name in list(self._running):
            await self.stop(name)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    async def _start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = await asyncio.create_subprocess_exec(
                need_tool(name), *arguments, stdout=log, stderr=log
            )

    def _listens(self) -> bool:
        """Whether the port is taken (an OPTIONS of this test would be no peer's)."""
        kind = socket.SOCK_DGRAM if self.config.edge.transport == "udp" else socket.SOCK_STREAM
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind((str(self.config.edge.address), self.config.edge.port))
            except OSError:
                return True
        return False

    async def _until_answered(self, name: str, port: int, packet: bytes) -> None:
        deadline = time.monotonic() + START_S
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("127.0.0.1", port))
            probe.setblocking(False)
            while time.monotonic() < deadline and self._running[name].returncode is None:
                with contextlib.suppress(OSError):
                    probe.send(packet)
                await asyncio.sleep(0.05)
                with contextlib.suppress(OSError):
                    probe.recv(4096)
                    return
        pytest.fail(f"{name} did not start:\n" + self.log(name))


@contextlib.asynccontextmanager
async def running_edge(config: Config, folder: Path) -> AsyncIterator[EdgeBox]:
    """Both programs until the end of the block."""
    box = EdgeBox(config, folder)
    try:
        await box.start_media()
        await box.start_sip()
        yield box
    finally:
        await box.close()
