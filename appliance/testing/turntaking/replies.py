"""Replies that are made: a synthetic caller answers, plainly or with a pause where people make one.

There are no recordings of people who answer these questions on the telephone. So words and places
of the pauses are written here, their lengths are drawn from those of real readers
(`hesitation.PAUSES_MS`), and the digits of real speakers are joined with such gaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.audio.channel import active_level, telephone
from appliance.audio.level import FULL_SCALE, to_pcm
from appliance.audio.level import Samples as FloatSamples
from appliance.dialogue.schema import Slot
from appliance.testing.g711 import Samples
from appliance.testing.hesitation import draw_pause_ms, speak_with_pauses, spell_in_groups
from appliance.testing.speech import CallerVoice
from appliance.testing.turntaking.pausing import AFTER_MS, Reply
from appliance.types import LINE_RATE_HZ

SAID: Mapping[Slot, Sequence[str]] = {
    "yes_no": (
        "yes", "no", "yes that's right", "no it isn't", "yeah", "yes i can", "no i can't do that",
        "sure", "yes it is", "that's correct", "no thank you", "i think so",
        "um|yes", "yes|that's right", "well|no", "no|i don't think so", "yes|but not today",
        "let me see|yes",
    ),
    "date": (
        "next friday", "on march thirty first", "tomorrow", "the fifteenth", "in two weeks",
        "on monday the third", "the end of the month", "friday afternoon",
        "um|next friday", "on|march thirty first", "let me see|the fifteenth",
        "maybe on|monday the third",
    ),
    "amount": (
        "fifty dollars", "two hundred dollars", "one hundred and twenty dollars", "half of it",
        "about three hundred", "twenty five dollars a month", "five hundred", "all of it",
        "um|fifty dollars", "two hundred|and fifty dollars", "about|three hundred",
        "well i could pay|one hundred dollars",
    ),
    "name": (
        "maria lopez", "john smith", "my name is susan miller", "it's david jones", "anna",
        "this is robert brown",
        "my name is|susan miller", "maria|lopez", "um|john smith",
    ),
    "address": (
        "twelve main street", "forty five oak avenue apartment three", "seven hundred park road",
        "one twenty three elm street springfield",
        "twelve main street|apartment four", "forty five|oak avenue",
        "it's|seven hundred park road",
    ),
    "text": (
        "my furnace is broken", "i want to redo the kitchen", "the water heater is leaking",
        "we are thinking about a new bathroom", "there is no hot water since this morning",
        "i would like to know when my order arrives", "just the living room and the hall",
        "i want more light and more space",
        "my furnace is broken|and the house is cold", "um|the water heater is leaking",
        "i want to|redo the kitchen", "we are thinking about|a new bathroom",
    ),
}  # fmt: skip
"""By kind; a bar is where the caller pauses. A third of the replies pause."""
_ZIPS = 24
_BEFORE_MS = 300  # what `telephone` puts before
_BELOW_ACTIVE_DB = 34.0
_GROUPS = ((5,), (5,), (3, 2), (2, 3), (1, 4), (2, 2, 1))


@dataclass(frozen=True, slots=True)
class Said:
    """A reply before it is on the line; the fields are those of `Reply`.

    `samples`: int16 at LINE_RATE_HZ.
    """

    kind: Slot | None
    source: str
    text: str
    samples: Samples
    hesitates: bool = False


def made(
    voices: Mapping[str, CallerVoice], rng: np.random.Generator, snr_db: float | None
) -> Iterator[Reply]:
    """Every reply of SAID, and ZIP codes, by every voice.

    Args:
        voices: who answers, by a name for the figures.
        rng: draws pauses, digits and noise.
        snr_db: of the call; None: quiet.
    """
    for name, voice in voices.items():
        for kind, texts in SAID.items():
            for text in texts:
                parts = text.split("|")
                pauses = [draw_pause_ms(rng) for _ in parts[1:]]
                samples = speak_with_pauses(voice, parts, pauses).samples
                said = Said(kind, name, " ".join(parts), samples, bool(pauses))
                yield on_the_line(said, rng, snr_db)
        for index in range(_ZIPS):
            digits = "".join(str(digit) for digit in rng.integers(0, 10, 5))
            groups = _GROUPS[index % len(_GROUPS)]
            speech = spell_in_groups(voice, digits, groups, rng)
            said = Said("zip", name, speech.text, speech.samples, len(groups) > 1)
            yield on_the_line(said, rng, snr_db)


def on_the_line(said: Said, rng: np.random.Generator, snr_db: float | None) -> Reply:
    """One reply over a call of G.711.

    Args:
        said: clean.
        rng: source of the noise.
        snr_db: of pink noise on the call; None: quiet.
    """
    wave = said.samples.astype(np.float32) / np.float32(FULL_SCALE)
    quiet = np.zeros(AFTER_MS * LINE_RATE_HZ // 1000, np.float32)
    heard = telephone(np.concatenate([wave, quiet]), rng, snr_db=snr_db)
    ends_ms = _BEFORE_MS + last_sound_ms(wave)
    return Reply(said.kind, said.source, said.text, to_pcm(heard), ends_ms, said.hesitates)


def last_sound_ms(wave: FloatSamples) -> int:
    """Where a clean utterance ends: the last 10 ms within 34 dB of its active level."""
    step = LINE_RATE_HZ // 100
    frames = wave[: len(wave) // step * step].reshape(-1, step).astype(np.float64)
    level = 10 * np.log10((frames**2).mean(axis=1) + 1e-12)
    loud = np.flatnonzero(level > active_level(wave) - _BELOW_ACTIVE_DB)
    return int(10 * (loud[-1] + 1)) if len(loud) else 0
