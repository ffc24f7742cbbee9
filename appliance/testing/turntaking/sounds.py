"""Sounds of a caller, made by formulas: acknowledgements, coughs, breaths, taps, and syllables.

    pitch(t), resonances(t) -> harmonics, each at the gain of the resonances ─┬─> float32, 8 kHz
    noise, resonances       -> shaped noise, its loudness over time ──────────┘

A test's own sounds: no recording, no speech engine, and none of the ways in which the judge of
onsets was taught (models/turns/recipe/onset_*.py, real spectra by WORLD). Drawn from a generator,
so that a seed repeats them. All have their peak at 0.5 and nothing around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from appliance.audio.level import Samples
from appliance.types import LINE_RATE_HZ

# Resonances in Hz of a grown man's tract, each with its width; a nasal's second and third are weak.
_NASAL = ((255.0, 70.0), (1050.0, 260.0), (2250.0, 320.0))
_UH = ((620.0, 90.0), (1190.0, 110.0), (2450.0, 170.0))
_VOWELS = {
    "a": ((730.0, 90.0), (1150.0, 100.0), (2450.0, 160.0)),
    "e": ((520.0, 70.0), (1850.0, 110.0), (2500.0, 170.0)),
    "i": ((300.0, 60.0), (2250.0, 120.0), (2950.0, 200.0)),
    "o": ((480.0, 80.0), (900.0, 90.0), (2400.0, 160.0)),
}
_NASAL_TILT = 14.0  # dB lost above 700 Hz, beside what the resonances do
FORMS = ("mhm", "mhm", "uhu", "uhu", "m", "hm", "mm")
Form = Sequence[tuple[str, float]]
Resonances = Sequence[tuple[float, float]]


def acknowledgement(rng: np.random.Generator, form: str = "") -> Samples:
    """Somebody new says "mhm", "uhu" (uh-huh), "m", "hm" or "mm" (two hums in one breath).

    Args:
        rng: source of the speaker and his melody.
        form: one of FORMS; empty: any.
    """
    form = form or str(rng.choice(FORMS))
    tract, pitch_hz = rng.uniform(0.92, 1.22), float(np.exp(rng.uniform(np.log(85), np.log(240))))
    parts = []
    at = rng.uniform(0.92, 1.05)
    for place, kind in enumerate(form):
        last = place == len(form) - 1
        if kind == "h":
            parts.append(_breath(rng, tract, rng.uniform(0.03, 0.09)) * rng.uniform(0.02, 0.12))
            continue
        seconds = rng.uniform(0.12, 0.3) if last else rng.uniform(0.08, 0.18)
        to = at * rng.uniform(0.95, 1.3) if last else at * rng.uniform(0.9, 1.03)
        melody = np.linspace(pitch_hz * at, pitch_hz * to, int(seconds * LINE_RATE_HZ))
        nasal = kind == "m"
        wave = _voiced(melody, _scaled(_NASAL if nasal else _UH, tract), _NASAL_TILT * nasal)
        parts.append(wave * _swell(len(wave), 0.03, 0.06) * rng.uniform(0.7, 1))
        at = to * rng.uniform(0.95, 1.15)
    return _finished(np.concatenate(parts))


def cough(rng: np.random.Generator) -> Samples:
    """One or two coughs: a burst of air, its rush, and at times the voice behind it."""
    tract, parts = rng.uniform(0.9, 1.2), []
    for _ in range(int(rng.integers(1, 3))):
        rush = _breath(rng, tract, rng.uniform(0.12, 0.3))
        rush *= np.exp(-np.arange(len(rush)) / LINE_RATE_HZ / rng.uniform(0.03, 0.1))
        if rng.random() < 0.5:
            melody = np.linspace(rng.uniform(180, 320), rng.uniform(90, 160), len(rush) // 2)
            voice = _voiced(melody, _scaled(_UH, tract), 0.0) * _swell(len(melody), 0.02, 0.04)
            rush[-len(voice) :] += voice * rng.uniform(0.05, 0.2)
        parts += [rush / np.abs(rush).max(), np.zeros(int(rng.uniform(0.1, 0.3) * LINE_RATE_HZ))]
    return _finished(np.concatenate(parts[:-1]))


def breath(rng: np.random.Generator) -> Samples:
    """Somebody breathes into the microphone, or sniffs."""
    wave = _breath(rng, rng.uniform(0.9, 1.2), rng.uniform(0.15, 0.7))
    return _finished(wave * _swell(len(wave), 0.08, 0.1))


def tap(rng: np.random.Generator) -> Samples:
    """Something knocks, clicks or is put down, once to four times."""
    parts = []
    for _ in range(int(rng.integers(1, 5))):
        at = np.arange(int(0.06 * LINE_RATE_HZ)) / LINE_RATE_HZ
        body = np.exp(-at / rng.uniform(0.004, 0.02))
        body *= np.sin(2 * np.pi * rng.uniform(150, 2500) * at)
        click = np.exp(-at / 0.0015) * rng.standard_normal(len(at))
        parts += [body + 0.5 * click, np.zeros(int(rng.uniform(0.03, 0.25) * LINE_RATE_HZ))]
    return _finished(np.concatenate(parts[:-1]))


def rustle(rng: np.random.Generator) -> Samples:
    """Noise that comes and goes: paper, cloth over the microphone, a door."""
    length = int(rng.uniform(0.05, 0.6) * LINE_RATE_HZ)
    wave = _shaped(rng.standard_normal(length), ((rng.uniform(300, 2500), rng.uniform(300, 2000)),))
    return _finished(wave * _swell(length, rng.uniform(0.002, 0.08), rng.uniform(0.02, 0.1)))


def key_tone(rng: np.random.Generator) -> Samples:
    """The two tones of a telephone's key, heard in the sound of the call."""
    at = np.arange(int(rng.uniform(0.06, 0.3) * LINE_RATE_HZ)) / LINE_RATE_HZ
    low, high = rng.choice((697.0, 770.0, 852.0, 941.0)), rng.choice((1209.0, 1336.0, 1477.0))
    return _finished(np.sin(2 * np.pi * low * at) + np.sin(2 * np.pi * high * at))


NOISES: dict[str, Callable[[np.random.Generator], Samples]] = {
    "cough": cough, "breath": breath, "tap": tap, "rustle": rustle, "key tone": key_tone,
}  # fmt: skip


def syllables(rng: np.random.Generator, seconds: float) -> Samples:
    """Talk without words: stops and open vowels that glide, at four syllables a second."""
    tract, pitch_hz = rng.uniform(0.95, 1.15), rng.uniform(100, 210)
    parts: list[np.ndarray] = []
    while sum(map(len, parts)) < seconds * LINE_RATE_HZ:
        burst = _breath(rng, tract, rng.uniform(0.012, 0.03)) * 0.15
        length = int(rng.uniform(0.16, 0.26) * LINE_RATE_HZ)
        melody = np.linspace(pitch_hz * rng.uniform(1, 1.2), pitch_hz * rng.uniform(0.8, 1), length)
        begin, end = (_VOWELS[each] for each in rng.permutation(list(_VOWELS))[:2])
        glide = _voiced(melody, _scaled(begin, tract), 0.0, _scaled(end, tract))
        parts += [burst, glide * _swell(length, 0.01, 0.05)]
    return _finished(np.concatenate(parts)[: int(seconds * LINE_RATE_HZ)])


def _voiced(
    pitch_hz: np.ndarray, begin: Resonances, tilt_db: float, end: Resonances | None = None
) -> np.ndarray:
    """Harmonics at the gains of resonances that glide from `begin` to `end`."""
    moves = np.linspace(0, 1, len(pitch_hz))[:, None]
    first = np.array(begin)
    centre = first[:, 0] + moves * (np.array(end or begin)[:, 0] - first[:, 0])
    phase = 2 * np.pi * np.cumsum(pitch_hz) / LINE_RATE_HZ
    wave = np.zeros(len(pitch_hz))
    for number in range(1, int(3800 / pitch_hz.max()) + 1):
        hertz = number * pitch_hz
        gain = _gain(hertz[:, None], centre, first[:, 1]) / number
        gain *= 10 ** (-tilt_db * np.clip(hertz / 700 - 1, 0, 1) / 20)
        wave += gain * np.sin(number * phase + 0.7 * number)
    return np.asarray(wave / (np.abs(wave).max() + 1e-9))


def _gain(hertz: np.ndarray, centre: np.ndarray, width: np.ndarray) -> np.ndarray:
    """A cascade of resonators: one of unit gain at 0 Hz for each column."""
    ratio = hertz / centre
    each = 1 / np.sqrt((1 - ratio**2) ** 2 + (ratio * width / centre) ** 2)
    return np.asarray(each.prod(axis=-1))


def _breath(rng: np.random.Generator, tract: float, seconds: float) -> np.ndarray:
    return _shaped(rng.standard_normal(int(seconds * LINE_RATE_HZ)), _scaled(_UH, tract))


def _shaped(noise: np.ndarray, resonances: Resonances) -> np.ndarray:
    size = 1 << (len(noise) + 400).bit_length()
    hertz = np.fft.rfftfreq(size, 1 / LINE_RATE_HZ)[:, None]
    centre, width = np.array(resonances).T
    gain = _gain(hertz, centre, 3 * width) + 0.1
    wave = np.fft.irfft(np.fft.rfft(noise, size) * gain, size)[: len(noise)]
    return np.asarray(wave / np.abs(wave).max())


def _scaled(resonances: Resonances, tract: float) -> Resonances:
    """Those of a shorter (above 1) or a longer tract."""
    return tuple((centre * tract, width * tract) for centre, width in resonances)


def _swell(length: int, rise_s: float, fall_s: float) -> np.ndarray:
    rise, fall = (min(length // 2, max(1, int(each * LINE_RATE_HZ))) for each in (rise_s, fall_s))
    swell = np.ones(length)
    swell[:rise] = np.sin(np.linspace(0, np.pi / 2, rise)) ** 2
    swell[length - fall :] *= np.cos(np.linspace(0, np.pi / 2, fall)) ** 2
    return swell


def _finished(wave: np.ndarray) -> Samples:
    return np.asarray(0.5 * wave / (np.abs(wave).max() + 1e-9), np.float32)
