"""Synthetic speakers: who may speak in training and who is kept for judging.

A voice is drawn as a small frozen record, so that a data shard can say exactly who spoke. flite slt
(and festival slt, the same person) is never trained on: the scripted caller of the demonstration
and of the call tests speaks with it. Pure data and draws; `engines` runs the engines.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import dataclasses
import random

ESPEAK_ACCENTS = {
    "en": (
        "en-us en-us en-us en-us en-gb en-gb-scotland en-029 en-us-nyc en-gb-x-rp en-gb-x-gbclan"
    ).split(),
    "es": "es-419 es-419 es-419 es".split(),
}
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
# Festival's diphone voices: English ones, and foreign ones for Spanish (see `festival`).
FESTIVAL_PITCH = {
    "en": {"kal_diphone": (85, 150), "ked_diphone": (80, 140)},
    "es": {
        "lp_diphone": (150, 250),
        "czech_dita": (150, 250),
        "czech_krb": (120, 220),
        "czech_machac": (85, 150),
        "czech_ph": (85, 150),
        "suo_fi_lj_diphone": (150, 250),
        "hy_fi_mv_diphone": (85, 150),
    },
}
FESTIVAL_HELD_OUT = {"es": {"pc_diphone": (90, 150)}}
HELD_OUT_ENGINES = {"en": ("flite", "espeak"), "es": ("espeak", "festival")}
"""The engines that have a voice of the language which is kept for judging."""
# Share of the training voices by engine, with and without festival.
_ENGINE_WEIGHTS = {
    ("en", False): {"espeak": 0.42, "flite": 0.40, "piper": 0.18},
    ("en", True): {"espeak": 0.36, "flite": 0.34, "piper": 0.18, "festival": 0.12},
    ("es", False): {"espeak": 1.0},
    ("es", True): {"espeak": 0.45, "festival": 0.55},
}
# Every synthesizer voice that appears in training; the test compares this with the held-out ones.
FLITE_WEIGHTS = {"awb": 0.38, "rms": 0.44, "kal16": 0.12, "kal": 0.06}


@dataclasses.dataclass(frozen=True)
class Voice:
    """One synthetic speaker.

    Attributes:
        engine: "espeak", "flite", "piper" or "festival".
        name: the engine's own voice name (espeak: accent+variant).
        speed: words a minute for espeak; duration stretch for the others (1 is natural).
        pitch: 0..99 for espeak; mean F0 in Hz for flite and festival; unused for piper.
        warp: resampling factor; above 1 shortens the vocal tract (a smaller speaker), which turns
            the few male flite voices into a range of speakers.
    """

    engine: str
    name: str
    speed: float
    pitch: int
    warp: float


def draw_voice(
    rng: random.Random, piper: bool, language: str = "en", festival: bool = False
) -> Voice:
    """Draws a training voice.

    Args:
        rng: source of the choice.
        piper: whether the recipe was given a Piper voice file.
        language: of the texts.
        festival: whether festival and its voices are installed.
    """
    weights = _ENGINE_WEIGHTS[language, festival]
    engine = rng.choices(list(weights), weights=list(weights.values()))[0]
    if engine == "piper" and piper:
        warp = rng.uniform(0.86, 1.14) if rng.random() < 0.7 else 1.0
        return Voice("piper", "given", rng.uniform(0.8, 1.35) * warp, 0, warp)
    if engine == "espeak":
        accent = rng.choice(ESPEAK_ACCENTS[language])
        return _espeak(rng, accent, rng.choice(ESPEAK_VARIANTS + [""] * 3))
    if engine == "festival":
        return _recorded(rng, engine, FESTIVAL_PITCH[language], {})
    return _recorded(rng, "flite", FLITE_PITCH, FLITE_WEIGHTS)


def _recorded(
    rng: random.Random,
    engine: str,
    pitches: dict[str, tuple[int, int]],
    weights: dict[str, float],
) -> Voice:
    """A voice made of recordings; the few there are become many speakers by warping."""
    names = list(weights or pitches)
    name = rng.choices(names, weights=list(weights.values()) or None)[0]
    warp = rng.uniform(0.9, 1.28) if rng.random() < 0.75 else 1.0
    # The stretch makes up for the time that the warp takes away.
    return Voice(engine, name, rng.uniform(0.78, 1.3) * warp, rng.randint(*pitches[name]), warp)


def draw_held_out(rng: random.Random, engine: str, language: str = "en") -> Voice:
    """Draws a voice that training never hears, unwarped.

    Args:
        rng: source of the choice.
        engine: one of `HELD_OUT_ENGINES` of the language.
        language: of the texts.
    """
    if engine == "espeak":
        (accent, variant), accents = rng.choice(ESPEAK_HELD_OUT), ESPEAK_ACCENTS[language]
        return _espeak(rng, accent if language == "en" else rng.choice(accents), variant)
    voices = FLITE_HELD_OUT if engine == "flite" else FESTIVAL_HELD_OUT[language]
    name = rng.choice(list(voices))
    return Voice(engine, name, rng.uniform(0.9, 1.2), rng.randint(*voices[name]), 1.0)


def _espeak(rng: random.Random, accent: str, variant: str) -> Voice:
    warp = rng.uniform(0.92, 1.1) if rng.random() < 0.5 else 1.0
    name = f"{accent}+{variant}" if variant else accent
    return Voice("espeak", name, rng.randint(120, 205), rng.randint(20, 80), warp)
