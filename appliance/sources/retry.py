"""Tries again, all under one deadline: a failed try after a pause, a silent one while it goes on.

    try 1 ────────── no answer ─ ─ ─ ─ ─ ─ ─ ─ ─┐
          share over: try 2 joins ─── answer ───┴─> the first answer counts, the rest is dropped

A silent try is not given up when the next one begins, so a server that is merely slow is heard.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from appliance.sources.faults import Fault

_FIRST_S = 0.1
_RECONNECT_FIRST_S = 0.1
_RECONNECT_LONGEST_S = 30.0


async def first_answer(attempt: Callable[[], Awaitable[Any]], tries: int, until: float) -> Any:
    """The first value that an attempt returns.

    Args:
        attempt: raises Fault if it failed.
        tries: how many may be begun, 1 or more.
        until: the deadline, in the time of the running loop. Nothing is waited for after it.

    Raises:
        Fault: the last one, or that no answer came in time.
    """
    clock = asyncio.get_running_loop().time
    running: set[asyncio.Future[Any]] = set()
    fault = late = Fault("no answer within its deadline", again=True)
    begun = 0
    try:
        while True:
            if begun < tries:
                task = asyncio.ensure_future(attempt())
                task.add_done_callback(_seen)
                running.add(task)
                begun += 1
            left = until - clock()
            share = left / (tries - begun + 1)
            done, running = await asyncio.wait(
                running, timeout=max(share, 0), return_when=asyncio.FIRST_COMPLETED
            )
            for each in done:
                error = each.exception()
                if error is None:
                    return each.result()
                if not isinstance(error, Fault) or not error.again:
                    raise error
                fault = error
            left = until - clock()
            if left <= 0:
                raise late if running else fault
            if not running:
                if begun == tries:
                    raise fault
                await asyncio.sleep(min(pause_s(begun), left))
    finally:
        for each in running:
            each.cancel()  # not waited for: it says so to the server, who may not listen


def _seen(task: asyncio.Future[Any]) -> None:
    """What becomes of one that nobody waits for any more is of no interest."""
    if not task.cancelled():
        task.exception()


def pause_s(failures: int) -> float:
    """Before the next try of a call, after so many failures (1 or more); doubling, never alike."""
    return _FIRST_S * 2.0 ** (failures - 1) * random.uniform(0.5, 1.0)


def reconnect_pause_s(failures: int) -> float:
    """Before the next connection, after so many failures in a row (0 or more); doubling to 30 s."""
    if failures == 0:
        return 0.0
    return min(_RECONNECT_FIRST_S * 2.0 ** min(failures - 1, 20), _RECONNECT_LONGEST_S)
