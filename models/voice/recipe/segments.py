"""Training segments and spectral losses of the vocoder."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from models.voice.recipe.dataset import Utterance
from models.voice.recipe.features import mel_filterbank
from models.voice.recipe.settings import FFT, HOP, MEL_BANDS, SAMPLE_RATE_HZ

RESOLUTIONS = ((1024, 256), (512, 128), (256, 64))
"""FFT and hop of the losses and of the discriminators, in samples."""


@dataclass(frozen=True)
class Segments:
    """A batch: mel [B, T, 80], log_f0 and voiced [B, T], audio [B, T * 256]."""

    mel: Tensor
    log_f0: Tensor
    voiced: Tensor
    audio: Tensor


def statistics(utterances: Sequence[Utterance]) -> Tensor:
    """Mean and deviation of the mel bands and of voiced log-F0: [2, 81]."""
    mel = np.concatenate([u.mel for u in utterances])
    pitch = np.concatenate([u.log_f0[u.voiced > 0] for u in utterances])
    mean = np.append(mel.mean(0), pitch.mean())
    deviation = np.append(mel.std(0), pitch.std())
    return torch.tensor(np.stack([mean, deviation]), dtype=torch.float32)


class SegmentSource:
    """Draws random segments of `frames` frames; `mels` may replace the utterances' own mel.

    Args:
        utterances: all longer than `frames`, or they are left out.
        mels: for each utterance of `utterances`, None or a mel that the acoustic model predicted.
        share: probability of taking the replacement.
    """

    def __init__(
        self,
        utterances: Sequence[Utterance],
        frames: int,
        mels: Sequence[np.ndarray] | None = None,
        share: float = 0.0,
    ) -> None:
        keep = [i for i, u in enumerate(utterances) if u.frames > frames]
        self.utterances = [utterances[i] for i in keep]
        self.mels = [mels[i] for i in keep] if mels is not None else None
        self.weights = [u.frames for u in self.utterances]
        self.frames = frames
        self.share = share

    def draw(self, count: int) -> Segments:
        """A batch of `count` segments."""
        rows = []
        for index in random.choices(range(len(self.utterances)), self.weights, k=count):
            utterance = self.utterances[index]
            start = random.randint(0, utterance.frames - self.frames)
            at = slice(start, start + self.frames)
            mel = utterance.mel
            if self.mels is not None and random.random() < self.share:
                mel = self.mels[index]
            samples = utterance.samples[start * HOP : (start + self.frames) * HOP]
            audio = samples.astype(np.float32) / 32767
            rows.append((mel[at], utterance.log_f0[at], utterance.voiced[at], audio))
        mel, log_f0, voiced, audio = (
            torch.from_numpy(np.stack(column).astype(np.float32))
            for column in zip(*rows, strict=True)
        )
        return Segments(mel, log_f0, voiced, audio)


class SpectralLoss(nn.Module):
    """Spectral convergence, log magnitude and log mel at three resolutions (Yamamoto 2020)."""

    mel: Tensor

    def __init__(self) -> None:
        super().__init__()
        bank = mel_filterbank(FFT, MEL_BANDS, 0, SAMPLE_RATE_HZ / 2)
        self.register_buffer("mel", torch.from_numpy(bank))
        self.windows = {fft: torch.hann_window(fft) for fft, _ in RESOLUTIONS}

    def magnitude(self, audio: Tensor, fft: int, hop: int) -> Tensor:
        """[B, fft // 2 + 1, frames]."""
        spectrum = torch.stft(audio, fft, hop, window=self.windows[fft], return_complex=True)
        return torch.sqrt(spectrum.real**2 + spectrum.imag**2 + 1e-8)

    def forward(self, made: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Loss of audio [B, samples] and its parts [convergence, log magnitude, log mel].

        Both carry gradients.
        """
        parts = torch.zeros(3)
        for fft, hop in RESOLUTIONS:
            a, b = self.magnitude(made, fft, hop), self.magnitude(real, fft, hop)
            convergence = (a - b).norm() / b.norm()
            distance = (torch.log(a + 1e-3) - torch.log(b + 1e-3)).abs().mean()
            parts = parts + torch.stack([convergence / 3, distance / 3, torch.zeros(())])
            if fft == FFT:
                bands = torch.log(self.mel @ a + 1e-3) - torch.log(self.mel @ b + 1e-3)
                parts = parts + torch.stack([torch.zeros(()), torch.zeros(()), bands.abs().mean()])
        return parts.sum(), parts
