"""How soon is there sound, and does it go on? The real Speaker and Playout on a line in real time.

    say ── first frame to the line ──> decision-to-frame
    line: 20 ms by the wall clock ── a frame was there? ──> silence inside a sentence

With a core to itself, and with a core that another program never leaves alone: the process and a
busy loop are pinned to the same one, so each gets half of it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from appliance.dialogue.turn import Prompt
from appliance.session.playout import Playout, Said
from appliance.session.speaker import Speaker
from appliance.tts.voices import Voices
from appliance.types import FRAME_MS

_MOST_S = 60.0  # a sentence that takes longer is a failure


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of one sentence.

    Attributes:
        first_ms: from the decision to its first frame.
        gap_ms: the longest silence inside it, after its first frame.
        failed: why it was not said to its end; "" if it was.
    """

    first_ms: float
    gap_ms: int
    failed: str = ""


class Line:
    """The far end of a playout: takes a frame every 20 ms, and counts when there is none."""

    def __init__(self) -> None:
        self.queued: deque[bytes] = deque()
        self.played = 0
        self.gap_ms = 0
        self.first_at: float | None = None
        self._silent_ms = 0

    def send(self, frame: bytes) -> None:
        """A frame from the playout."""
        if self.first_at is None:
            self.first_at = time.perf_counter()
        self.queued.append(frame)

    def begin(self) -> None:
        """Another sentence follows: measure anew."""
        self.first_at, self.gap_ms, self._silent_ms = None, 0, 0

    def period(self) -> None:
        """20 ms have gone by. Silence counts once sound follows it, not after the last frame."""
        if self.queued:
            self.queued.popleft()
            self.played += 1
            self.gap_ms, self._silent_ms = max(self.gap_ms, self._silent_ms), 0
        elif self.first_at is not None:
            self._silent_ms += FRAME_MS


class _Owner:
    """The call that is spoken for, as far as a Speaker asks."""

    def __init__(self) -> None:
        self.failed = ""
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def began(self) -> None:
        """Of no matter here: the line knows."""

    def said(self, said: Said) -> None:
        if said.interrupted:
            self.failed = self.failed or "interrupted"

    def holding(self) -> str | None:
        """No holding phrase: a gap is to be seen as a gap."""
        return None

    def held_up(self) -> None:
        """Never called without a holding phrase."""

    def voice_failed(self, why: str, *, protected: bool) -> None:
        del protected
        self.failed = why


async def say_all(voices: Voices, prompts: Sequence[Prompt]) -> list[Heard]:
    """Say sentences one after the other, in real time."""
    line, owner = Line(), _Owner()
    playout = Playout(line.send, line.queued.clear, owner.said)
    with ThreadPoolExecutor(1, "speaking") as workers:
        speaker = Speaker(playout, voices, workers, owner)
        return [await _say(speaker, playout, line, owner, prompt) for prompt in prompts]


async def _say(
    speaker: Speaker, playout: Playout, line: Line, owner: _Owner, prompt: Prompt
) -> Heard:
    line.begin()
    owner.failed = ""
    decided = due = time.perf_counter()
    speaker.say([prompt])
    while speaker.speaking:
        due += FRAME_MS / 1000
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        line.period()
        while time.perf_counter() >= due + FRAME_MS / 1000:  # this process came late, not the line
            due += FRAME_MS / 1000
            line.period()
        playout.tick(line.played)
        speaker.tick()
        if due - decided > _MOST_S:
            speaker.stop()
            owner.failed = owner.failed or f"not said within {_MOST_S:.0f} s"
    first_ms = ((line.first_at or due) - decided) * 1000
    return Heard(first_ms, line.gap_ms, owner.failed)


@contextmanager
def busy_core() -> Iterator[int]:
    """This thread and those that it starts share one core with a busy loop; yields its number."""
    allowed = os.sched_getaffinity(0)
    core = max(allowed)
    os.sched_setaffinity(0, {core})
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield core
    finally:
        burner.kill()
        burner.wait()
        os.sched_setaffinity(0, allowed)
