"""The telephone between a caller's mouth and the recognizer, simulated in fixed steps.

    speech -> band -> level -> silence around --+-> codec -> packet loss -> float32 8 kHz
    noise  -> band -> level --------------------+

`telephone` is one call whose conditions the caller of the function chooses: a benchmark asks for
"GSM at 10 dB" and gets the same line each time. The parts are public because the training recipe
draws its random calls from them (models/stt/recipe/channel.py). Pure: no clock, no files, and the
generator passed in decides everything.
"""

from __future__ import annotations

import numpy as np

from appliance.audio.codecs import Codec, round_trip
from appliance.audio.level import Samples
from appliance.audio.sounds import noise as steady_noise
from appliance.types import LINE_RATE_HZ

PACKET = LINE_RATE_HZ // 50  # 20 ms
BAND_HZ = (280.0, 3450.0)  # 6 dB down; the edges of an ordinary narrow-band telephone
WIDE_BAND_HZ = (70.0, 3950.0)  # what G.722 leaves below half of LINE_RATE_HZ
LEVEL_DBFS = -22.0
_BEFORE_S, _AFTER_S = 0.3, 0.4  # what the endpointing leaves around an utterance
_SILENT_DBFS = -110.0
_GOES_ON = 0.4  # probability that the packet after a lost one is lost too
_FADE = 0.7  # a receiver repeats the last packet, each time this much quieter


def clean(wave: Samples) -> Samples:
    """The utterance at the level of `telephone` with the same silence around: no line at all."""
    return surround(set_level(wave, LEVEL_DBFS), _BEFORE_S, _AFTER_S)


def telephone(
    wave: Samples,
    rng: np.random.Generator,
    snr_db: float | None = 20.0,
    codec: Codec = "pcmu",
    noise: Samples | None = None,
    loss: float = 0.0,
) -> Samples:
    """One utterance through one chosen line.

    Args:
        wave: clean float32 mono at LINE_RATE_HZ, shape [n].
        rng: source of the noise and of the losses; the same seed gives the same samples.
        snr_db: active speech level over the noise's RMS, both in the telephone band; None: a quiet
            line, 45 dB.
        codec: see `appliance.audio.codecs`; "g722" also widens the band.
        noise: what sounds besides the speech (repeated or cut to length); None: pink noise.
        loss: share of 20 ms packets lost, 0 to 0.5, in bursts, concealed by repetition.

    Returns:
        float32 in [-1, 1], shape [n + 5600]: 0.3 s before and 0.4 s after.
    """
    band = WIDE_BAND_HZ if codec == "g722" else BAND_HZ
    speech = set_level(band_limit(wave, *band), LEVEL_DBFS)
    speech = surround(speech, _BEFORE_S, _AFTER_S)
    around = steady_noise(rng, len(speech)) if noise is None else np.resize(noise, len(speech))
    ratio = 45.0 if snr_db is None else snr_db
    around = set_rms(band_limit(around, *band), LEVEL_DBFS - ratio)
    return lose_packets(rng, round_trip(speech + around, codec), loss)


def surround(wave: Samples, before_s: float, after_s: float) -> Samples:
    """Silence around, in seconds."""
    sides = int(before_s * LINE_RATE_HZ), int(after_s * LINE_RATE_HZ)
    return np.pad(np.asarray(wave, np.float32), sides)


def active_level(wave: Samples) -> float:
    """RMS in dBFS over the 20 ms frames within 30 dB of the loudest one; -120 for silence."""
    frames = wave[: len(wave) // PACKET * PACKET].reshape(-1, PACKET)
    if not len(frames):
        frames = np.resize(wave, (1, PACKET)) if len(wave) else np.zeros((1, PACKET), np.float32)
    power = np.einsum("ij,ij->i", frames, frames, dtype=np.float64) / PACKET
    active = power[power >= power.max() * 1e-3]
    return float(10 * np.log10(active.mean() + 1e-12))


def set_level(wave: Samples, level_dbfs: float) -> Samples:
    """Scales so that `active_level` is `level_dbfs`; silence stays silence."""
    return _scale(wave, active_level(wave), level_dbfs)


def set_rms(wave: Samples, level_dbfs: float) -> Samples:
    """Scales so that the RMS of the whole is `level_dbfs`; silence stays silence."""
    power = float(np.mean(np.square(wave, dtype=np.float64))) if len(wave) else 0.0
    return _scale(wave, 10 * np.log10(power + 1e-12), level_dbfs)


def band_limit(wave: Samples, low_hz: float, high_hz: float, tilt_db: float = 0.0) -> Samples:
    """Second-order high-pass, steep low-pass and a spectral tilt, in the frequency domain.

    Args:
        wave: float32 at LINE_RATE_HZ.
        low_hz: where the high-pass is 6 dB down.
        high_hz: where the low-pass is 6 dB down.
        tilt_db: gain at 4 kHz minus gain at 0 Hz.
    """
    size = 1 << max(1, (len(wave) - 1).bit_length())
    hertz = np.fft.rfftfreq(size, 1 / LINE_RATE_HZ).astype(np.float32)
    gain = 1 / (1 + (low_hz / np.maximum(hertz, 1.0)) ** 4)
    gain *= 1 / (1 + (hertz / high_hz) ** 16)
    if tilt_db:
        gain *= 10 ** (tilt_db * (hertz / (LINE_RATE_HZ / 2) - 0.5) / 20)
    spectrum = np.fft.rfft(np.asarray(wave, np.float32), size) * gain
    return np.fft.irfft(spectrum, size)[: len(wave)].astype(np.float32)


def reverberate(wave: Samples, room: Samples, share: float) -> Samples:
    """Mixes in a room: `share` (0 to 1) of the sound comes by way of the response `room`."""
    size = 1 << (len(wave) + len(room)).bit_length()
    wet = np.fft.irfft(np.fft.rfft(wave, size) * np.fft.rfft(room, size), size)[: len(wave)]
    wet *= np.abs(wave).max(initial=0.0) / (np.abs(wet).max(initial=0.0) + 1e-9)
    return ((1 - share) * wave + share * wet).astype(np.float32)


def clip(wave: Samples, share: float) -> Samples:
    """An overdriven microphone: everything beyond `share` of the peak is cut off."""
    limit = max(float(np.abs(wave).max(initial=0.0)) * share, 1e-4)
    return np.clip(wave, -limit, limit).astype(np.float32)


def add(wave: Samples, other: Samples, level_dbfs: float, at: int = 0) -> Samples:
    """Adds `other` from sample `at` on, its active level set; beyond the end it is cut."""
    mixed = wave.copy()
    part = set_level(other[: max(0, len(wave) - at)], level_dbfs)
    mixed[at : at + len(part)] += part
    return mixed


def lose_packets(rng: np.random.Generator, wave: Samples, share: float) -> Samples:
    """Loses this share of the 20 ms packets, in bursts; a receiver repeats the last, fading."""
    if share <= 0:
        return wave
    wave = wave.copy()
    begins = share * (1 - _GOES_ON) / (1 - share)  # two-state chain whose mean loss is `share`
    lost = False
    for start in range(PACKET, len(wave) - PACKET, PACKET):
        lost = bool(rng.random() < (_GOES_ON if lost else begins))
        if lost:
            wave[start : start + PACKET] = wave[start - PACKET : start] * _FADE
    return wave


def _scale(wave: Samples, level: float, wanted: float) -> Samples:
    if level < _SILENT_DBFS:
        return np.asarray(wave, np.float32)
    return (wave * np.float32(10 ** ((wanted - level) / 20))).astype(np.float32)
