"""Log-mel features exactly as faster-whisper computes them when the model is served.

8 kHz, FFT 200 (40 Hz bins), hop 160 (20 ms), 80 mel bands. The same numbers stand in the model's
``preprocessor_config.json``; training through the serving code is what keeps both alike.
"""

from __future__ import annotations

import functools

import numpy as np
from faster_whisper.feature_extractor import FeatureExtractor

PREPROCESSOR: dict[str, object] = {
    "chunk_length": 30,
    "feature_size": 80,
    "hop_length": 160,
    "n_fft": 200,
    "sampling_rate": 8000,
    "feature_extractor_type": "WhisperFeatureExtractor",
}
HOP = 160


@functools.cache
def _extractor() -> FeatureExtractor:
    return FeatureExtractor(
        feature_size=80, sampling_rate=8000, hop_length=HOP, chunk_length=30, n_fft=200
    )


@functools.cache
def _mel_points() -> np.ndarray:
    """The centre in Hz of each mel band that holds anything at 8 kHz (the lowest 61 or so).

    faster-whisper spreads the 80 bands to 8 kHz whatever the sampling rate: Slaney's scale, linear
    below 1 kHz.
    """
    mels = np.linspace(0.0, 45.245640471924965, 82)[1:-1]
    hertz = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))
    return np.asarray(hertz[hertz < 4000])


def warp(frames: np.ndarray, factor: float) -> np.ndarray:
    """Another vocal tract: band at f takes the value of f / factor (VTLP, Jaitly and Hinton 2013).

    Args:
        frames: log-mel [80, T].
        factor: above 1 for a smaller speaker, whose formants lie higher.

    Returns:
        log-mel [80, T].
    """
    points = _mel_points()
    place = np.interp(points / factor, points, np.arange(len(points)))
    low = np.minimum(place.astype(int), len(points) - 2)
    share = (place - low)[:, None]
    warped = frames.copy()
    warped[: len(points)] = (1 - share) * frames[low] + share * frames[low + 1]
    return warped


def log_mel(wave: np.ndarray) -> np.ndarray:
    """float32 [80, T] with T even, from float32 mono at 8 kHz of at least 40 ms."""
    whole = len(wave) // (2 * HOP) * 2 * HOP
    return np.ascontiguousarray(_extractor()(wave[:whole], padding=0), dtype=np.float32)
