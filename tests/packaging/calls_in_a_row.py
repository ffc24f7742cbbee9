"""Calls an appliance on loopback again and again; one line a call says what became of it."""

import asyncio
import signal

from appliance.errors import PeerError
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.media import CallEnded

_STAYS_S = 6.0


async def one_call() -> str:
    """`whole`, `refused CODE`, or `cut` with what happened."""
    async with ScriptedCaller("sip:200@127.0.0.1:5060") as caller:
        try:
            await caller.call()
        except CallRefused as refusal:
            return f"refused {refusal.code}"
        except PeerError as error:
            return f"refused {error}"
        try:
            await caller.wait_reply(timeout_s=30)
            await asyncio.sleep(_STAYS_S)
            await caller.hang_up()
        except (CallEnded, PeerError, TimeoutError) as error:
            return f"cut: {type(error).__name__}: {error}"
        return "whole"


async def main() -> None:
    """Until SIGTERM; the call under way is finished."""
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    while not stopped.is_set():
        print(await one_call(), flush=True)
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(main())
