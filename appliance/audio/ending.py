"""Does the voice go on? Judged at a pause, by the sound of what came before it.

    s16le, last 1.5 s ── 16 ms steps ──> mel bands relative to the speaker's own level ─┐
                                     └─> pitch relative to his own, how voiced ─────────┤
                                         three convolutions, two layers ──> probability ┘

People lengthen and lower the end of what they have to say; before a pause inside it the voice stays
level or rises, and breath is taken. A small network learnt this from pauses inside real utterances
(models/turns, with its card). It knows no words: those count in session/patience.py. Pure numpy,
about a millisecond: it must not run on the event loop.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from appliance.errors import ConfigError
from appliance.types import LINE_RATE_HZ

Array = npt.NDArray[np.float32]

STEP = 128  # samples: 16 ms
WINDOW = 384  # samples: 48 ms, two periods of the lowest voice
STEPS = 92
SPAN = WINDOW + STEP * (STEPS - 1)  # samples that are looked at: 1.5 s
BANDS = 20
FEATURES = BANDS + 3
FILE = "end.npz"

_FFT = 512
_LAGS = slice(20, 120)  # 400 to 67 Hz
_RANGE_DB = (-50.0, 10.0)
_VOICED = 0.45
_QUIETEST = 1e-7
_LAYERS = ("c1", "c2", "c3", "d1", "d2")


class EndJudge:
    """A loaded judge; stateless, so one serves all calls and threads."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self._weights = weights

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read `end.npz` of a folder of judges.

        Raises:
            ConfigError: the file is missing or is not such a model.
        """
        path = folder / FILE
        names = [f"{layer}.{part}" for layer in _LAYERS for part in ("weight", "bias")]
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                weights = {name: stored[name].astype(np.float32) for name in names}
        except OSError as error:
            raise ConfigError(f"hearing.turns: {path}: cannot be read: {error}") from error
        except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
            raise ConfigError(f"hearing.turns: {path}: not a judge of turns: {error}") from error
        judge = cls(weights)
        try:
            judge.continues(b"")
        except ValueError as error:  # shapes that do not fit each other
            raise ConfigError(f"hearing.turns: {path}: not a judge of turns: {error}") from error
        return judge

    def continues(self, pcm: bytes) -> float:
        """The probability that the speaker goes on, were going on as likely as not.

        Args:
            pcm: s16le mono at LINE_RATE_HZ: the turn so far with the beginning of its pause. Only
                the last 1.5 s count; less is fine.
        """
        hidden = features(pcm)
        for layer in ("c1", "c2", "c3"):
            hidden = self._convolve(layer, hidden)
        flat = hidden.reshape(-1)
        flat = np.maximum(self._weights["d1.weight"] @ flat + self._weights["d1.bias"], 0)
        logit = float((self._weights["d2.weight"] @ flat + self._weights["d2.bias"]).item())
        return float(1 / (1 + np.exp(-np.clip(logit, -30, 30))))

    def _convolve(self, layer: str, given: Array) -> Array:
        """Two steps forward each time, no padding. [channels, steps] -> [channels, fewer]."""
        weight = self._weights[f"{layer}.weight"]
        seen = np.lib.stride_tricks.sliding_window_view(given, weight.shape[2], axis=1)[:, ::2]
        made = np.tensordot(weight, seen, axes=((1, 2), (0, 2)))
        return np.asarray(np.maximum(made + self._weights[f"{layer}.bias"][:, None], 0), np.float32)


def features(pcm: bytes) -> Array:
    """What the judge looks at: float32, shape [FEATURES, STEPS], the last step at the end.

    Rows: BANDS mel bands and the whole in dB relative to the loud steps, divided by 10; pitch in
    units of half an octave around its median, 0 where unvoiced; how periodic it is, 0 to 1.
    """
    samples = np.frombuffer(pcm, dtype="<i2")[-SPAN:].astype(np.float32) / 32768
    samples = np.pad(samples, (SPAN - len(samples), 0))
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::STEP] * _HANN
    power = np.abs(np.fft.rfft(frames, _FFT)) ** 2
    bands = power @ _MEL.T
    whole = bands.sum(axis=1, keepdims=True)
    loud = np.sort(whole[:, 0])[-STEPS // 4 :].mean() + _QUIETEST
    levels = 10 * np.log10(np.concatenate([bands * BANDS, whole], axis=1) / loud + _QUIETEST)
    pitch, periodic = _pitch(power)
    voiced = (periodic > _VOICED) & (levels[:, -1] > _RANGE_DB[0] / 2)
    octaves = np.log2(np.maximum(pitch, 1.0))
    middle = float(np.median(octaves[voiced])) if voiced.any() else 0.0
    relative = np.where(voiced, np.clip(2 * (octaves - middle), -2, 2), 0.0)
    rows = [np.clip(levels, *_RANGE_DB).T / 10, relative[None], (periodic * voiced)[None]]
    return np.concatenate(rows).astype(np.float32)


def _pitch(power: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.floating], ...]:
    """Pitch in Hz and periodicity of each step, by the autocorrelation of the windowed frame."""
    lags = np.fft.irfft(power, _FFT)[:, : _LAGS.stop] / _OF_WINDOW
    lags = lags[:, _LAGS] / (lags[:, :1] + _QUIETEST)
    # The shortest lag that is nearly as good as the best: the best may be twice the period.
    best = lags.max(axis=1, keepdims=True)
    at = np.argmax(lags >= 0.9 * best, axis=1)
    return LINE_RATE_HZ / (at + _LAGS.start), np.clip(best[:, 0], 0, 1)


def _mel() -> Array:
    """Triangular bands from 200 to 3600 Hz, evenly spaced on O'Shaughnessy's mel scale."""
    hertz = np.fft.rfftfreq(_FFT, 1 / LINE_RATE_HZ)
    low, high = 2595 * np.log10(1 + np.array([200.0, 3600.0]) / 700)
    edges = 700 * (10 ** (np.linspace(low, high, BANDS + 2) / 2595) - 1)
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rising, falling)).astype(np.float32)


_HANN = np.hanning(WINDOW).astype(np.float32)
_MEL = _mel()
_OF_WINDOW = np.fft.irfft(np.abs(np.fft.rfft(_HANN, _FFT)) ** 2, _FFT)[: _LAGS.stop]
_OF_WINDOW = _OF_WINDOW / _OF_WINDOW[0]
