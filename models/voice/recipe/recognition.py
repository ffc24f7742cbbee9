"""Independent listeners for the evaluation: recognizers, and a simulated telephone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from appliance.types import Language
from models.voice.recipe.features import active_rms
from models.voice.recipe.settings import SAMPLE_RATE_HZ

Floats = npt.NDArray[np.float32]
Recognizer = Callable[[Floats], str]
"""Audio at 16 kHz in [-1, 1] → what was said."""

TELEPHONE_HZ = 8000
TELEPHONE_RMS = 0.1
"""-20 dB of full scale for active speech."""


def change_rate(audio: Floats, rate_hz: int, new_rate_hz: int) -> Floats:
    """Resample by cutting or padding the spectrum."""
    size = len(audio) * new_rate_hz // rate_hz
    spectrum = np.fft.rfft(audio)[: size // 2 + 1] * (size / len(audio))
    return np.fft.irfft(spectrum, size).astype(np.float32)


def telephone_band(audio: Floats) -> Floats:
    """16 kHz audio with what a telephone set lets through of it: 300-3400 Hz, at 8 kHz."""
    narrow = change_rate(audio, SAMPLE_RATE_HZ, TELEPHONE_HZ)
    spectrum, hz = np.fft.rfft(narrow), np.fft.rfftfreq(len(narrow), 1 / TELEPHONE_HZ)
    # Butterworth edges of order 4, as a telephone set's filters have them.
    gain = 1 / np.sqrt((1 + (300 / np.maximum(hz, 1)) ** 8) * (1 + (hz / 3400) ** 8))
    return np.fft.irfft(spectrum * gain, len(narrow)).astype(np.float32)


def telephone(audio: Floats) -> Floats:
    """16 kHz audio as after a call: telephone band, -20 dB, µ-law (G.711), back at 16 kHz."""
    narrow = telephone_band(audio)
    narrow = np.clip(narrow * (TELEPHONE_RMS / active_rms(narrow)), -1, 1)
    # The continuous form of µ-law with 8 bits; G.711 approximates it by straight segments.
    level = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256)
    level = np.round(level * 127) / 127
    narrow = np.sign(level) * np.expm1(np.abs(level) * np.log(256)) / 255
    return change_rate(narrow.astype(np.float32), TELEPHONE_HZ, SAMPLE_RATE_HZ)


def pocketsphinx_recognizer() -> Recognizer:
    """pocketsphinx 5 with the US English model and language model of its wheel."""
    from pocketsphinx import Decoder

    decoder = Decoder(samprate=SAMPLE_RATE_HZ, loglevel="FATAL")

    def recognize(audio: Floats) -> str:
        pcm = (np.clip(audio, -1, 1) * 32767).astype(np.int16).tobytes()
        decoder.start_utt()
        decoder.process_raw(pcm, no_search=False, full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        return "" if found is None else str(found.hypstr)

    return recognize


def appliance_recognizer(folder: Path, language: Language) -> Recognizer:
    """The appliance's own recognizer with this model, without any hint; it hears 8 kHz only."""
    from appliance.audio.level import to_pcm
    from appliance.config import HearingConfig
    from appliance.stt.whisper import WhisperRecognizer

    recognizer = WhisperRecognizer(folder, HearingConfig(threads=1, workers=1), language)

    def recognize(audio: Floats) -> str:
        return recognizer.recognize(to_pcm(change_rate(audio, SAMPLE_RATE_HZ, TELEPHONE_HZ))).text

    return recognize
