"""Spectrograms: word error rates do not show a frame-rate grid, broken harmonics or clicks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from models.voice.recipe.dataset import Floats, Utterance
from models.voice.recipe.settings import SAMPLE_RATE_HZ

matplotlib.use("Agg")
from matplotlib import pyplot


def decibels(audio: Floats, fft: int = 512, hop: int = 64) -> Floats:
    """Spectrogram [frames, fft // 2 + 1] in dB."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(audio, fft // 2), fft)[::hop]
    spectrum = np.abs(np.fft.rfft(frames * np.hanning(fft), axis=1))
    return np.asarray(20 * np.log10(spectrum + 1e-5), np.float32)


def _draw(axis: Any, audio: Floats, title: str) -> None:
    seconds = len(audio) / SAMPLE_RATE_HZ
    extent = (0, seconds, 0, SAMPLE_RATE_HZ / 2000)
    axis.imshow(decibels(audio).T, origin="lower", aspect="auto", extent=extent, vmin=-60, vmax=25)
    axis.set_title(title, fontsize=8)


def draw_comparison(takes: Sequence[Utterance], spoken: Sequence[Floats], path: Path) -> None:
    """Recording above synthesis for every sentence; kHz over seconds."""
    figure, axes = pyplot.subplots(2 * len(takes), 1, figsize=(16, 5 * len(takes)))
    for index, (take, audio) in enumerate(zip(takes, spoken, strict=True)):
        _draw(axes[2 * index], take.audio, f"recording: {take.text}")
        _draw(axes[2 * index + 1], audio, "voice")
    _save(figure, path)


def draw_prompts(prompts: dict[str, Floats], path: Path) -> None:
    """One spectrogram for every prompt."""
    figure, axes = pyplot.subplots(len(prompts), 1, figsize=(16, 2.8 * len(prompts)))
    for axis, (text, audio) in zip(axes, prompts.items(), strict=True):
        _draw(axis, audio, text)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=70)
    pyplot.close(figure)
