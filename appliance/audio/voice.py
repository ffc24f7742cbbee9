"""How likely is it that this frame holds speech? A small recurrent network, one step a frame.

    frame + the 12 ms before it ──> 14 mel bands over the line's own noise ─┐
                                ──> level, how periodic it is ──────────────┤
                                             gated recurrent unit ──> probability

An energy gate takes soft consonants in noise for pauses; this one knows what speech looks like over
the noise of its line, and that a stop inside a word is no pause. Trained on recorded speech over
simulated calls (models/turns, with its card). Pure numpy, some 50 microseconds a frame.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from appliance.errors import ConfigError
from appliance.types import FRAME_MS, LINE_RATE_HZ

Array = npt.NDArray[np.float32]

BANDS = 14
FEATURES = BANDS + 3
FILE = "voice.npz"

_FFT = 256
_FRAME = LINE_RATE_HZ * FRAME_MS // 1000
_LAGS = slice(20, 110)  # 400 to 73 Hz
_START_DB = 25.0  # of a band's floor until the line was heard
_FALL = 0.3  # share of the way down to a quieter frame
_RISE_DB = 0.08  # a frame: 4 dB a second
_LEAST_DB = 5.0  # floor of a band's floor: about the step of G.711 near silence
_NAMES = ("w", "u", "b", "c", "v", "a")


class VoiceModel:
    """Loaded weights; shared by all calls."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.w, self.u, self.b, self.c = (weights[name] for name in _NAMES[:4])
        self.v, self.a = weights["v"], float(weights["a"].item())
        self.size = len(self.v)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read `voice.npz` of a folder of judges.

        Raises:
            ConfigError: the file is missing or is not such a model.
        """
        path = folder / FILE
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                weights = {name: stored[name].astype(np.float32) for name in _NAMES}
            model = cls(weights)
            VoiceJudge(model).push(bytes(2 * _FRAME))
        except OSError as error:
            raise ConfigError(f"hearing.turns: {path}: cannot be read: {error}") from error
        except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
            raise ConfigError(f"hearing.turns: {path}: not a judge of voices: {error}") from error
        return model


class VoiceJudge:
    """One call's listening: it follows the line's noise and remembers what was said before."""

    def __init__(self, model: VoiceModel) -> None:
        self._model = model
        self._eye = Observer()
        self._state = np.zeros(model.size, np.float32)

    def push(self, pcm: bytes) -> float:
        """The probability that this frame (FRAME_BYTES, s16le) is part of somebody's speech."""
        model, size, state = self._model, self._model.size, self._state
        given = model.w @ self._eye.look(pcm) + model.b
        kept = model.u @ state + model.c
        gates = 1 / (1 + np.exp(-(given[: 2 * size] + kept[: 2 * size])))
        fresh = np.tanh(given[2 * size :] + gates[:size] * kept[2 * size :])
        self._state = fresh + gates[size:] * (state - fresh)
        return float(1 / (1 + np.exp(-(model.v @ self._state + model.a))))


class Observer:
    """Turns frames into what the network sees; one instance per call."""

    def __init__(self) -> None:
        self._samples = np.zeros(_FFT, np.float32)
        self._floor = np.full(BANDS, _START_DB, np.float32)

    def look(self, pcm: bytes) -> Array:
        """Float32, shape [FEATURES], of the next frame.

        The bands in tens of dB over the line's noise, then their mean, the absolute level in
        twenties of dB, and how periodic the last 32 ms are, 0 to 1.
        """
        samples = self._samples
        samples[:-_FRAME] = samples[_FRAME:]
        samples[-_FRAME:] = np.frombuffer(pcm, dtype="<i2")
        spectrum = np.fft.rfft(samples * _HANN)
        power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
        levels = 10 * np.log10(_MEL @ power + 1.0)
        floor = self._floor
        floor += np.where(levels < floor, _FALL * (levels - floor), _RISE_DB)
        np.maximum(floor, _LEAST_DB, out=floor)
        seen = np.empty(FEATURES, np.float32)
        seen[:BANDS] = (levels - floor) / 10
        seen[BANDS] = seen[:BANDS].mean()
        seen[BANDS + 1] = levels.mean() / 20 - 2
        lags = np.fft.irfft(power)[: _LAGS.stop]
        seen[BANDS + 2] = (lags[_LAGS] / _OF_WINDOW).max() / (lags[0] + 1.0)
        return seen


def _mel() -> Array:
    """Triangular bands from 150 to 3700 Hz, evenly spaced on O'Shaughnessy's mel scale."""
    hertz = np.fft.rfftfreq(_FFT, 1 / LINE_RATE_HZ)
    low, high = 2595 * np.log10(1 + np.array([150.0, 3700.0]) / 700)
    edges = 700 * (10 ** (np.linspace(low, high, BANDS + 2) / 2595) - 1)
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    bands = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(bands / bands.sum(axis=1, keepdims=True) / _FFT, np.float32)


_HANN = np.hanning(_FFT).astype(np.float32)
_MEL = _mel()
_OF_WINDOW = np.fft.irfft(np.abs(np.fft.rfft(_HANN)) ** 2)
_OF_WINDOW = (_OF_WINDOW[_LAGS] / _OF_WINDOW[0]).astype(np.float32)
