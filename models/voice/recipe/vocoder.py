"""Source-filter vocoder: mel and pitch to a waveform.

        log-F0, voicing ─▶ pulse train ─▶ spectrum ─×─┐
                                          filter ─────┘ (magnitude and phase)
    mel, log-F0, voicing ─▶ ConvNeXt ──▶                + ─▶ inverse transform, overlap-add ─▶ audio
                                          magnitude ──┐
                    noise ─────────────▶ spectrum ────×─┘

Why not plain Vocos, which predicts the spectrum itself: without long adversarial training it shows
a grid at the frame rate and broken harmonics. Here the harmonics come from the pulse train and the
network only has to shape them.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.voice.recipe.blocks import ConvNext
from models.voice.recipe.settings import HOP, MEL_BANDS, SAMPLE_RATE_HZ

FINE = 2
"""Frames of the vocoder for one of the mel: a burst is over in 16 ms, its mel frame is not."""
STEP = HOP // FINE
WINDOW = 4 * STEP
BINS = WINDOW // 2 + 1
EDGE = (WINDOW - STEP) // 2
PULSE_TOP_HZ = 7600.0
"""Highest harmonic of the pulse train; nothing folds back above half the sample rate."""
NOISE_SECONDS = 4
"""The shipped voice repeats this much fixed noise, so that equal input gives equal audio."""


def split_frames(audio: Tensor) -> Tensor:
    """Samples [B, T * 128] → overlapping frames [B, T, 512], the first centred on sample 64."""
    audio = F.pad(audio, (EDGE, EDGE))
    count, overlap = audio.shape[0], WINDOW // STEP
    parts = []
    for index in range(overlap):
        end = audio.shape[1] - (overlap - 1 - index) * STEP
        parts.append(audio[:, index * STEP : end].reshape(count, -1, STEP))
    return torch.cat(parts, -1)


def overlap_add(frames: Tensor) -> Tensor:
    """Inverse of `split_frames` for frames [B, T, 512] that were windowed twice: [B, T * 128]."""
    overlap = WINDOW // STEP
    parts = [
        F.pad(frames[:, :, i * STEP : (i + 1) * STEP], (0, 0, i, overlap - 1 - i))
        for i in range(overlap)
    ]
    audio = sum(parts[1:], parts[0]).reshape(frames.shape[0], -1)
    return audio[:, EDGE : audio.shape[1] - EDGE]


def per_sample(frames: Tensor) -> Tensor:
    """[B, T] at frame centres → [B, T * 256] by straight lines."""
    stretched = F.interpolate(
        frames.unsqueeze(1), scale_factor=float(HOP), mode="linear", align_corners=False
    )
    return stretched.squeeze(1)


def pulse_train(log_f0: Tensor, voiced: Tensor) -> Tensor:
    """Band-limited pulses [B, T * 256] of flat spectrum: all cosines up to 7.6 kHz, in closed form.

    The sum of the first K cosines is Dirichlet's kernel, sin((2K + 1)πx) / sin(πx) / 2 − 1/2.
    """
    f0 = per_sample(torch.exp(log_f0))
    # Summed by frame first: one long float32 sum would jitter the upper harmonics.
    inner = torch.cumsum((f0 / SAMPLE_RATE_HZ).reshape(f0.shape[0], -1, HOP), 2)
    start = torch.cumsum(inner[..., -1], 1) - inner[..., -1]
    phase = ((start - torch.floor(start)).unsqueeze(-1) + inner).reshape(f0.shape[0], -1)
    phase = phase - torch.floor(phase)
    harmonics = torch.floor(PULSE_TOP_HZ / f0)
    below = torch.sin(math.pi * phase)
    peak = (below.abs() < 1e-4).to(f0.dtype)
    kernel = torch.sin((2 * harmonics + 1) * math.pi * phase) / (below * (1 - peak) + peak)
    kernel = 0.5 * (kernel - 1) * (1 - peak) + harmonics * peak
    gate = (per_sample(voiced) > 0.5).to(f0.dtype)
    return 2 * torch.sqrt(f0 / SAMPLE_RATE_HZ) * kernel * gate


class FastTransform(nn.Module):
    """Windowed spectrum and back by FFT, as (real, imaginary) pairs: for training."""

    window: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)

    def forward(self, audio: Tensor) -> tuple[Tensor, Tensor]:
        spectrum = torch.fft.rfft(split_frames(audio.float()) * self.window)
        return spectrum.real, spectrum.imag

    def inverse(self, real: Tensor, imaginary: Tensor) -> Tensor:
        frames = torch.fft.irfft(torch.complex(real.float(), imaginary.float()), n=WINDOW)
        # Four squared Hann windows at a quarter of their length add up to 1.5.
        return overlap_add(frames * self.window / 1.5)


class Vocoder(nn.Module):
    """The network.

    `statistics` holds mean and deviation of the 80 mel bands and of log-F0, [2, 81]; they travel
    with the weights. `transform` may be replaced by one that exports (see export.py).
    """

    statistics: Tensor

    def __init__(
        self, width: int = 320, layers: int = 5, fine_width: int = 224, fine_layers: int = 4
    ) -> None:
        super().__init__()
        self.enter = nn.Conv1d(MEL_BANDS + 2, width, 7, padding=3)
        self.enter_norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList([ConvNext(width) for _ in range(layers)])
        self.refine = nn.Linear(width, fine_width * FINE)
        self.fine = nn.ModuleList([ConvNext(fine_width) for _ in range(fine_layers)])
        self.norm = nn.LayerNorm(fine_width)
        self.head = nn.Linear(fine_width, BINS * 3)
        nn.init.normal_(self.head.weight, 0, 0.02)
        nn.init.zeros_(self.head.bias)
        self.register_buffer("statistics", torch.stack([torch.zeros(81), torch.ones(81)]))
        self.transform: nn.Module = FastTransform()

    def filters(self, mel: Tensor, log_f0: Tensor, voiced: Tensor) -> tuple[Tensor, ...]:
        """Pulse filter (real, imaginary) and noise magnitude, each [B, T * 2, 257]."""
        mean, deviation = self.statistics[0], self.statistics[1]
        bands = (mel - mean[:MEL_BANDS]) / deviation[:MEL_BANDS]
        height = (log_f0 - mean[MEL_BANDS]) / deviation[MEL_BANDS] * voiced
        x = torch.cat([bands, height.unsqueeze(-1), voiced.unsqueeze(-1)], -1)
        x = self.enter_norm(self.enter(x.transpose(1, 2)).transpose(1, 2))
        for block in self.blocks:
            x = block(x)
        x = self.refine(x).reshape(x.shape[0], x.shape[1] * FINE, -1)
        for block in self.fine:
            x = block(x)
        head = self.head(self.norm(x)).float()
        # The offsets start both filters near the level of speech; the clamps keep exp finite.
        magnitude = torch.exp((head[..., :BINS] - 3).clamp(max=4))
        phase = head[..., BINS : 2 * BINS]
        noise = torch.exp((head[..., 2 * BINS :] - 5).clamp(max=3))
        return magnitude * torch.cos(phase), magnitude * torch.sin(phase), noise

    def forward(self, mel: Tensor, log_f0: Tensor, voiced: Tensor, noise: Tensor) -> Tensor:
        """mel [B, T, 80], log_f0 and voiced [B, T], white noise [B, T * 256] → audio [B, T * 256].

        `mel` and `log_f0` are as in features.py; voiced is 0 or 1.
        """
        real, imaginary, hiss = self.filters(mel, log_f0, voiced)
        with torch.no_grad():
            pulse_real, pulse_imaginary = self.transform(pulse_train(log_f0, voiced))
            noise_real, noise_imaginary = self.transform(noise)
        return self.transform.inverse(
            pulse_real * real - pulse_imaginary * imaginary + hiss * noise_real,
            pulse_real * imaginary + pulse_imaginary * real + hiss * noise_imaginary,
        )
