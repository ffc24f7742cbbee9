"""How far ahead of the line a writer may be: the clock of what goes out.

The line counts the frames that it really played. A writer that waits for room sends as fast as the
line plays, however fast its speech is made, and a stop finds little that is not yet played.
"""

from __future__ import annotations

import asyncio

from appliance.session.playout import LEAD

_STALLED_TICKS = 10  # as in Playout: the line lost frames (hold); count anew


class Pace:
    """Counts frames of 20 ms; used from the event loop only."""

    def __init__(self) -> None:
        self._sent = self._played = self._stalled = 0
        self._ticked = asyncio.Event()

    async def room(self) -> None:
        """Wait until one more frame may be sent; it is counted as sent."""
        while self._sent - self._played >= LEAD:
            self._ticked.clear()
            await self._ticked.wait()
        self._sent += 1

    def tick(self, played: int) -> None:
        """The line has played so many frames since the call began."""
        waiting = played == self._played and self._sent > played
        self._stalled = self._stalled + 1 if waiting else 0
        self._played = played
        if self._stalled >= _STALLED_TICKS or played > self._sent:
            self.dropped()
        self._ticked.set()

    def dropped(self) -> None:
        """What was sent and not played is gone."""
        self._sent, self._stalled = self._played, 0
        self._ticked.set()
