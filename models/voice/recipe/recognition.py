"""Independent listeners for the evaluation: recognizers, a simulated telephone, error counting."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.voice.recipe.features import active_rms
from models.voice.recipe.settings import SAMPLE_RATE_HZ

Floats = npt.NDArray[np.float32]
Recognizer = Callable[[Floats], str]
"""Audio at 16 kHz in [-1, 1] → what was said."""

TELEPHONE_RMS = 0.1
"""-20 dB of full scale for active speech."""


def words(text: str) -> list[str]:
    """Lower-case words without punctuation; hyphens part words."""
    return re.findall(r"[a-z0-9']+", text.lower().replace("-", " "))


def word_errors(said: Sequence[str], heard: Sequence[str]) -> int:
    """Least number of substitutions, deletions and insertions (Levenshtein 1966)."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]


def word_error_rate(said: Sequence[str], heard: Sequence[str]) -> float:
    """Errors over spoken words, all sentences together."""
    errors = sum(word_errors(words(a), words(b)) for a, b in zip(said, heard, strict=True))
    return errors / sum(len(words(text)) for text in said)


def change_rate(audio: Floats, rate_hz: int, new_rate_hz: int) -> Floats:
    """Resample by cutting or padding the spectrum."""
    size = len(audio) * new_rate_hz // rate_hz
    spectrum = np.fft.rfft(audio)[: size // 2 + 1] * (size / len(audio))
    return np.fft.irfft(spectrum, size).astype(np.float32)


def telephone(audio: Floats) -> Floats:
    """16 kHz audio as after a call: 300-3400 Hz, 8 kHz, -20 dB, µ-law (G.711), back at 16 kHz."""
    narrow = change_rate(audio, SAMPLE_RATE_HZ, 8000)
    spectrum, hz = np.fft.rfft(narrow), np.fft.rfftfreq(len(narrow), 1 / 8000)
    # Butterworth edges of order 4, as a telephone set's filters have them.
    gain = 1 / np.sqrt((1 + (300 / np.maximum(hz, 1)) ** 8) * (1 + (hz / 3400) ** 8))
    narrow = np.fft.irfft(spectrum * gain, len(narrow)).astype(np.float32)
    narrow = np.clip(narrow * (TELEPHONE_RMS / active_rms(narrow)), -1, 1)
    # The continuous form of µ-law with 8 bits; G.711 approximates it by straight segments.
    level = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256)
    level = np.round(level * 127) / 127
    narrow = np.sign(level) * np.expm1(np.abs(level) * np.log(256)) / 255
    return change_rate(narrow, 8000, SAMPLE_RATE_HZ)


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


def whisper_recognizer(folder: Path) -> Recognizer:
    """A faster-whisper model folder, the project's own for example."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
    rate_hz = model.feature_extractor.sampling_rate

    def recognize(audio: Floats) -> str:
        heard = change_rate(audio, SAMPLE_RATE_HZ, rate_hz)
        segments, _ = model.transcribe(heard, language="en", beam_size=1, temperature=0.0)
        return " ".join(segment.text for segment in segments)

    return recognize
