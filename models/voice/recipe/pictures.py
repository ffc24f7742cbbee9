"""Spectrograms: word error rates do not show a frame-rate grid, broken harmonics or clicks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from models.voice.recipe.dataset import Floats, Utterance
from models.voice.recipe.settings import SAMPLE_RATE_HZ

matplotlib.use("Agg")
from matplotlib import pyplot

ORDER = {
    "originals": "recording of a person",
    "recordings": "recording",
    "copy": "copy synthesis (vocoder only)",
    "voice": "voice (full synthesis)",
}
_LONGEST_S = 3.2
"""Sentences that are no longer show single harmonics in a picture of this size."""


def decibels(audio: Floats, fft: int = 512, hop: int = 80) -> Floats:
    """Spectrogram [frames, fft // 2 + 1] in dB."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(audio, fft // 2), fft)[::hop]
    spectrum = np.abs(np.fft.rfft(frames * np.hanning(fft), axis=1))
    return np.asarray(20 * np.log10(spectrum + 1e-5), np.float32)


def draw_voice(
    name: str,
    takes: Sequence[Utterance],
    sources: Mapping[str, Sequence[Floats]],
    folder: Path,
    sentences: int = 2,
) -> None:
    """Real, copied and synthesized side by side: `<folder>/<name>.png`.

    A row for each of the first `sentences` that are short enough to show detail (the shortest ones,
    if none is); a column for each source, kHz over seconds on one scale.
    """
    lengths = [len(take.samples) / SAMPLE_RATE_HZ for take in takes]
    rows = [i for i, length in enumerate(lengths) if length <= _LONGEST_S][:sentences]
    rows = rows or [int(i) for i in np.argsort(lengths)[:sentences]]
    columns = [source for source in ORDER if source in sources]
    figure, axes = pyplot.subplots(
        len(rows), len(columns), figsize=(4.4 * len(columns), 2.7 * len(rows)), squeeze=False
    )
    for row, index in enumerate(rows):
        longest = max(len(sources[source][index]) for source in columns) / SAMPLE_RATE_HZ
        for column, source in enumerate(columns):
            axis = axes[row][column]
            _draw(axis, sources[source][index], longest)
            axis.set_title(ORDER[source] if row == 0 else "", fontsize=8)
        axes[row][0].set_ylabel("kHz", fontsize=7)
        axes[row][0].set_xlabel(f"{takes[index].text}  (s)", fontsize=7, loc="left")
    _save(figure, folder / f"{name}.png")


def _draw(axis: Any, audio: Floats, longest_s: float) -> None:
    extent = (0, len(audio) / SAMPLE_RATE_HZ, 0, SAMPLE_RATE_HZ / 2000)
    # 85 dB from the loudest harmonics to the floor of the corpus.
    axis.imshow(decibels(audio).T, origin="lower", aspect="auto", extent=extent, vmin=-55, vmax=30,
                cmap="gray_r", interpolation="bilinear")  # fmt: skip
    axis.set_xlim(0, longest_s)
    axis.tick_params(labelsize=6)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    # Twenty shades of grey are enough to see by, and a third of the bytes.
    figure.savefig(path, dpi=88)
    pyplot.close(figure)
    from PIL import Image

    Image.open(path).convert("L").quantize(20).save(path, optimize=True)
