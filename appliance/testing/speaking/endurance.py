"""Thousands of sentences in a row: does memory grow, does a join click?

    head, as far as it was played ── seam ──> sentence with its values ── clicks? ──> memory?

How far a head was played when its sentence is ready differs from call to call, so it is drawn by
lot here, from "just begun" to "over". That no click is found proves nothing unless clicks are
found where there are some: so now and then the same sentence is cut without a seam, as a control.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from appliance.audio.clicks import find_clicks
from appliance.audio.level import Samples, to_float
from appliance.testing.speaking.material import Material
from appliance.tts.cache import PromptCache
from appliance.types import FRAME_BYTES, FRAME_SAMPLES, LINE_RATE_HZ

_SETTLED = 0.2  # of the run: caches of espeak, numpy and onnxruntime are filled by then
_TIMES = 200  # how often memory is looked at
_LEAST_FRAMES = 3  # of a head go to the line at once
_BEFORE = LINE_RATE_HZ // 5  # of the sentence before, so that the border is listened to as well
_SAME = LINE_RATE_HZ // 200  # clicks that are 5 ms apart at most are the same one
_EXAMPLES = 20
_CONTROL_EVERY = 10  # joined sentences
_REACH = LINE_RATE_HZ // 60  # a control goes on where its step is largest within this
_LEAST_STEP = 0.02  # of full scale; smaller ones, in a pause, are hard to hear


@dataclass
class Endured:
    """What a run found.

    A click is at a join if it is in what the caller hears and neither in the head nor in the
    sentence as they were rendered; those are the voice's own.
    """

    sentences: int = 0
    joined: int = 0
    at_joins: int = 0
    of_voice: int = 0
    controls: int = 0
    controls_found: int = 0
    examples: list[str] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """For the figures: memory is judged by its growth once it has settled."""
        settled = self.memory_mb[int(len(self.memory_mb) * _SETTLED) :]
        return {
            "sentences": self.sentences,
            "joined": self.joined,
            "clicks_at_joins": self.at_joins,
            "clicks_of_voice": self.of_voice,
            "controls": self.controls,
            "controls_found": self.controls_found,
            "examples": self.examples,
            "memory_mb": round(self.memory_mb[-1], 1) if self.memory_mb else None,
            "memory_growth_mb": growth(settled),
        }


@dataclass(frozen=True, slots=True)
class Played:
    """A sentence as the caller hears it, and what it was made of.

    `left_at` is how much of the head had been played when the sentence was ready, samples.
    """

    audio: Samples
    head: Samples
    whole: Samples
    left_at: int = 0

    def own_clicks(self) -> list[int]:
        """Where the clicks of its parts are to be expected in it, samples from its start."""
        # The head was cut out of a sentence: what its end sounds like is the join's matter.
        ends = len(self.head) - 2 * _SAME
        of_head = [at for at in find_clicks(self.head) if at < ends]
        shift = len(self.audio) - len(self.whole)
        return [*of_head, *(at + shift for at in find_clicks(self.whole))]


def growth(memory_mb: Sequence[float]) -> float:
    """What memory grows by over a run, by a straight line of least squares; 0 for one look."""
    if len(memory_mb) < 2:
        return 0.0
    slope = np.polyfit(np.arange(len(memory_mb)), np.array(memory_mb), 1)[0]
    return round(float(slope) * (len(memory_mb) - 1), 2)


def endure(materials: Sequence[Material], count: int, tell: Callable[[int], None]) -> Endured:
    """Render `count` sentences, each joined to its head where it has one.

    Args:
        materials: languages, and the voices of each, in turn.
        count: sentences in all.
        tell: is told how many are done.
    """
    found, rng = Endured(), random.Random(count)
    turns = _turns(materials)
    before = np.zeros(_BEFORE, np.float32)
    every = max(1, count // _TIMES)
    for cache, sentence in islice(turns, count):
        played = _as_played(cache, sentence, rng)
        found.sentences += 1
        found.joined += len(played.head) > 0
        listen(before, played, found)
        if played.left_at and found.joined % _CONTROL_EVERY == 0:
            cut = badly_cut(played)
            found.controls += cut is not None
            found.controls_found += cut is not None and has_click(cut, played.left_at)
        before = np.concatenate([before, played.audio])[-_BEFORE:]
        if found.sentences % every == 0 or found.sentences == count:
            found.memory_mb.append(_resident_mb())
            tell(found.sentences)
    return found


def listen(before: Samples, played: Played, found: Endured) -> None:
    """Count the clicks of a sentence, and of the border to what was played before it."""
    heard = [at - len(before) for at in find_clicks(np.concatenate([before, played.audio]))]
    heard = [at for at in heard if at >= -_SAME]
    if not heard:
        return
    own = played.own_clicks()
    for at in heard:
        if any(abs(at - each) <= _SAME for each in own):
            found.of_voice += 1
            continue
        found.at_joins += 1
        if len(found.examples) < _EXAMPLES:
            found.examples.append(f"sentence {found.sentences}, sample {at}")


def badly_cut(played: Played) -> Samples | None:
    """The sentence as it would be with a step where the head was left; None in a pause."""
    at = played.left_at
    following = played.whole[at : at + _REACH]
    if not len(following):
        return None
    steps = np.abs(following - played.head[at - 1])
    if steps.max() < _LEAST_STEP:
        return None
    return np.concatenate([played.head[:at], played.whole[at + int(steps.argmax()) :]])


def has_click(sound: Samples, at: int) -> bool:
    """Whether a click is found at this sample."""
    return any(abs(each - at) <= _SAME for each in find_clicks(sound))


def _turns(materials: Sequence[Material]) -> Iterator[tuple[PromptCache, str]]:
    streams = [
        (cache, each.sentences(seed))
        for each in materials
        for seed, cache in enumerate(each.voices.values(), 1)
    ]
    for cache, sentences in cycle(streams):
        yield cache, next(sentences)


def _as_played(cache: PromptCache, sentence: str, rng: random.Random) -> Played:
    head = cache.head(sentence)
    rendered = cache.render(sentence, head)
    whole = to_float(rendered.whole)
    if head is None:
        return Played(whole, whole[:0], whole)
    frames = rng.randint(_LEAST_FRAMES, -(-len(head.pcm) // FRAME_BYTES))
    played = min(frames * FRAME_SAMPLES, len(head.pcm) // 2)
    heard = to_float(head.pcm[: 2 * played] + rendered.after(played))
    return Played(heard, to_float(head.spoken.pcm), whole, played)


def _resident_mb() -> float:
    """Memory of this process that is in RAM."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6
