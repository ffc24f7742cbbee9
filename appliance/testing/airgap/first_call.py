"""Calls an extension of a PBX until it answers and speaks: the first call of a new box.

python -m appliance.testing.airgap.first_call sip:200@PBX --address OURS --password-file F
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from appliance.errors import PeerError
from appliance.testing.caller import ScriptedCaller
from appliance.testing.digest import Credentials
from appliance.testing.leg import PeerOptions

GIVE_UP_S = 120.0
_AGAIN_S = 0.5
_REPLY_TIMEOUT_S = 20.0


async def call_until_answered(target: str, address: str, credentials: Credentials) -> float:
    """Seconds from the INVITE that was answered to the first prompt's sound being over.

    Raises:
        PeerError: nothing answered within `GIVE_UP_S`; the text is the last refusal's.
    """
    deadline = time.monotonic() + GIVE_UP_S
    options = PeerOptions(credentials=credentials)
    while True:
        async with ScriptedCaller(target, address=address, options=options) as caller:
            began = time.monotonic()
            try:
                await caller.register()
                await caller.call()
            except PeerError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(_AGAIN_S)
                continue
            await caller.wait_reply(timeout_s=_REPLY_TIMEOUT_S)
            heard = time.monotonic() - began
            await caller.hang_up()
            return heard


def main() -> None:
    """Place the call; prints how long it took, or raises."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target")
    parser.add_argument("--address", required=True, help="of this end")
    parser.add_argument("--user", default="300")
    parser.add_argument("--password-file", type=Path, required=True)
    given = parser.parse_args()
    secret = given.password_file.read_text(encoding="utf-8").strip()
    credentials = Credentials(user=given.user, password=secret)
    heard_s = asyncio.run(call_until_answered(given.target, given.address, credentials))
    print(f"answered; the first prompt was over after {heard_s:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
