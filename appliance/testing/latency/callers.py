"""Runs the processes of callers and collects what their calls came to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from appliance.errors import ConfigError
from appliance.testing.latency.caller_process import READY
from appliance.testing.latency.jobs import Job
from appliance.testing.latency.observed import CallReport

_READY_TIMEOUT_S = 120.0
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Callers leave the cores alone."""
_LINE_BYTES = 1 << 22
"""A report is a line; one of a long call has some ten kilobytes."""


class CallerProcesses:
    """The processes of one level of load. Use as an async context manager.

    They are ready, with all speech rendered, when it is entered, and gone when it is left.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._processes: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> CallerProcesses:
        """Start them.

        Raises:
            ConfigError: one did not get ready; the message holds what it said.
        """
        try:
            for job in self._jobs:
                self._processes.append(await _start(job))
            async with asyncio.timeout(_READY_TIMEOUT_S):
                for process in self._processes:
                    await _expect_ready(process)
        except TimeoutError as error:
            await self._stop()
            raise ConfigError(f"callers not ready after {_READY_TIMEOUT_S:.0f} s") from error
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """End those that are still there."""
        await self._stop()

    @property
    def pids(self) -> tuple[int, ...]:
        """Their process ids."""
        return tuple(process.pid for process in self._processes)

    async def run(self, on_report: Callable[[CallReport], None]) -> None:
        """Begin, and hand over each call's report when it is over; the processes stay.

        Raises:
            ConfigError: a process ended with an error.
        """
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
        expected = [sum(len(lane.calls) for lane in job.lanes) for job in self._jobs]
        await asyncio.gather(
            *(
                _collect(process, count, on_report)
                for process, count in zip(self._processes, expected, strict=True)
            )
        )

    async def _stop(self) -> None:
        for process in self._processes:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
        for process in self._processes:
            await process.wait()


async def _start(job: Job) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "appliance.testing.latency.caller_process",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LINE_BYTES,
        env={**os.environ, **_ONE_THREAD},
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(job.model_dump_json().encode() + b"\n")
    return process


async def _expect_ready(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode().strip()
    if line != READY:
        raise ConfigError(f"a process of callers did not start: {line or 'see its message above'}")


async def _collect(
    process: asyncio.subprocess.Process, count: int, on_report: Callable[[CallReport], None]
) -> None:
    """Read so many reports; the process stays, so that what it used can be read."""
    assert process.stdout is not None
    for _ in range(count):
        line = await process.stdout.readline()
        if not line:
            raise ConfigError(f"a process of callers ended early, code {await process.wait()}")
        try:
            on_report(CallReport.model_validate_json(line))
        except ValidationError as error:
            raise ConfigError(f"a caller's report cannot be read: {error}") from error
