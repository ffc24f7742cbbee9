"""Everything that is measured of speaking, in one run and as one JSON object.

voices ── sentences ──> real-time factor, first audio        (processor time of one thread)
Speaker + Playout ── fixed sentences, heads ──> decision to first frame
                 └── sentences with slots, on a busy core ──> silence inside them
thousands of sentences ──> clicks at joins, growth of memory
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from appliance.dialogue.turn import Prompt
from appliance.testing.figures import summarize
from appliance.testing.speaking.endurance import endure
from appliance.testing.speaking.material import Material, Progress, as_prompt
from appliance.testing.speaking.realtime import Heard, busy_core, say_all
from appliance.tts.cache import PromptCache
from appliance.tts.voices import Voices
from appliance.types import BYTES_A_SECOND, Language

TEN_WORDS: dict[Language, str] = {
    "en": "Thank you, I have found your account in our system.",
    "es": "Gracias, ya he encontrado su cuenta en nuestro sistema informático.",
}
_FIRST_AUDIO_TIMES = 20
_SEED = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure.

    Attributes:
        timed: sentences a voice for the real-time factor.
        spoken: sentences a voice that are said in real time, once with a free core and once with
            a busy one.
        endured: sentences for clicks and memory.
    """

    timed: int = 60
    spoken: int = 10
    endured: int = 10_000


def measure(materials: Sequence[Material], plan: Plan, tell: Progress) -> dict[str, Any]:
    """All measurements.

    Args:
        materials: the languages.
        plan: how much.
        tell: is told what is being done.

    Returns:
        Figures ready for JSON: `voices` by language and name, `realtime` (`free` and `busy`), and
        `endurance`.
    """
    voices = {
        f"{each.language} {name}": speed(cache, each, plan.timed, tell)
        for each in materials
        for name, cache in each.voices.items()
    }
    free = _said(materials, plan.spoken, "said", tell)
    with busy_core():
        busy = _said(materials, plan.spoken, "said on a busy core", tell)
    tell("rendered", 0, plan.endured)
    endured = endure(materials, plan.endured, lambda done: tell("rendered", done, plan.endured))
    return {
        "voices": voices,
        "realtime": {"free": timing(free), "busy": timing(busy)},
        "endurance": endured.as_json(),
    }


def speed(cache: PromptCache, material: Material, count: int, tell: Progress) -> dict[str, float]:
    """Real-time factor over sentences with slots, and ms to the sound of one of ten words.

    In processor time, and as the caller gets it: resampled, levelled, at 8 kHz. The voice has one
    thread, so this is the time that it takes on one core that is free.
    """
    tell("timed", 0, count)
    ten_words = TEN_WORDS[material.language]
    cache.render(ten_words)
    times = []
    for _ in range(_FIRST_AUDIO_TIMES):
        began = time.process_time()
        cache.render(ten_words)
        times.append(1000 * (time.process_time() - began))
    work_s = sound_s = 0.0
    for done, sentence in enumerate(islice(material.sentences(_SEED), count), 1):
        began = time.process_time()
        rendered = cache.render(sentence)
        work_s += time.process_time() - began
        sound_s += len(rendered.whole) / BYTES_A_SECOND
        tell("timed", done, count)
    return {
        "real_time_factor": round(work_s / sound_s, 4),
        "ten_words_ms": round(statistics.median(times), 1),
        "sentences": count,
        "seconds": round(sound_s, 1),
    }


def timing(heard: Sequence[tuple[str, Heard]]) -> dict[str, Any]:
    """Decision to frame of what is ready, by what it is; silence inside sentences with slots."""
    failed = [each.failed for _, each in heard if each.failed]
    by_kind = {
        kind: [each for known, each in heard if known == kind] for kind in ("fixed", "head", "none")
    }
    return {
        "fixed_first_ms": summarize([each.first_ms for each in by_kind["fixed"]]),
        "head_first_ms": summarize([each.first_ms for each in by_kind["head"]]),
        "head_gap_ms": summarize([float(each.gap_ms) for each in by_kind["head"]]),
        "longest_gap_ms": max((each.gap_ms for each in by_kind["head"]), default=None),
        "no_head_first_ms": summarize([each.first_ms for each in by_kind["none"]]),
        "failed": failed,
    }


def _said(
    materials: Sequence[Material], count: int, what: str, tell: Progress
) -> list[tuple[str, Heard]]:
    """Sentences said in real time, each with what was ready of it: all, its head, nothing."""
    found: list[tuple[str, Heard]] = []
    total = len([name for each in materials for name in each.voices])
    tell(what, 0, total)
    for each in materials:
        for name, cache in each.voices.items():
            rng = random.Random(_SEED)
            fixed = rng.sample(each.fixed, min(count, len(each.fixed)))
            slotted = list(islice(each.sentences(_SEED + 1), count))
            prompts = [as_prompt(text, at, name) for at, text in enumerate([*fixed, *slotted])]
            heard = asyncio.run(say_all(Voices(cache, each.voices), prompts))
            found += zip([_ready(cache, each) for each in prompts], heard, strict=True)
            tell(what, list(each.voices).index(name) + 1, total)
    return found


def _ready(cache: PromptCache, prompt: Prompt) -> str:
    if cache.find(prompt.speech) is not None:
        return "fixed"
    return "head" if cache.head(prompt.speech) is not None else "none"
