"""Makes the sounds of a caller that are no words: coughs, breaths, throats cleared, taps, keys.

All are float32 at RATE_HZ, peak 0.5, with nothing around; whoever mixes them sets the level. They
are drawn wide rather than true: what they have in common is what the judge is to learn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from appliance.audio import sounds as made

from .corpora import RATE_HZ, Sounds

_BINS = 129


def cough(rng: np.random.Generator) -> np.ndarray:
    """A burst, a rush of air, and often the voice closing; once to three times."""
    parts = []
    resonances = _resonances(rng, 3, (400, 3000), (80, 500))
    for _ in range(int(rng.integers(1, 4))):
        burst = int(rng.uniform(0.015, 0.06) * RATE_HZ)
        rush = int(rng.uniform(0.08, 0.28) * RATE_HZ)
        envelope = np.concatenate(
            [
                np.linspace(rng.uniform(0.2, 0.8), 1, burst),
                rng.uniform(0.2, 0.8) * np.exp(-np.arange(rush) / rush * rng.uniform(1, 5)),
            ]
        )
        wave = _shaped(rng.standard_normal(len(envelope)), resonances) * envelope
        if rng.random() < 0.6:
            wave = np.concatenate([wave, 0.6 * rng.uniform(0.3, 1) * _closing(rng, resonances)])
        parts += [wave / (np.abs(wave).max() + 1e-9) * rng.uniform(0.4, 1), _gap(rng, 0.05, 0.35)]
    return _finished(np.concatenate(parts[:-1]))


def throat(rng: np.random.Generator) -> np.ndarray:
    """A throat is cleared: rough pulses and noise through a neutral tract."""
    length = int(rng.uniform(0.15, 0.55) * RATE_HZ)
    source = _pulses(rng, length, rng.uniform(50, 160), roughness=rng.uniform(0.15, 0.4))
    source = source + rng.uniform(0.3, 2) * 0.1 * rng.standard_normal(length)
    resonances = _resonances(rng, 3, (350, 2600), (100, 400))
    return _finished(_shaped(source, resonances) * _swell(rng, length, 0.02, 0.15))


def breath(rng: np.random.Generator) -> np.ndarray:
    """Air: in or out, through the nose or the mouth, slow or as a sniff."""
    sniff = rng.random() < 0.35
    length = int((rng.uniform(0.08, 0.25) if sniff else rng.uniform(0.2, 0.9)) * RATE_HZ)
    resonances = _resonances(rng, 2, (500, 3400), (200, 1200))
    wave = _shaped(rng.standard_normal(length), resonances, slope=rng.uniform(-6, 10))
    return _finished(wave * _swell(rng, length, 0.02 if sniff else 0.1, 0.1))


def tap(rng: np.random.Generator) -> np.ndarray:
    """Clicks, knocks, keys of a keyboard, something put down: struck bodies that ring shortly."""
    parts = []
    for _ in range(int(rng.integers(1, 6))):
        length = int(rng.uniform(0.01, 0.12) * RATE_HZ)
        at = np.arange(length) / RATE_HZ
        wave = 0.3 * rng.standard_normal(length) * np.exp(-at / rng.uniform(0.001, 0.01))
        for _ in range(int(rng.integers(1, 5))):
            ring = np.exp(-at / rng.uniform(0.002, 0.04)) * rng.uniform(0.2, 1)
            wave += ring * np.sin(2 * np.pi * np.exp(rng.uniform(4.6, 8.1)) * at)
        parts += [wave * rng.uniform(0.3, 1), _gap(rng, 0.02, 0.3)]
    return _finished(np.concatenate(parts[:-1]))


def burst(rng: np.random.Generator) -> np.ndarray:
    """A stretch of shaped noise that comes and goes: paper, wind on the microphone, a door."""
    length = int(rng.uniform(0.03, 0.8) * RATE_HZ)
    slope = rng.uniform(-10, 25)
    wave = _shaped(
        rng.standard_normal(length), _resonances(rng, 2, (200, 3400), (100, 2000)), slope
    )
    if rng.random() < 0.4:  # crackle
        wave *= np.abs(np.convolve(rng.standard_normal(length), np.ones(30) / 30, "same"))
    return _finished(wave * _swell(rng, length, rng.uniform(0.001, 0.1), rng.uniform(0.02, 0.3)))


def beep(rng: np.random.Generator) -> np.ndarray:
    """A key's tones, a call-progress tone, an appliance's beep, a hum, music."""
    length = int(rng.uniform(0.08, 1.0) * RATE_HZ)
    kind = rng.integers(4)
    if kind == 0:
        wave = made.tone(rng, "dtmf", max(length, 3000))
    elif kind == 1:
        wave = made.tone(rng, made.TONES[rng.integers(len(made.TONES))], length)
    elif kind == 2:
        at = np.arange(length) / RATE_HZ
        hertz = np.exp(rng.uniform(5.3, 8.1))
        slide = rng.uniform(-0.3, 0.3) if rng.random() < 0.3 else 0.0
        wave = np.sin(2 * np.pi * hertz * (at + slide * at**2))
        wave = np.tanh(wave * rng.uniform(0.2, 4))
    else:
        wave = made.music(rng, length) if rng.random() < 0.6 else made.hum(rng, length)
    return _finished(np.asarray(wave) * _swell(rng, len(wave), 0.005, 0.01))


def recorded(rng: np.random.Generator, around: Sounds) -> np.ndarray:
    """A piece of a recorded noise or tone, cut in or swelling."""
    tracks = around.noises if rng.random() < 0.8 else around.tones
    track = tracks[rng.integers(len(tracks))]
    length = min(len(track), int(rng.uniform(0.1, 1.2) * RATE_HZ))
    start = int(rng.integers(max(1, len(track) - length)))
    piece = np.array(track[start : start + length])
    return _finished(piece * _swell(rng, length, rng.uniform(0.001, 0.1), rng.uniform(0.01, 0.2)))


MADE: tuple[Callable[[np.random.Generator], np.ndarray], ...] = (
    cough, cough, throat, throat, breath, breath, tap, tap, burst, beep,
)  # fmt: skip


def any_noise(rng: np.random.Generator, around: Sounds) -> np.ndarray:
    """One of all these."""
    if around.noises and rng.random() < 0.15:
        return recorded(rng, around)
    return MADE[rng.integers(len(MADE))](rng)


def _closing(rng: np.random.Generator, resonances: np.ndarray) -> np.ndarray:
    length = int(rng.uniform(0.04, 0.15) * RATE_HZ)
    source = _pulses(rng, length, rng.uniform(120, 380), roughness=rng.uniform(0.02, 0.2))
    return _shaped(source, resonances) * _swell(rng, length, 0.01, 0.05)


def _pulses(rng: np.random.Generator, length: int, pitch_hz: float, roughness: float) -> np.ndarray:
    source = np.zeros(length)
    at, glide = 0.0, rng.uniform(-0.4, 0.2)
    while at < length:
        source[int(at)] = 1 + roughness * rng.standard_normal()
        pitch = pitch_hz * (1 + glide * at / length) * (1 + roughness * rng.standard_normal())
        at += RATE_HZ / max(30.0, pitch)
    return np.convolve(source, 0.9 ** np.arange(40), "full")[:length]


def _resonances(
    rng: np.random.Generator, count: int, range_hz: tuple[float, float], wide: tuple[float, float]
) -> np.ndarray:
    """Gain in dB over _BINS frequencies: some broad peaks."""
    hertz = np.linspace(0, RATE_HZ / 2, _BINS)
    gain = np.full(_BINS, -25.0)
    for _ in range(count):
        centre, width = rng.uniform(*range_hz), rng.uniform(*wide)
        gain = np.maximum(
            gain, rng.uniform(-12, 0) - 10 * np.log10(1 + ((hertz - centre) / width) ** 2)
        )
    return gain


def _shaped(source: np.ndarray, gain_db: np.ndarray, slope: float = 0.0) -> np.ndarray:
    size = 1 << (len(source) + 256).bit_length()
    hertz = np.linspace(0, 1, size // 2 + 1)
    gain = np.interp(hertz, np.linspace(0, 1, len(gain_db)), gain_db) - slope * hertz
    return np.fft.irfft(np.fft.rfft(source, size) * 10 ** (gain / 20), size)[: len(source)]


def _swell(rng: np.random.Generator, length: int, rise_s: float, fall_s: float) -> np.ndarray:
    rise = max(1, min(length // 2, int(rise_s * rng.uniform(0.3, 2) * RATE_HZ)))
    fall = max(1, min(length // 2, int(fall_s * rng.uniform(0.3, 2) * RATE_HZ)))
    envelope = np.ones(length)
    envelope[:rise] = np.linspace(0, 1, rise) ** rng.uniform(0.5, 2)
    envelope[length - fall :] *= np.linspace(1, 0, fall) ** rng.uniform(0.5, 2)
    return envelope


def _gap(rng: np.random.Generator, least_s: float, most_s: float) -> np.ndarray:
    return np.zeros(int(rng.uniform(least_s, most_s) * RATE_HZ))


def _finished(wave: np.ndarray) -> np.ndarray:
    return (0.5 * wave / (np.abs(wave).max() + 1e-9)).astype(np.float32)
