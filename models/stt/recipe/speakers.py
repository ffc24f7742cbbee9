"""Synthetic speakers: who may speak in training and who is kept for judging.

A voice is drawn as a small frozen record, so that a data shard can say exactly who spoke. flite slt
(and festival slt, the same person) is never trained on: the scripted caller of the demonstration
and of the call tests speaks with it. Pure data and draws; `synth` runs the engines.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import dataclasses
import random

ESPEAK_ACCENTS = (
    "en-us en-us en-us en-us en-gb en-gb-scotland en-029 en-us-nyc en-gb-x-rp en-gb-x-gbclan"
).split()
ESPEAK_ACCENTS_ES = "es-419 es-419 es-419 es".split()
ESPEAK_VARIANTS = (
    "adam Alex Alicia Andy Annie antonio aunty belinda benjamin boris caleb david Denis Diogo ed "
    "edward Gene gustave Henrique Hugo iven iven2 Jacky kaukovalta Lee linda marcelo Marco Mario "
    "max Michael michel miguel Nguyen pablo paul pedro quincy rob robert steph steph2 zac anika f1 "
    "f2 f3 f5 klatt klatt2 klatt4 klatt5 m1 m2 m3 m4 m5 m7 m8 norbert sandro shelby travis victor "
    "grandma grandpa"
).split()
ESPEAK_HELD_OUT = (
    ("en-us", "f4"),
    ("en-us", "m6"),
    ("en-gb", "Andrea"),
    ("en-us", "john"),
    ("en-us", "klatt3"),
    ("en-gb-x-gbcwmd", "edward2"),
)
# Voice: lowest and highest mean pitch in Hz that still sounds like a person.
FLITE_PITCH = {"awb": (95, 175), "rms": (80, 160), "kal16": (85, 150), "kal": (85, 150)}
FLITE_HELD_OUT = {"slt": (150, 210)}
# Every synthesizer voice that appears in training; the test compares this with the held-out ones.
FLITE_WEIGHTS = {"awb": 0.38, "rms": 0.44, "kal16": 0.12, "kal": 0.06}


@dataclasses.dataclass(frozen=True)
class Voice:
    """One synthetic speaker.

    Attributes:
        engine: "espeak", "flite" or "piper".
        name: the engine's own voice name (espeak: accent+variant).
        speed: words a minute for espeak; duration stretch for flite and piper (1 is natural).
        pitch: 0..99 for espeak; mean F0 in Hz for flite; unused for piper.
        warp: resampling factor; above 1 shortens the vocal tract (a smaller speaker), which turns
            the few male flite voices into a range of speakers.
    """

    engine: str
    name: str
    speed: float
    pitch: int
    warp: float


def draw_voice(rng: random.Random, piper: bool) -> Voice:
    """Draws a training voice; piper only when the recipe was given a Piper voice file."""
    engine = rng.choices(("espeak", "flite", "piper"), weights=(0.42, 0.40, 0.18))[0]
    if engine == "piper" and piper:
        warp = rng.uniform(0.86, 1.14) if rng.random() < 0.7 else 1.0
        return Voice("piper", "given", rng.uniform(0.8, 1.35) * warp, 0, warp)
    if engine == "espeak":
        accent, variant = rng.choice(ESPEAK_ACCENTS), rng.choice(ESPEAK_VARIANTS + [""] * 3)
        return _espeak(rng, accent, variant)
    name = rng.choices(list(FLITE_WEIGHTS), weights=list(FLITE_WEIGHTS.values()))[0]
    warp = rng.uniform(0.9, 1.28) if rng.random() < 0.75 else 1.0
    # The stretch makes up for the time that the warp takes away.
    return Voice(
        "flite", name, rng.uniform(0.78, 1.3) * warp, rng.randint(*FLITE_PITCH[name]), warp
    )


def draw_spanish(rng: random.Random) -> Voice:
    """Draws a training voice for Spanish: espeak-ng, the one engine at hand that speaks it."""
    return _espeak(rng, rng.choice(ESPEAK_ACCENTS_ES), rng.choice(ESPEAK_VARIANTS + [""] * 3))


def draw_held_out(rng: random.Random, engine: str, language: str = "en") -> Voice:
    """Draws a voice that training never hears, unwarped: flite slt, or an espeak variant."""
    if language == "es":
        return _espeak(rng, rng.choice(ESPEAK_ACCENTS_ES), rng.choice(ESPEAK_HELD_OUT)[1])
    if engine == "espeak":
        return _espeak(rng, *rng.choice(ESPEAK_HELD_OUT))
    name = rng.choice(list(FLITE_HELD_OUT))
    return Voice("flite", name, rng.uniform(0.9, 1.2), rng.randint(*FLITE_HELD_OUT[name]), 1.0)


def _espeak(rng: random.Random, accent: str, variant: str) -> Voice:
    warp = rng.uniform(0.92, 1.1) if rng.random() < 0.5 else 1.0
    name = f"{accent}+{variant}" if variant else accent
    return Voice("espeak", name, rng.randint(120, 205), rng.randint(20, 80), warp)
