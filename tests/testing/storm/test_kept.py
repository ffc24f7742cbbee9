"""A program that is kept running comes again however it ends, and ends when it shall."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from appliance.testing.storm.errands import CONFIRMING, ERRANDS
from appliance.testing.storm.kept import Entry, Kept

pytestmark = pytest.mark.anyio

PROGRAM = """
import json, signal, sys, time
print("no json", file=sys.stderr)
print(json.dumps({"event": "ready"}), file=sys.stderr, flush=True)
time.sleep(60)
"""


async def until_up(kept: Kept) -> int:
    async with asyncio.timeout(30):
        await kept.up()
    return kept.pid


async def test_killed_program_is_started_again_and_stopped_at_the_end() -> None:
    said: list[Entry] = []
    kept = Kept((sys.executable, "-c", PROGRAM), 0.0, said.append)
    task = asyncio.create_task(kept.run())
    first = await until_up(kept)
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(30):
        while kept.pid in (0, first):
            await asyncio.sleep(0.01)
    second = await until_up(kept)
    assert (kept.ends, len(kept.starts_s)) == (1, 2)
    assert said[:2] == [{"event": "no json"}, {"event": "ready"}]
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert not Path(f"/proc/{second}").exists()
    assert kept.pid == 0


def test_every_errand_has_its_script_and_a_prompt_that_confirms_it() -> None:
    for flow, errands in ERRANDS.items():
        for errand in errands:
            assert errand.path.exists()
            assert errand.tool in {tool for (of, _), tool in CONFIRMING.items() if of == flow}
