"""Sounds on a telephone line that are not a caller's words: made here, never recorded.

Ring-back, busy, DTMF, music, hum, hiss, many people talking: a recognizer must write nothing of
them, and must hear a caller through them. All are float32 mono at LINE_RATE_HZ with an RMS of
about -20 dBFS; whoever mixes them sets the level. Pure: the generator passed in decides everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from appliance.audio.level import Samples
from appliance.types import LINE_RATE_HZ

Tone = Literal["ringback", "ringback_eu", "busy", "congestion", "dial", "dtmf", "sit", "fax"]
# Frequencies in Hz sounded together, then seconds on and seconds off (ITU-T E.180 supplement 2:
# North America; *_eu: most of Europe; fax: the calling tone of T.30).
_CADENCES: dict[str, tuple[tuple[float, ...], float, float]] = {
    "ringback": ((440, 480), 2.0, 4.0),
    "ringback_eu": ((425,), 1.0, 4.0),
    "busy": ((480, 620), 0.5, 0.5),
    "congestion": ((480, 620), 0.25, 0.25),
    "dial": ((350, 440), 1.0, 0.0),
    "fax": ((1100,), 0.5, 3.0),
}
_DTMF_LOW = (697.0, 770.0, 852.0, 941.0)
_DTMF_HIGH = (1209.0, 1336.0, 1477.0, 1633.0)
_SIT = (950.0, 1400.0, 1800.0)  # "the number you have dialled", 330 ms each
TONES: tuple[Tone, ...] = (
    "ringback", "ringback_eu", "busy", "congestion", "dial", "dtmf", "sit", "fax",
)  # fmt: skip
_CHORDS = ((0, 4, 7), (0, 3, 7), (5, 9, 12), (7, 11, 14), (9, 12, 16), (2, 5, 9))  # semitones
_RMS = 0.1


def tone(rng: np.random.Generator, kind: Tone, length: int) -> Samples:
    """A signalling tone of `length` samples, begun at a random place of its cadence."""
    if kind == "dtmf":
        return _keys(rng, length)
    if kind == "sit":
        third = _sine(_SIT[0], 2640), _sine(_SIT[1], 2640), _sine(_SIT[2], 2640)
        once = np.concatenate([*third, np.zeros(8000, np.float32)])
    else:
        pitches, on_s, off_s = _CADENCES[kind]
        on = sum((_sine(hertz, int(on_s * LINE_RATE_HZ)) for hertz in pitches), np.float32(0))
        once = np.concatenate([np.asarray(on), np.zeros(int(off_s * LINE_RATE_HZ), np.float32)])
    # Most draws begin while it sounds: a stretch of its silence would be no tone at all.
    start = int(rng.integers(max(1, len(once) // 3)))
    return _scaled(np.resize(np.roll(once, -start), length))


def music(rng: np.random.Generator, length: int) -> Samples:
    """Music on hold: chords of decaying harmonics over a bass and, at times, a beat."""
    beat_s = 60 / rng.uniform(70, 150)
    size = int(beat_s * LINE_RATE_HZ)
    base_hz = 110 * 2 ** (rng.integers(0, 12) / 12)
    drums = rng.random() < 0.5
    brightness = rng.uniform(0.8, 2.0)
    piece = np.zeros(length + size, np.float32)
    for start in range(0, length, size):
        chord = _CHORDS[rng.integers(len(_CHORDS))]
        notes = [*(n + 12 for n in chord), chord[0], int(rng.choice(chord)) + 24]
        fade = np.exp(-np.arange(size) / LINE_RATE_HZ * rng.uniform(0.5, 6)).astype(np.float32)
        sound = np.zeros(size, np.float32)
        for note in notes:
            hertz = base_hz * 2 ** (note / 12)
            for harmonic in range(1, 5):
                if hertz * harmonic < LINE_RATE_HZ / 2:
                    sound += _sine(hertz * harmonic, size) / np.float32(harmonic**brightness)
        piece[start : start + size] += sound * fade
        if drums:
            hit = rng.standard_normal(size).astype(np.float32)
            piece[start : start + size] += 3 * hit * fade**8
    return _scaled(piece[:length])


def noise(rng: np.random.Generator, length: int, slope: float = 0.5) -> Samples:
    """Steady noise; its amplitude falls as f to the power of -`slope` (0 white, 0.5 pink)."""
    size = 1 << max(1, (length - 1).bit_length())
    spectrum = np.fft.rfft(rng.standard_normal(size).astype(np.float32))
    # Below 50 Hz nothing passes a telephone: a brown noise would be all rumble.
    hertz = np.maximum(np.fft.rfftfreq(size, 1 / LINE_RATE_HZ), 50)
    shaped = np.fft.irfft(spectrum * hertz**-slope, size)[:length]
    return _scaled(shaped.astype(np.float32))


def hum(rng: np.random.Generator, length: int) -> Samples:
    """Mains hum: 50 or 60 Hz and its first harmonics (those are what a telephone passes)."""
    hertz = float(rng.choice((50.0, 60.0)))
    parts = [rng.uniform(0.1, 1) * _sine(hertz * n, length) for n in range(1, 8)]
    return _scaled(np.sum(parts, axis=0))


def babble(
    rng: np.random.Generator, speech: Sequence[Samples], length: int, talkers: int
) -> Samples:
    """People talking at once.

    Args:
        rng: source of the choices.
        speech: float32 utterances at LINE_RATE_HZ to take from; at least one, none empty.
        length: samples wanted.
        talkers: how many talk at the same time; below three their words can be made out.
    """
    mixed = np.zeros(length, np.float32)
    for _ in range(talkers):
        at = -int(rng.integers(LINE_RATE_HZ))
        share = rng.uniform(0.5, 1)
        while at < length:
            part = speech[int(rng.integers(len(speech)))]
            part = part * np.float32(share / (np.sqrt(np.mean(part**2)) + 1e-6))
            begin, end = max(at, 0), min(at + len(part), length)
            if end > begin:
                mixed[begin:end] += part[begin - at : end - at]
            at += len(part) + int(rng.integers(LINE_RATE_HZ // 2))
    return _scaled(mixed)


def _keys(rng: np.random.Generator, length: int) -> Samples:
    """Keys pressed one after the other."""
    keys = np.zeros(length, np.float32)
    at = int(rng.integers(LINE_RATE_HZ // 5))
    while at < length:
        size = int(rng.uniform(0.06, 0.3) * LINE_RATE_HZ)
        both = _sine(float(rng.choice(_DTMF_LOW)), size) + _sine(
            float(rng.choice(_DTMF_HIGH)), size
        )
        keys[at : at + size] = both[: length - at]
        at += size + int(rng.uniform(0.06, 0.5) * LINE_RATE_HZ)
    return _scaled(keys)


def _sine(hertz: float, length: int) -> Samples:
    turn = np.float32(2 * np.pi * hertz / LINE_RATE_HZ)
    return np.asarray(np.sin(turn * np.arange(length, dtype=np.float32)), np.float32)


def _scaled(sound: Samples) -> Samples:
    rms = float(np.sqrt(np.mean(np.square(sound, dtype=np.float64)))) if len(sound) else 0.0
    return (sound * np.float32(_RMS / rms) if rms > 1e-6 else sound).astype(np.float32)
