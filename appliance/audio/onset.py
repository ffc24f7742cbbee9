"""Is the sound that begins here somebody who wants the floor, or only a hum, a cough, a key?

    frame -> Gate (louder than the line's noise?) -> two hops -> features -> GRU -> P(speech)

A prompt should stop for a word within the time of a syllable, and not for "mhm". A voice detector
cannot tell them apart: both are voiced. This judge listens from the first frame on and is asked
after each one, so that an open vowel is known at once and a nasal only when it has become a word.

Plain numpy on 10 ms hops; causal; a few tens of microseconds a hop and nothing in silence. The
weights are learned (`models/turns/recipe/onset_*.py`), which uses this module's own gate and
features, so that what is learned is what is heard. It decides nothing: see `session.interruptions`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from appliance.audio.level import FULL_SCALE, Samples
from appliance.errors import ConfigError
from appliance.types import FRAME_MS, FRAME_SAMPLES, LINE_RATE_HZ

HOP = 80
"""Samples from one judgement to the next: 10 ms."""
WINDOW = 256
"""Samples that a hop looks back on: 32 ms, two periods of a low voice."""
BANDS = 20
FEATURES = BANDS + 5
"""Bands relative to the loudest hop, then: level over the floor and below the loudest hop, the
change of level, voicing, pitch."""

_FALL = 72  # the window falls over its newest 9 ms: a new sound must show at once
_SIZE = 512
_LOWEST_HZ, _HIGHEST_HZ = 150.0, 3600.0
_LAGS = (20, 115)  # samples: 400 to 70 Hz
_QUIET = 1e-10  # power; -100 dB
_ABOVE_FLOOR_DB = 6.0
_LEAST_DB = -56.0  # below this nobody speaks into a telephone
_LOWEST_FLOOR_DB, _HIGHEST_FLOOR_DB = -70.0, -35.0
_RISE_DB = 3.0 * FRAME_MS / 1000
_GONE_MS = 160  # so long below the gate: what comes then is another sound

Floats = NDArray[np.float32]


class Gate:
    """Follows the line's noise and says when something rises above it; one for each call."""

    def __init__(self) -> None:
        self.floor_db = -50.0
        self._open = False
        self._quiet_ms = 0

    def push(self, level_db: float) -> bool:
        """Whether a sound is going on.

        Args:
            level_db: RMS of the next frame relative to full scale.
        """
        loud = level_db > max(self.floor_db + _ABOVE_FLOOR_DB, _LEAST_DB)
        self._follow(level_db)
        if loud:
            self._open, self._quiet_ms = True, 0
        elif self._open:
            self._quiet_ms += FRAME_MS
            self._open = self._quiet_ms < _GONE_MS
        return self._open

    def _follow(self, level_db: float) -> None:
        """A slow minimum: fast down, slowly up."""
        over = level_db - self.floor_db
        self.floor_db += 0.3 * over if over < 0 else min(_RISE_DB, over)
        self.floor_db = min(max(self.floor_db, _LOWEST_FLOOR_DB), _HIGHEST_FLOOR_DB)


@dataclass(frozen=True, slots=True)
class Weights:
    """A dense layer with ReLU, a GRU (gates in the order r, z, n) and one output; all float32.

    Shapes, with D hidden and G recurrent units: `mean`, `scale` [FEATURES]; `dense` [D, FEATURES];
    `dense_bias` [D]; `from_input` [3G, D]; `input_bias` [3G]; `from_state` [3G, G]; `state_bias`
    [3G]; `out` [G]; `out_bias` [1].
    """

    mean: Floats
    scale: Floats
    dense: Floats
    dense_bias: Floats
    from_input: Floats
    input_bias: Floats
    from_state: Floats
    state_bias: Floats
    out: Floats
    out_bias: Floats


@dataclass(frozen=True, slots=True)
class OnsetJudge:
    """The learned part; one serves all calls.

    Attributes:
        weights: the network's.
        stop_at: P(speech) from which a prompt stops, in each stretch of a sound: the longer it
            has gone on, the less proof it takes, for hums are short.
        until_ms: where each stretch but the last ends, in the length of the sound.
    """

    weights: Weights
    stop_at: tuple[float, ...]
    until_ms: tuple[int, ...]

    @classmethod
    def load(cls, folder: Path) -> OnsetJudge:
        """The judge of a model folder (`onset.npz`).

        Raises:
            ConfigError: it is not there, or is no onset model.
        """
        path = folder / "onset.npz"
        try:
            with np.load(path, allow_pickle=False) as kept:
                names = Weights.__dataclass_fields__
                weights = Weights(**{name: kept[name].astype(np.float32) for name in names})
                stop_at = tuple(float(each) for each in kept["stop_at"])
                until_ms = tuple(int(each) for each in kept["until_ms"])
        except (OSError, KeyError, ValueError) as error:
            raise ConfigError(f"hearing.turns: {path}: no onset model ({error})") from error
        if weights.dense.shape[1] != FEATURES or len(stop_at) != len(until_ms) + 1:
            raise ConfigError(f"hearing.turns: {path}: made for other features")
        return cls(weights, stop_at, until_ms)

    def limit(self, length_ms: int) -> float:
        """The probability from which a sound of so far this length stops a prompt."""
        return self.stop_at[bisect_left(self.until_ms, length_ms)]

    def begin(self, before: bytes, floor_db: float) -> Onset:
        """A sound begins.

        Args:
            before: the frame before it, FRAME_BYTES of s16le.
            floor_db: level of the line's noise relative to full scale.
        """
        return Onset(self, before, floor_db)


class Onset:
    """One sound, from its first frame on."""

    def __init__(self, judge: OnsetJudge, before: bytes, floor_db: float) -> None:
        self._judge = judge
        self._features = Features(floor_db)
        self._state: Floats = np.zeros(len(judge.weights.out), np.float32)
        self._past = np.zeros(WINDOW - HOP, np.float32)
        self.length_ms = 0
        self._hear(before)

    def push(self, pcm: bytes) -> float:
        """P(somebody speaks, not only hums), after the next frame (FRAME_BYTES of s16le)."""
        self.length_ms += FRAME_MS
        return self._hear(pcm)

    @property
    def stop_at(self) -> float:
        """The probability from which a prompt stops now."""
        return self._judge.limit(self.length_ms)

    def _hear(self, pcm: bytes) -> float:
        samples = np.frombuffer(pcm, "<i2").astype(np.float32) / np.float32(FULL_SCALE)
        heard = np.concatenate([self._past, samples])
        self._past = heard[-(WINDOW - HOP) :]
        weights = self._judge.weights
        scaled = (self._features.of(heard) - weights.mean) * weights.scale
        dense = np.maximum(scaled @ weights.dense.T + weights.dense_bias, 0)
        given = dense @ weights.from_input.T + weights.input_bias
        return max(self._step(each) for each in given)

    def _step(self, given: Floats) -> float:
        """One hop of the GRU, and the output."""
        weights = self._judge.weights
        units = len(weights.out)
        old = weights.from_state @ self._state + weights.state_bias
        gates = 1 / (1 + np.exp(-(given[: 2 * units] + old[: 2 * units])))
        candidate = np.tanh(given[2 * units :] + gates[:units] * old[2 * units :])
        self._state = np.asarray(candidate + gates[units:] * (self._state - candidate), np.float32)
        logit = float(weights.out @ self._state) + float(weights.out_bias[0])
        return 1 / (1 + math.exp(-max(-30.0, logit)))


class Features:
    """What is measured of one sound, hop by hop; keeps only the loudest level and the last one."""

    def __init__(self, floor_db: float) -> None:
        self._floor_db = floor_db
        self._loudest_db = floor_db
        self._last_db = floor_db

    def of(self, heard: Samples) -> Floats:
        """Features of all whole hops: float32 [(len(heard) - WINDOW) // HOP + 1, FEATURES].

        Args:
            heard: float32 in [-1, 1); begins with the WINDOW - HOP samples before the first hop.
        """
        windows = np.lib.stride_tricks.sliding_window_view(heard, WINDOW)[::HOP] * _taper()
        power = np.abs(np.fft.rfft(windows, _SIZE, axis=1)) ** 2
        bands = 10 * np.log10(power @ _filters() + _QUIET)
        level = 10 * np.log10(power[:, _BAND].sum(axis=1) * _PER_SAMPLE + _QUIET)
        loudest = np.maximum.accumulate(np.maximum(level, self._loudest_db))
        before = np.concatenate([[self._last_db], level[:-1]])
        self._loudest_db, self._last_db = float(loudest[-1]), float(level[-1])
        rows = np.empty((len(windows), FEATURES), np.float32)
        rows[:, :BANDS] = np.maximum(bands - loudest[:, None], -70)
        rows[:, BANDS] = np.minimum(level - self._floor_db, 60)
        rows[:, BANDS + 1] = level - loudest
        rows[:, BANDS + 2] = level - before
        rows[:, BANDS + 3], rows[:, BANDS + 4] = _voicing(power)
        return rows


def _voicing(power: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """How periodic each hop is (0 to 1), and the logarithm of its pitch in octaves over 70 Hz.

    The autocorrelation of the compressed spectrum, which formants disturb less, set off against
    that of the window alone.
    """
    correlation = np.fft.irfft(np.cbrt(power), axis=1)[:, : _LAGS[1]]
    periodic = correlation[:, _LAGS[0] :] / (correlation[:, :1] + 1e-9)
    best = periodic.argmax(axis=1)
    pitch = np.log2(_LAGS[1] / (best + _LAGS[0]))
    return periodic[np.arange(len(best)), best].astype(np.float32), pitch.astype(np.float32)


@cache
def _taper() -> Floats:
    """Rises slowly and falls fast, with unit power."""
    rise = np.sin(np.pi / 2 * (np.arange(WINDOW - _FALL) + 0.5) / (WINDOW - _FALL))
    fall = np.cos(np.pi / 2 * (np.arange(_FALL) + 0.5) / _FALL)
    taper = np.concatenate([rise, fall]).astype(np.float32)
    return np.asarray(taper / np.sqrt((taper**2).mean()), np.float32)


@cache
def _filters() -> Floats:
    """Triangles of equal width on the mel scale, unit sums: float32 [_SIZE // 2 + 1, BANDS]."""
    lowest, highest = (2595 * np.log10(1 + hertz / 700) for hertz in (_LOWEST_HZ, _HIGHEST_HZ))
    edges = 700 * (10 ** (np.linspace(lowest, highest, BANDS + 2) / 2595) - 1)
    hertz = np.arange(_SIZE // 2 + 1)[:, None] * LINE_RATE_HZ / _SIZE
    rise = (hertz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - hertz) / (edges[2:] - edges[1:-1])
    triangles = np.maximum(0, np.minimum(rise, fall))
    return np.asarray(triangles / triangles.sum(axis=0) * _PER_SAMPLE, np.float32)


_BAND: Final = slice(
    round(_LOWEST_HZ * _SIZE / LINE_RATE_HZ), round(_HIGHEST_HZ * _SIZE / LINE_RATE_HZ)
)
_PER_SAMPLE: Final = 2 / (WINDOW * _SIZE)
"""From the sum of a padded spectrum's squares to the mean square of the samples."""
assert FRAME_SAMPLES % HOP == 0
