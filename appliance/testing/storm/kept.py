"""Programs that are started again whenever they end, as systemd does with `Restart=always`.

Kept ── start ──> process ── ends ──> pause (RestartSec) ──> start …
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

Entry = dict[str, Any]
_READY = "ready"
_STOP_S = 20.0
_LINE_BYTES = 1 << 20


class Kept:
    """One program. Run it as a task; cancelling that stops the program as systemd would.

    Attributes:
        pid: of the process that runs; 0 while none does.
        starts_s: how long each start took until the program was ready, seconds.
        ends: how often it ended.
    """

    def __init__(
        self,
        program: Sequence[str],
        pause_s: float,
        heard: Callable[[Entry], None],
    ) -> None:
        """`pause_s` lies between two lives; `heard` gets every line that it logs."""
        self._program = tuple(program)
        self._pause_s = pause_s
        self._heard = heard
        self._up = asyncio.Event()
        self.pid = 0
        self.starts_s: list[float] = []
        self.ends = 0

    async def run(self) -> None:
        """Keep it running until cancelled."""
        while True:
            await self._once()
            self.ends += 1
            await asyncio.sleep(self._pause_s)

    async def up(self) -> None:
        """Wait until it is ready."""
        await self._up.wait()

    @property
    def is_up(self) -> bool:
        """Whether it runs and has said that it is ready."""
        return self._up.is_set()

    async def _once(self) -> None:
        """One life."""
        started_s = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *self._program, stderr=asyncio.subprocess.PIPE, limit=_LINE_BYTES
        )
        self.pid = process.pid
        assert process.stderr is not None
        try:
            async for line in process.stderr:
                entry = _entry(line)
                if entry.get("event") == _READY:
                    self.starts_s.append(time.monotonic() - started_s)
                    self._up.set()
                self._heard(entry)
            await process.wait()
        except asyncio.CancelledError:
            await _stop(process)
            raise
        finally:
            self.pid = 0
            self._up.clear()


def _entry(line: bytes) -> Entry:
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    return entry if isinstance(entry, dict) else {"event": line.decode(errors="replace").rstrip()}


async def _stop(process: asyncio.subprocess.Process) -> None:
    """SIGTERM, and SIGKILL where that is not heard."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    reading = asyncio.create_task(process.communicate())  # or a full pipe would stop it
    _, late = await asyncio.wait({reading}, timeout=_STOP_S)
    if late:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await reading
