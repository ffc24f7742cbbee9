"""A box runs for months: fifty calls leave nothing behind in the agent or in the line."""

import asyncio
import contextlib
import gc
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from appliance.cli.chat import example_accounts
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.session.agent import Agent
from appliance.telephony.switch import Switch
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import write_trial_config

pytestmark = pytest.mark.anyio
CALLS, AT_ONCE = 50, 3


async def short_call(target: str) -> None:
    async with ScriptedCaller(target) as caller:
        await caller.call()
        await caller.pause(400)
        await caller.hang_up()


async def calls(target: str, count: int) -> None:
    for _ in range(count // AT_ONCE + 1):
        async with asyncio.TaskGroup() as tasks:
            for _ in range(AT_ONCE):
                tasks.create_task(short_call(target))


def descriptors(pid: int | str) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def line_threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def counts(line_pid: int) -> dict[str, object]:
    await asyncio.sleep(1.0)  # the last calls' records are being written in threads
    gc.collect()
    kinds = Counter(type(each).__name__ for each in gc.get_objects())
    return {
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "descriptors": descriptors("self"),
        "line descriptors": descriptors(line_pid),
        "line threads": line_threads(line_pid),
        **{name: kinds[name] for name in ("CallSession", "LineCall", "EventLog", "CallFlow")},
    }


@pytest.mark.slow
async def test_fifty_calls_leave_nothing_behind(tmp_path: Path) -> None:
    # The callers' own: its threads start only when two tasks fall together, which is no leak.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    trial = write_trial_config(tmp_path, example_accounts("collections"))
    agent = Agent(load_config(trial.config), SystemClock(), lambda *_: None)
    started: asyncio.Future[Switch] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(agent.run(started.set_result))
    switch = await started
    try:
        await calls(trial.target, 9)
        before = await counts(switch.line_pid)
        await calls(trial.target, CALLS)
        after = await counts(switch.line_pid)
        assert after == before
        assert switch.restarts == 0
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    assert len(list(trial.calls.glob("*/*.record.json"))) >= CALLS
