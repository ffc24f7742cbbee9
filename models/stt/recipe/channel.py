"""The telephone between a caller's mouth and the recognizer, simulated.

    speech → speed → room → silence around → noise, hum → level → clipping → band → codec → loss

Pure numpy, one random generator in, one array out, so that every draw can be repeated. The curves
are those of an ordinary call: 300-3400 Hz with soft edges, G.711, 20 ms packets, levels between
-35 and -15 dBFS while somebody speaks.
"""

from __future__ import annotations

import dataclasses

import numpy as np

RATE_HZ = 8000
LEVEL_DBFS = (-35.0, -15.0)
PACKET = RATE_HZ // 50  # 20 ms
_MU = 255.0
_A = 87.6


@dataclasses.dataclass(frozen=True)
class Kit:
    """Recorded sounds for the simulation: float32 arrays at 8 kHz, any of them may be empty."""

    noises: tuple[np.ndarray, ...] = ()
    rooms: tuple[np.ndarray, ...] = ()
    tones: tuple[np.ndarray, ...] = ()


def simulate(rng: np.random.Generator, speech: np.ndarray, kit: Kit) -> np.ndarray:
    """Sends one clean utterance through a random telephone call.

    Args:
        rng: source of every random choice.
        speech: float32 mono at 8 kHz, without silence around it.
        kit: noises and rooms to draw from.

    Returns:
        float32 in [-1, 1], longer than the input by 0-0.6 s before and 0-3 s after (and shorter or
        longer by the change of speed).
    """
    if rng.random() < 0.5:
        speech = change_speed(speech, rng.uniform(0.88, 1.25))
    if kit.rooms and rng.random() < 0.25:
        speech = _reverberate(rng, speech, kit)
    level = rng.uniform(*LEVEL_DBFS)
    speech = set_level(speech, level)
    wave = surround(rng, speech)
    wave = wave + _background(rng, len(wave), level, kit)
    return transmit(rng, wave)


def simulate_no_speech(rng: np.random.Generator, kit: Kit) -> np.ndarray:
    """A call on which nobody speaks: silence, noise or a ring tone, 0.4 to 4 s."""
    length = int(rng.uniform(0.4, 4.0) * RATE_HZ)
    kind = rng.random()
    if kind < 0.15:
        wave = np.zeros(length, np.float32)
    elif kind < 0.3 and kit.tones:
        tone = kit.tones[rng.integers(len(kit.tones))]
        wave = set_level(np.resize(tone, length), rng.uniform(-40, -15))
    else:
        wave = set_level(_noise(rng, length, kit), rng.uniform(-65, -25))
    return transmit(rng, wave)


def plain_call(speech: np.ndarray) -> np.ndarray:
    """One fixed, good line for judging: 0.1 s before, 0.3 s after, -22 dBFS, noise, mu-law."""
    rng = np.random.default_rng(len(speech))
    wave = np.concatenate([np.zeros(800), set_level(speech, -22.0), np.zeros(2400)])
    wave = wave + rng.standard_normal(len(wave)) * 10 ** (-52 / 20)
    return mu_law(band_limit(wave.astype(np.float32), 280.0, 3450.0))


def change_speed(wave: np.ndarray, factor: float) -> np.ndarray:
    """Plays faster (above 1) or slower by interpolation; pitch moves along."""
    places = np.arange(int(len(wave) / factor)) * factor
    return np.interp(places, np.arange(len(wave)), wave).astype(np.float32)


def active_level(wave: np.ndarray) -> float:
    """RMS in dBFS over the 20 ms frames within 30 dB of the loudest one."""
    frames = wave[: len(wave) // PACKET * PACKET].reshape(-1, PACKET)
    if not len(frames):
        frames = wave[None]
    power = (frames.astype(np.float64) ** 2).mean(axis=1)
    active = power[power >= power.max() * 1e-3]
    return float(10 * np.log10(active.mean() + 1e-12))


def set_level(wave: np.ndarray, level_dbfs: float) -> np.ndarray:
    """Scales so that `active_level` is ``level_dbfs``; silence stays silence."""
    level = active_level(wave)
    if level < -110:
        return wave.astype(np.float32)
    return (wave * 10 ** ((level_dbfs - level) / 20)).astype(np.float32)


def surround(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """Adds 0-0.6 s of silence before and 0-3 s after; long tails are rarer than short ones."""
    before = rng.uniform(0, 0.6)
    after = rng.uniform(0.05, 0.5) if rng.random() < 0.7 else rng.uniform(0, 3.0)
    return np.concatenate(
        [
            np.zeros(int(before * RATE_HZ), np.float32),
            wave,
            np.zeros(int(after * RATE_HZ), np.float32),
        ]
    )


def transmit(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """Clipping, band limits, codec and packet loss; keeps the length."""
    if rng.random() < 0.05:
        wave = np.clip(wave, -1, 1)
        limit = max(float(np.abs(wave).max()) * rng.uniform(0.2, 0.8), 1e-4)
        wave = np.clip(wave, -limit, limit)
    if rng.random() < 0.9:
        wave = band_limit(
            wave,
            rng.uniform(80, 350),
            rng.uniform(3000, 3900),
            rng.uniform(-6, 6) if rng.random() < 0.5 else 0.0,
        )
    wave = np.clip(wave, -1, 1).astype(np.float32)
    codec = rng.random()
    if codec < 0.6:
        wave = mu_law(wave)
    elif codec < 0.88:
        wave = a_law(wave)
    if rng.random() < 0.15:
        wave = lose_packets(rng, wave, rng.uniform(0.005, 0.06))
    return wave


def band_limit(wave: np.ndarray, low_hz: float, high_hz: float, tilt_db: float = 0.0) -> np.ndarray:
    """Second-order high-pass, steep low-pass and a spectral tilt, in the frequency domain."""
    size = 1 << (len(wave) - 1).bit_length() if len(wave) > 1 else 2
    frequency = np.fft.rfftfreq(size, 1 / RATE_HZ)
    gain = 1 / (1 + (low_hz / np.maximum(frequency, 1.0)) ** 4)
    gain *= 1 / (1 + (frequency / high_hz) ** 16)
    gain *= 10 ** (tilt_db * (frequency / (RATE_HZ / 2) - 0.5) / 20)
    spectrum = np.fft.rfft(wave, size) * gain
    return np.fft.irfft(spectrum, size)[: len(wave)].astype(np.float32)


def mu_law(wave: np.ndarray) -> np.ndarray:
    """Through 8-bit mu-law (the continuous curve of G.711) and back."""
    packed = np.sign(wave) * np.log1p(_MU * np.abs(wave)) / np.log1p(_MU)
    packed = np.round(packed * 127) / 127
    return (np.sign(packed) * np.expm1(np.abs(packed) * np.log1p(_MU)) / _MU).astype(np.float32)


def a_law(wave: np.ndarray) -> np.ndarray:
    """Through 8-bit A-law (the continuous curve of G.711) and back."""
    size, scale = np.abs(wave), 1 + np.log(_A)
    small = size < 1 / _A
    packed = np.where(small, _A * size, 1 + np.log(np.maximum(_A * size, 1e-9))) / scale
    packed = np.round(packed * 127) / 127
    back = np.where(packed < 1 / scale, packed * scale / _A, np.exp(packed * scale - 1) / _A)
    return (np.sign(wave) * back).astype(np.float32)


def lose_packets(rng: np.random.Generator, wave: np.ndarray, rate: float) -> np.ndarray:
    """Loses 20 ms packets in bursts; a receiver repeats the last one ever more quietly."""
    wave = wave.copy()
    lost_before = 0
    for start in range(PACKET, len(wave) - PACKET, PACKET):
        if rng.random() < (0.4 if lost_before else rate):
            lost_before += 1
            wave[start : start + PACKET] = wave[start - PACKET : start] * 0.7**lost_before
        else:
            lost_before = 0
    return wave


def _reverberate(rng: np.random.Generator, speech: np.ndarray, kit: Kit) -> np.ndarray:
    room = kit.rooms[rng.integers(len(kit.rooms))]
    size = 1 << (len(speech) + len(room)).bit_length()
    wet = np.fft.irfft(np.fft.rfft(speech, size) * np.fft.rfft(room, size), size)[: len(speech)]
    wet *= np.abs(speech).max() / (np.abs(wet).max() + 1e-9)
    share = rng.uniform(0.1, 0.7)
    return ((1 - share) * speech + share * wet).astype(np.float32)


def _background(rng: np.random.Generator, length: int, level_dbfs: float, kit: Kit) -> np.ndarray:
    """Noise 8 to 45 dB below the speech, now and then mains hum."""
    ratio_db = rng.uniform(8, 25) if rng.random() < 0.35 else rng.uniform(25, 50)
    noise = set_level(_noise(rng, length, kit), level_dbfs - ratio_db)
    if rng.random() < 0.05:
        hum_hz = rng.choice((50.0, 60.0)) * rng.choice((1, 2, 3))
        hum = np.sin(2 * np.pi * hum_hz * np.arange(length) / RATE_HZ)
        noise = noise + hum.astype(np.float32) * 10 ** ((level_dbfs - rng.uniform(10, 25)) / 20)
    return noise


def _noise(rng: np.random.Generator, length: int, kit: Kit) -> np.ndarray:
    if kit.noises and rng.random() < 0.5:
        noise = kit.noises[rng.integers(len(kit.noises))]
        start = int(rng.integers(max(1, len(noise) - length)))
        return np.resize(noise[start:], length).astype(np.float32)
    white = rng.standard_normal(length).astype(np.float32)
    if rng.random() < 0.5:
        return np.convolve(white, np.array([0.5, 0.3, 0.2], np.float32), "same")
    return white
