"""What the caller hears of the appliance, frame by frame.

    Clip, Clip, … -> [never more than LEAD frames ahead of the line] -> send(frame)
                                                 line: `played` frames so far -> tick(played)

The line's own 20 ms clock drives it: each frame that comes in says how many of ours were really
played, and as many go out. So playout needs no timer, cannot build up delay, and knows to the
frame how much of a prompt the caller heard when he talked over it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from appliance.types import FRAME_BYTES, FRAME_MS

LEAD = 3
"""Frames kept ahead of the line: 60 ms cover the scheduling of a busy box."""

_STALLED_TICKS = 10  # played does not advance: the line lost frames (hold, restart); start anew


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of speech that belongs to a prompt. `last` ends the prompt.

    `aside`: it is played in the midst of the prompt, but is none of its words. `saying` numbers
    the times that something is said (`heard.Script`), `sentence` those of the prompt from 0;
    `whole`: it ends that sentence.
    """

    prompt: str
    pcm: bytes
    uninterruptible: bool = False
    last: bool = True
    aside: bool = False
    saying: int = 0
    sentence: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Stretch:
    """How much of a sentence was played, of what was rendered; `whole` if that was all of it."""

    sentence: int
    heard_ms: int
    total_ms: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a prompt: `heard_ms` of `total_ms` were played.

    `total_ms` is what was rendered of it until then; `interrupted` if that was not all, or if not
    all of it was heard. `stretches` tells the same of each sentence that was begun.
    """

    prompt: str
    heard_ms: int
    total_ms: int
    interrupted: bool
    saying: int = field(default=0, compare=False)
    stretches: tuple[Stretch, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class _Part:
    """Frames of a sentence, one after the other in its prompt; None is an aside."""

    sentence: int | None
    frames: int
    whole: bool


@dataclass(slots=True)
class _Prompt:
    """A prompt under way: frames by number, in the order in which they are sent."""

    name: str
    uninterruptible: bool
    first: int  # number of its first frame, counting all frames ever sent
    frames: int = 0
    complete: bool = False
    cut: bool = False
    saying: int = 0
    parts: list[_Part] = field(default_factory=list)

    def add(self, clip: Clip, frames: int) -> None:
        """Frames are added to it."""
        self.frames += frames
        self.complete = clip.last
        sentence = None if clip.aside else clip.sentence
        if self.parts and self.parts[-1].sentence == sentence:
            self.parts[-1].frames += frames
            self.parts[-1].whole = clip.whole
        else:
            self.parts.append(_Part(sentence, frames, clip.whole))

    def own(self, frames: int) -> int:
        """How many of its first frames are its own words."""
        return sum(heard for part, heard in self._played(frames) if part.sentence is not None)

    def stretches(self, frames: int) -> tuple[Stretch, ...]:
        """Its sentences, where so many of its first frames were played.

        One that was begun, held up and then said anew counts as that.
        """
        found: dict[int, Stretch] = {}
        for part, heard in self._played(frames):
            if part.sentence is not None:
                total_ms = part.frames * FRAME_MS
                found[part.sentence] = Stretch(
                    part.sentence, heard * FRAME_MS, total_ms, part.whole
                )
        return tuple(found.values())

    def _played(self, frames: int) -> Iterator[tuple[_Part, int]]:
        for part in self.parts:
            yield part, min(max(frames, 0), part.frames)
            frames -= part.frames


class Playout:
    """One call's outgoing audio; used from the event loop only."""

    def __init__(
        self,
        send: Callable[[bytes], None],
        drop_queued: Callable[[], None],
        finished: Callable[[Said], None],
    ) -> None:
        self._send = send
        self._drop_queued = drop_queued
        self._finished = finished
        self._frames: deque[bytes] = deque()
        self._prompts: deque[_Prompt] = deque()
        self._sent = 0
        self._played = 0
        self._stalled = 0

    @property
    def speaking(self) -> bool:
        """Whether anything is playing, queued, or still being rendered."""
        return bool(self._prompts)

    @property
    def dry(self) -> bool:
        """Whether there is nothing more to be sent, so that silence is heard before long."""
        return not self._frames

    @property
    def names(self) -> list[str]:
        """The prompts that are playing or queued, in order."""
        return [prompt.name for prompt in self._prompts]

    @property
    def sayings(self) -> list[int]:
        """The numbers of what is playing or queued, in order."""
        return [prompt.saying for prompt in self._prompts]

    @property
    def protected(self) -> int:
        """How many prompts there are up to the last uninterruptible one; 0 without one."""
        numbered = enumerate(self._prompts, 1)
        return max((number for number, prompt in numbered if prompt.uninterruptible), default=0)

    def add(self, clip: Clip) -> None:
        """Queue a clip and send at once what the line may have."""
        frames = [clip.pcm[at : at + FRAME_BYTES] for at in range(0, len(clip.pcm), FRAME_BYTES)]
        if frames:
            frames[-1] = frames[-1].ljust(FRAME_BYTES, b"\0")
        prompt = self._prompts[-1] if self._prompts else None
        same = prompt is not None and (prompt.name, prompt.saying) == (clip.prompt, clip.saying)
        if prompt is None or prompt.complete or not same:
            first = self._sent + len(self._frames)
            prompt = _Prompt(clip.prompt, clip.uninterruptible, first, saying=clip.saying)
            self._prompts.append(prompt)
        prompt.add(clip, len(frames))
        self._frames.extend(frames)
        self._fill()

    def take_back(self, at_most: int) -> int:
        """Drop up to so many frames from the end that the line has not been sent; how many it was.

        They must belong to the last prompt: what was added last is to go on in another way.
        """
        count = min(at_most, len(self._frames))
        for _ in range(count):
            self._frames.pop()
        if count:
            self._prompts[-1].frames -= count
            self._prompts[-1].parts[-1].frames -= count
        return count

    def cut(self, prompt: str) -> None:
        """Nothing will be added to this prompt any more, though it was not said to its end."""
        last = self._prompts[-1] if self._prompts else None
        if last is not None and last.name == prompt and not last.complete:
            last.complete = last.cut = True

    def tick(self, played: int) -> None:
        """The line has played `played` of our frames since the call began."""
        self._stalled = 0 if played != self._played or self._sent == played else self._stalled + 1
        self._played = played
        if self._stalled >= _STALLED_TICKS or played > self._sent:
            self._renumber(played)
        self._fill()
        while (
            self._prompts
            and self._prompts[0].complete
            and self._heard(self._prompts[0]) >= (self._prompts[0].frames)
        ):
            prompt = self._prompts.popleft()
            self._finished(self._said(prompt, interrupted=prompt.cut))

    def stop(self, keep: int = 0) -> None:
        """Drop all but the first `keep` prompts, now (barge-in); report how much was heard."""
        kept = list(self._prompts)[:keep]
        dropped = list(self._prompts)[keep:]
        self._prompts = deque(kept)
        if kept:
            ahead = kept[-1].first + kept[-1].frames - self._sent
            self._frames = deque(list(self._frames)[: max(0, ahead)])
        else:
            self._frames.clear()
            self._drop_queued()
        for prompt in dropped:
            self._finished(self._said(prompt, interrupted=True))
        if not kept:
            self._sent = self._played

    def _fill(self) -> None:
        while self._frames and self._sent - self._played < LEAD:
            self._send(self._frames.popleft())
            self._sent += 1

    def _heard(self, prompt: _Prompt) -> int:
        return min(prompt.frames, max(0, self._played - prompt.first))

    def _said(self, prompt: _Prompt, *, interrupted: bool) -> Said:
        heard, total = prompt.own(self._heard(prompt)), prompt.own(prompt.frames)
        stretches = prompt.stretches(self._heard(prompt))
        return Said(
            prompt.name, heard * FRAME_MS, total * FRAME_MS, interrupted, prompt.saying, stretches
        )

    def _renumber(self, played: int) -> None:
        """Count anew from the line: frames were lost on the way, or played after a stop."""
        shift = self._sent - played
        for prompt in self._prompts:
            prompt.first -= shift
        self._sent = played
        self._stalled = 0
