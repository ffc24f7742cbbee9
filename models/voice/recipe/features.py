"""Audio features of the voice: level and silence, log-mel, pitch. numpy and pyworld only.

Frame t covers 1024 samples centred on sample (t + 0.5) * 256, so n samples have n // 256 frames,
and the vocoder's overlap-add returns exactly 256 samples a frame.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.voice.recipe.settings import FFT, HOP, MEL_BANDS, SAMPLE_RATE_HZ, AudioSettings

Floats = npt.NDArray[np.float32]


def mel_filterbank(fft: int, bands: int, low_hz: float, high_hz: float) -> Floats:
    """Triangular mel filters [bands, fft // 2 + 1], Slaney scale and area normalisation.

    The scale is linear to 1 kHz and logarithmic above (Slaney, Auditory Toolbox, 1998).
    """
    step = np.log(6.4) / 27.0

    def to_mel(hz: float) -> float:
        return hz * 3 / 200 if hz < 1000 else 15 + float(np.log(hz / 1000)) / step

    mels = np.linspace(to_mel(low_hz), to_mel(high_hz), bands + 2)
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(step * (mels - 15)))
    bins = np.arange(fft // 2 + 1) * SAMPLE_RATE_HZ / fft
    up = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    area = 2 / (edges[2:] - edges[:-2])
    return (np.maximum(0, np.minimum(up, down)) * area[:, None]).astype(np.float32)


_MEL = mel_filterbank(FFT, MEL_BANDS, 0, SAMPLE_RATE_HZ / 2)
_WINDOW = np.hanning(FFT + 1)[:-1].astype(np.float32)


def log_mel(audio: Floats) -> Floats:
    """Natural log of the mel magnitudes, floored at 1e-4: [len(audio) // 256, 80]."""
    edge = (FFT - HOP) // 2
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(audio, edge), FFT)[::HOP]
    spectrum = np.abs(np.fft.rfft(frames * _WINDOW, axis=1)).astype(np.float32)
    mel = np.log(np.maximum(spectrum @ _MEL.T, 1e-4))
    return np.asarray(mel[: len(audio) // HOP], np.float32)


def pitch(audio: Floats, range_hz: tuple[float, float]) -> tuple[Floats, Floats]:
    """Log-F0 (natural log of Hz, interpolated where unvoiced) and voicing (0 or 1) per frame.

    `range_hz` is searched.
    """
    import pyworld

    wide = audio.astype(np.float64)
    f0, times = pyworld.dio(
        wide,
        SAMPLE_RATE_HZ,
        f0_floor=range_hz[0],
        f0_ceil=range_hz[1],
        frame_period=8.0,
    )
    f0 = pyworld.stonemask(wide, f0, times, SAMPLE_RATE_HZ)[1::2]  # every 16 ms from 8 ms on
    frames = len(audio) // HOP
    f0 = np.pad(f0[:frames], (0, max(0, frames - len(f0))))
    voiced = np.flatnonzero(f0 > 0)
    if len(voiced) == 0:
        return np.full(frames, np.log(sum(range_hz) / 2), np.float32), np.zeros(frames, np.float32)
    log_f0 = np.interp(np.arange(frames), voiced, np.log(f0[voiced]))
    return log_f0.astype(np.float32), (f0 > 0).astype(np.float32)


def active_rms(audio: Floats) -> float:
    """RMS over the 16 ms blocks that are within 20 dB of the loudest one."""
    blocks = audio[: len(audio) // HOP * HOP].reshape(-1, HOP)
    level = np.sqrt((blocks**2).mean(1))
    loud = level[level > 0.1 * level.max()]
    return float(np.sqrt((loud**2).mean()))


def highpass(audio: Floats, edge_hz: float) -> Floats:
    """Zero-phase high-pass: a Butterworth filter of order 4 run forwards and backwards."""
    spectrum = np.fft.rfft(audio)
    hz = np.fft.rfftfreq(len(audio), 1 / SAMPLE_RATE_HZ)
    gain = hz**8 / (hz**8 + edge_hz**8)
    return np.fft.irfft(spectrum * gain, len(audio)).astype(np.float32)


def clean(audio: Floats, settings: AudioSettings) -> Floats:
    """High-pass, trim the silence at both ends, set the level; whole frames, inside ±0.99."""
    audio = highpass(audio, settings.highpass_hz)
    blocks = audio[: len(audio) // HOP * HOP].reshape(-1, HOP)
    level = np.sqrt((blocks**2).mean(1))
    # 32 dB below the active level: above the room noise, below the weakest fricatives.
    speech = np.flatnonzero(level > 0.025 * active_rms(audio))
    lead = settings.lead_ms * SAMPLE_RATE_HZ // 1000 // HOP
    trail = settings.trail_ms * SAMPLE_RATE_HZ // 1000 // HOP
    start, end = max(0, speech[0] - lead), min(len(blocks), speech[-1] + 1 + trail)
    audio = audio[start * HOP : end * HOP]
    return np.clip(audio * (settings.active_rms / active_rms(audio)), -0.99, 0.99)
