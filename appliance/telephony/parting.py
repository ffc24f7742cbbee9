"""How a call ends that cannot go on: with the flow's parting words, then a BYE.

    the agent says so (`Part`), or is gone ─> what is being said fades ─> parting words ─> BYE

The words are approved ones of the flow (`cut_off`), rendered by the agent and kept here from its
first moment on: when it dies, nobody else could say them. A caller whom nobody can talk to (on
hold, still ringing) is hung up at once. One who is being transferred is left to that, for it needs
no agent.
"""

from __future__ import annotations

from appliance.telephony.messages import PartingWords
from appliance.telephony.outlet import faded_out
from appliance.telephony.port import CallPort
from appliance.types import FRAME_BYTES, FRAME_MS

PAUSE_MS, TAIL_MS = 200, 200
"""Silence before the words, and after them: what the far end still has in its jitter buffer."""

MAX_WORDS_MS = 20_000
"""More is no farewell."""

SLACK_S = 1.0
"""Words whose clock stands still end so much later all the same."""

_SILENCE = bytes(FRAME_BYTES)


class Farewell:
    """The parting words of the agent that was here last."""

    def __init__(self) -> None:
        self._words: tuple[bytes, ...] = ()
        self._coming: list[bytes] = []

    def hear(self, piece: PartingWords) -> None:
        """Keep a piece of new words; the last of them makes them good."""
        frames = [piece.pcm[at : at + FRAME_BYTES] for at in range(0, len(piece.pcm), FRAME_BYTES)]
        self._coming = [*self._coming, *frames][: MAX_WORDS_MS // FRAME_MS]
        if piece.last:
            self._words, self._coming = tuple(self._coming), []

    @property
    def seconds(self) -> float:
        """How long it takes to say them, pauses included; 0 where there are none."""
        frames = len(self._words)
        return (frames * FRAME_MS + PAUSE_MS + TAIL_MS) / 1000 if frames else 0.0

    def say(self, port: CallPort) -> None:
        """Let the port say them, and nothing after them."""
        before = port.queue.next_frame()
        fade = [] if before is None else [faded_out(before)]
        pause, tail = PAUSE_MS // FRAME_MS, TAIL_MS // FRAME_MS
        port.say_last([*fade, *([_SILENCE] * pause), *self._words, *([_SILENCE] * tail)])


class Partings:
    """The calls of a line that are being ended so: by number, the port and the latest end."""

    def __init__(self, farewell: Farewell) -> None:
        self._farewell = farewell
        self._under_way: dict[int, tuple[CallPort, float]] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._under_way

    def begin(self, number: int, port: CallPort, now_s: float) -> bool:
        """Say the words on a call's port; False where nobody would hear any.

        `now_s` is monotonic.
        """
        if port.held or not self._farewell.seconds:
            return False
        self._under_way[number] = port, now_s + self._farewell.seconds + SLACK_S
        self._farewell.say(port)
        return True

    def over(self, now_s: float) -> list[int]:
        """The calls that all has been said to, each told once; to be asked often."""
        done = [
            number
            for number, (port, until_s) in self._under_way.items()
            if not len(port.queue) or port.held or now_s >= until_s
        ]
        for number in done:
            self.forget(number)
        return done

    def renumber(self, before: int, number: int) -> None:
        """A call is known by another number from now on."""
        self._under_way[number] = self._under_way.pop(before)

    def forget(self, number: int) -> None:
        """This one is over, or was faster."""
        self._under_way.pop(number, None)
