"""Log-mel features exactly as faster-whisper computes them when the model is served.

8 kHz, FFT 200 (40 Hz bins), hop 160 (20 ms), 80 mel bands. The same numbers stand in the model's
``preprocessor_config.json``; training through the serving code is what keeps both alike.
"""

from __future__ import annotations

import functools

import numpy as np
from faster_whisper.feature_extractor import FeatureExtractor

PREPROCESSOR: dict[str, object] = {
    "chunk_length": 30, "feature_size": 80, "hop_length": 160, "n_fft": 200,
    "sampling_rate": 8000, "feature_extractor_type": "WhisperFeatureExtractor",
}
HOP = 160


@functools.cache
def _extractor() -> FeatureExtractor:
    return FeatureExtractor(feature_size=80, sampling_rate=8000, hop_length=HOP, chunk_length=30,
                            n_fft=200)


def log_mel(wave: np.ndarray) -> np.ndarray:
    """float32 [80, T] with T even, from float32 mono at 8 kHz of at least 40 ms."""
    whole = len(wave) // (2 * HOP) * 2 * HOP
    return np.ascontiguousarray(_extractor()(wave[:whole], padding=0), dtype=np.float32)
