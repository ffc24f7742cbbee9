"""A line process that is a service of its own, as a unit would start it, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from appliance.config import LineConfig

TONE = (8000 * np.sin(2 * np.pi * 440 * np.arange(8000) / 8000)).astype("<i2").tobytes()
"""A second of sound, in the place of parting words."""


@dataclass
class Service:
    """A process that was started with a socket in the place of systemd."""

    process: asyncio.subprocess.Process
    notices: socket.socket

    async def until_said(self, text: str, timeout_s: float = 20) -> None:
        """Wait until it has told systemd something; fails where that does not come."""
        heard = []
        async with asyncio.timeout(timeout_s):
            while True:
                try:
                    heard.append(self.notices.recv(4096).decode())
                except BlockingIOError:
                    assert self.process.returncode is None, heard
                    await asyncio.sleep(0.01)
                    continue
                if text in heard[-1]:
                    return

    def said(self) -> list[str]:
        """What it has told systemd since it was last asked."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(self.notices.recv(4096).decode())
        return found

    async def ended(self) -> int:
        """Its exit status."""
        return await asyncio.wait_for(self.process.wait(), 20)


@contextlib.contextmanager
def notify_socket(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as notices:
        notices.bind(str(folder / "notify"))
        yield notices


def write_line_config(path: Path, config: LineConfig) -> Path:
    keys: dict[str, Any] = config.model_dump(mode="json", exclude_defaults=True)
    registrar = keys.pop("registrar", None)
    parts = ["[line]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    if registrar:
        parts.append("[line.registrar]")
        parts += [f"{key} = {json.dumps(value)}" for key, value in registrar.items()]
    path.write_text("\n".join(parts) + "\n")
    return path


@contextlib.asynccontextmanager
async def running_line(
    folder: Path, config: LineConfig, *, index: int = 0, watchdog_s: float = 0
) -> AsyncIterator[Service]:
    """The line, from when it says that it is ready."""
    folder.mkdir(exist_ok=True)
    path = write_line_config(folder / "line.toml", config)
    environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify")}
    if watchdog_s:
        environment["WATCHDOG_USEC"] = str(int(watchdog_s * 1_000_000))
    with notify_socket(folder) as notices:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "appliance.telephony.line",
            "--index", str(index), "--config-file", str(path),
            env=environment,
        )  # fmt: skip
        service = Service(process, notices)
        try:
            await service.until_said("READY=1")
            yield service
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
