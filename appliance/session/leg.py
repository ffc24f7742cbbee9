"""What a session asks of the line: one call's way in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from appliance.telephony.call import LineEvent


class Leg(Protocol):
    """`telephony.switch.LineCall`, or in tests a line without SIP."""

    @property
    def key(self) -> str:
        """Names the call in every log and record."""
        ...

    @property
    def dropped_frames(self) -> int:
        """Caller's frames that were lost because the agent stalled."""
        ...

    def answer(self) -> None:
        """Take the call; CallUp follows."""
        ...

    def play(self, pcm: bytes) -> None:
        """Send one frame."""
        ...

    def flush(self) -> None:
        """Drop frames that were sent and not played."""
        ...

    def hang_up(self) -> None:
        """End the call; CallDown follows."""
        ...

    def transfer(self, target: str) -> None:
        """Send the caller to a SIP URI; TransferResult follows."""
        ...

    def inbox(self) -> AsyncIterator[LineEvent]:
        """What happens, in order; ends after CallDown."""
        ...
