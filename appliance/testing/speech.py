"""The caller's voice: text or real recordings to telephone speech.

    text -> flite (voice slt) -> 8 kHz -> 300-3400 Hz -> trim -> -20 dBm0 -> int16

slt is held out of the recognizer's training set, so what the tests say is a voice that the
appliance has never heard. Renderings are kept in a folder, keyed by all that shapes the sound.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile

from appliance.audio.level import Samples as FloatSamples
from appliance.audio.level import active_level_dbm0, apply_gain, to_pcm
from appliance.audio.resample import resample
from appliance.errors import ConfigError
from appliance.testing.g711 import Samples
from appliance.testing.peer import Speech
from appliance.types import LINE_RATE_HZ, Language

VoiceName = Literal["slt", "rms", "awb", "espeak", "espeak-es"]
_ESPEAK: dict[str, str] = {"espeak": "en-us", "espeak-es": "es-419"}
"""What espeak-ng calls its voices of ours."""
VOICES: dict[Language, VoiceName] = {"en": "slt", "es": "espeak-es"}
"""Who calls in a language."""

_VERSION = 1
"""Part of the cache's key; grows when the processing below changes."""

_TRIM_BELOW_PEAK = 0.01
_EDGE_MS = 30
_BAND_HZ, _SKIRT_HZ = (300.0, 3400.0), 100.0
_DIGIT_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class DigitRhythm:
    """How people read numbers out: a gap between digits, a longer one between groups.

    Gaps vary evenly by `vary_ms` either way, fixed by `seed`. `group` digits make a group.
    """

    gap_ms: int = 90
    vary_ms: int = 40
    group: int = 3
    group_gap_ms: int = 220
    seed: int = 1


class CallerVoice:
    """Speaks text as `Speech`.

    Args:
        cache: folder of renderings; it is created.
        voice: a flite voice, or one of espeak-ng's: espeak (US English), espeak-es (Spanish).
        level_dbm0: active speech level.
        telephone_band: whether to limit to 300-3400 Hz.
    """

    def __init__(
        self,
        cache: Path,
        voice: VoiceName = "slt",
        level_dbm0: float = -20.0,
        telephone_band: bool = True,
    ) -> None:
        self._cache = cache
        self._voice: VoiceName = voice
        self._level_dbm0 = level_dbm0
        self._telephone_band = telephone_band

    def speak(self, text: str) -> Speech:
        """Render a sentence, or take it from the cache.

        Raises:
            ConfigError: the synthesizer is not installed (names the package) or failed.
        """
        shape = (_VERSION, self._voice, self._level_dbm0, self._telephone_band, text)
        path = self._cache / f"{hashlib.sha256(repr(shape).encode()).hexdigest()[:24]}.wav"
        if not path.exists():
            self._cache.mkdir(parents=True, exist_ok=True)
            sound = trim(_synthesize(text, self._voice))
            ready = _to_telephone(sound, self._level_dbm0, self._telephone_band)
            beside = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
            soundfile.write(beside, ready, LINE_RATE_HZ, format="WAV", subtype="PCM_16")
            beside.replace(path)
        samples, _ = soundfile.read(path, dtype="int16")
        return Speech(samples, text)

    def spell(self, digits: str, rhythm: DigitRhythm | None = None) -> Speech:
        """Read digits out one by one, as a person reads a ZIP code.

        Raises:
            ValueError: something else than 0-9.
            ConfigError: see `speak`.
        """
        if not digits.isascii() or not digits.isdecimal():
            raise ValueError(f"only the digits 0-9 can be spelled, not {digits!r}")
        words = [_DIGIT_WORDS[int(digit)] for digit in digits]
        parts = [self.speak(word).samples for word in words]
        return Speech(_join(parts, rhythm or DigitRhythm()), " ".join(words))


def join_recordings(
    paths: Sequence[Path],
    text: str,
    rhythm: DigitRhythm | None = None,
    level_dbm0: float = -20.0,
) -> Speech:
    """Join recordings (WAV or FLAC, any rate) of single digits to one utterance.

    Each is trimmed, limited to the telephone band and set to the level.

    Raises:
        ConfigError: a file cannot be read, or is silent.
    """
    parts = []
    for path in paths:
        try:
            sound, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
        except (OSError, soundfile.LibsndfileError) as error:
            raise ConfigError(f"{path}: not a sound file: {error}") from error
        mono = trim(resample(sound.mean(axis=1), int(rate_hz), LINE_RATE_HZ))
        if not mono.size:
            raise ConfigError(f"{path}: holds silence only")
        parts.append(_to_telephone(mono, level_dbm0, telephone_band=True))
    return Speech(_join(parts, rhythm or DigitRhythm()), text)


def trim(sound: FloatSamples) -> FloatSamples:
    """Cut the silence before and behind, but for 30 ms; empty where all is silence."""
    loudest = float(np.abs(sound).max(initial=0.0))
    active = np.flatnonzero(np.abs(sound) > loudest * _TRIM_BELOW_PEAK)
    if loudest == 0.0 or not active.size:
        return sound[:0]
    edge = _EDGE_MS * LINE_RATE_HZ // 1000
    return sound[max(0, active[0] - edge) : active[-1] + edge]


def limit_band(sound: FloatSamples) -> FloatSamples:
    """Keep 300-3400 Hz (ITU-T G.712's band), with 100 Hz wide raised-cosine skirts."""
    hz = np.fft.rfftfreq(len(sound), 1 / LINE_RATE_HZ)
    low, high = _BAND_HZ
    outside = np.maximum(np.maximum(low - hz, hz - high), 0.0) / _SKIRT_HZ
    keep = 0.5 + 0.5 * np.cos(np.pi * np.minimum(outside, 1.0))
    return np.fft.irfft(np.fft.rfft(sound) * keep, len(sound)).astype(np.float32)


def _to_telephone(sound: FloatSamples, level_dbm0: float, telephone_band: bool) -> Samples:
    if telephone_band:
        sound = limit_band(sound)
    gain_db = level_dbm0 - active_level_dbm0(sound)
    return np.frombuffer(to_pcm(apply_gain(sound, gain_db)), dtype="<i2").astype(np.int16)


def _join(parts: Sequence[Samples], rhythm: DigitRhythm) -> Samples:
    """Parts with gaps between them."""
    vary = np.random.default_rng(rhythm.seed)
    pieces: list[Samples] = []
    for index, part in enumerate(parts):
        if index:
            grouped = index % rhythm.group == 0
            gap_ms = rhythm.group_gap_ms if grouped else rhythm.gap_ms
            gap_ms += int(vary.integers(-rhythm.vary_ms, rhythm.vary_ms + 1))
            pieces.append(np.zeros(max(0, gap_ms) * LINE_RATE_HZ // 1000, np.int16))
        pieces.append(part)
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


def _synthesize(text: str, voice: VoiceName) -> FloatSamples:
    """Raw rendering at 8 kHz."""
    program = "espeak-ng" if voice in _ESPEAK else "flite"
    if shutil.which(program) is None:
        raise ConfigError(f"{program} is not installed: apt-get install {program}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        command = (
            ["espeak-ng", "-v", _ESPEAK[voice], "-w", str(path), "--", text]
            if voice in _ESPEAK
            else ["flite", "-voice", voice, "-t", text, "-o", str(path)]
        )
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        if done.returncode or not path.exists():
            raise ConfigError(f"{program} could not speak {text!r}: {done.stderr.strip()}")
        sound, rate_hz = soundfile.read(path, dtype="float32")
    return resample(np.asarray(sound, np.float32), int(rate_hz), LINE_RATE_HZ)
