"""How a voice moves: the spread of its pitch, and whether its questions rise.

Pitch is tracked anew in the audio of every source alike, so recordings, copies and the voice are
measured by the same rule. Semitones, because a spread in Hz grows with the height of the voice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.voice.recipe.dataset import Floats
from models.voice.recipe.settings import SAMPLE_RATE_HZ

FRAME_S = 0.008
TAIL_S = 0.1
"""What counts as the end of a question: the last voiced tenth of a second. A rise from the last
stressed vowel is still low in the middle of the last quarter of a second."""
LONG_TAIL_S = 0.25
"""Reported beside it: a figure that hangs on one window is none."""
_FLOOR_DB = 30.0
"""So far below the loudest frame nothing is voice: the tracker finds pitch in faint noise."""
LEAST_RISE = 2.0
"""Semitones. A tail that lies so far above the median of its sentence rises; most listeners do not
tell smaller steps in speech apart ('t Hart, JASA 69, 1981)."""
_WIDEST_HZ = (60.0, 500.0)
_AROUND = 2.2  # how far above and below its median a speaker's pitch is looked for

Speak = Callable[[str], Floats]


def track(audio: Floats, low_hz: float, high_hz: float) -> Floats:
    """F0 in Hz every 8 ms, 0 where unvoiced (pyworld: dio, refined by stonemask)."""
    import pyworld

    wide = audio.astype(np.float64)
    f0, times = pyworld.dio(
        wide, SAMPLE_RATE_HZ, f0_floor=low_hz, f0_ceil=high_hz, frame_period=FRAME_S * 1000
    )
    f0 = pyworld.stonemask(wide, f0, times, SAMPLE_RATE_HZ)
    half = round(FRAME_S * SAMPLE_RATE_HZ)
    power = np.convolve(wide**2, np.full(2 * half, 1 / (2 * half)), "same")
    level = power[np.minimum((times * SAMPLE_RATE_HZ).astype(int), len(power) - 1)]
    audible = level > level.max() * 10 ** (-_FLOOR_DB / 10)
    return np.asarray(np.where(audible, f0, 0.0), np.float32)


def pitch_range(audios: Sequence[Floats]) -> tuple[float, float]:
    """Where to look for a speaker's pitch, Hz: narrow, since a wide search doubles and halves."""
    f0 = np.concatenate([track(audio, *_WIDEST_HZ) for audio in audios])
    median = float(np.median(f0[f0 > 0]))
    return max(_WIDEST_HZ[0], median / _AROUND), min(_WIDEST_HZ[1], median * _AROUND)


def semitones(f0: Floats) -> Floats:
    """Voiced frames only, in semitones above 1 Hz."""
    return np.asarray(12 * np.log2(f0[f0 > 0]), np.float32)


def spread(contours: Sequence[Floats]) -> dict[str, float]:
    """Median and spread of pitch.

    Args:
        contours: F0 in Hz of every sentence, 0 where unvoiced.

    Returns:
        `median_hz`; `spread_st`, the standard deviation over all sentences; and `within_st`, the
        mean of the standard deviations of single sentences.
    """
    parts = [semitones(f0) for f0 in contours if (f0 > 0).any()]
    together = np.concatenate(parts)
    return {
        "median_hz": float(2 ** (np.median(together) / 12)),
        "spread_st": float(together.std()),
        "within_st": float(np.mean([part.std() for part in parts])),
    }


def tail_above_median(f0: Floats, tail_s: float = TAIL_S) -> float:
    """Semitones of the last `tail_s` voiced seconds above the sentence's median.

    Raises:
        ValueError: nothing is voiced.
    """
    voiced = semitones(f0)
    if len(voiced) == 0:
        raise ValueError("nothing is voiced")
    return float(np.median(voiced[-round(tail_s / FRAME_S) :]) - np.median(voiced))


def asked(texts: Sequence[str], speak: Speak, range_hz: tuple[float, float]) -> dict[str, Any]:
    """What a question mark does to sentences, against the same words with a full stop.

    Args:
        texts: with a question mark at the end.
        speak: text → audio at 16 kHz.
        range_hz: where to look for pitch.

    Returns:
        `count`; `rising`, the share whose tail lies at least `LEAST_RISE` above the median of
        the sentence, and `rising_long`, the share by the longer tail; `tail_st`, the median of how
        far above it lies; `over_statement_st`, the median of how much further than in the
        statement.
    """
    tails, long, stated = [], [], []
    for text in texts:
        contour = track(speak(text), *range_hz)
        tails.append(tail_above_median(contour))
        long.append(tail_above_median(contour, LONG_TAIL_S))
        stated.append(tail_above_median(track(speak(text.rstrip("?") + "."), *range_hz)))
    over = np.array(tails) - np.array(stated)
    return {
        "count": len(texts),
        "rising": float(np.mean(np.array(tails) >= LEAST_RISE)),
        "rising_long": float(np.mean(np.array(long) >= LEAST_RISE)),
        "tail_st": float(np.median(tails)),
        "over_statement_st": float(np.median(over)),
    }


def questions(language: str) -> dict[str, list[str]]:
    """`yes_no` and `word` questions of a language, from questions.toml."""
    path = Path(__file__).with_name("questions.toml")
    found: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    return found
