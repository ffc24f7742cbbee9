"""The speech engines of the synthetic speakers: a sentence and a voice in, sound at 8 kHz out."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import soundfile
import soxr

from . import festival, shards
from .spanish.spoken import respell
from .speakers import Voice

_THREADS = 2


class Synthesizer:
    """Speaks texts with any `Voice`.

    Args:
        piper_voice: a Piper voice for the "piper" engine, or None to do without.
        language: of the texts.
    """

    def __init__(self, piper_voice: Path | None, language: str = "en") -> None:
        self._language = language
        self._piper = None
        if piper_voice is not None:
            from piper import PiperVoice

            self._piper = PiperVoice.load(piper_voice)

    def speak(self, text: str, voice: Voice) -> np.ndarray:
        """Returns int16 at 8 kHz, silence trimmed to under 0.1 s, peak at 0.7 of full scale.

        Raises:
            ValueError: the engine gave no usable sound.
        """
        engines = {
            "espeak": self._espeak,
            "flite": self._flite,
            "piper": self._speak_piper,
            "festival": self._festival,
        }
        wave, rate_hz = engines[voice.engine](self._spoken(text), voice)
        return _to_telephone(wave, rate_hz, voice.warp)

    def speak_all(self, jobs: Sequence[tuple[str, Voice]]) -> list[np.ndarray | None]:
        """Speaks (text, voice) jobs on two threads; None for what an engine cannot speak."""
        places = [place for place, (_, voice) in enumerate(jobs) if voice.engine == "festival"]
        batch = festival.speak([(self._spoken(jobs[i][0]), jobs[i][1]) for i in places])
        ready = dict(zip(places, batch, strict=True))

        def work(place: int) -> np.ndarray | None:
            text, voice = jobs[place]
            try:
                if place not in ready:
                    return self.speak(text, voice)
                found = ready[place]
                return None if found is None else _to_telephone(*found, voice.warp)
            except (ValueError, subprocess.CalledProcessError, soundfile.LibsndfileError):
                return None  # One unspeakable sentence in thousands is not worth stopping for.

        with ThreadPoolExecutor(_THREADS) as pool:
            return list(pool.map(work, range(len(jobs))))

    def _spoken(self, text: str) -> str:
        """A normalized text as the engines read it aloud rightly."""
        if self._language == "es":
            return respell(text)
        return re.sub(r"\b([ap]) m\b", r"\1.m.", text)

    def _festival(self, text: str, voice: Voice) -> tuple[np.ndarray, int]:
        found = festival.speak([(text, voice)])[0]
        if found is None:
            raise ValueError(f"the voice {voice.name} cannot speak this sentence")
        return found

    def _espeak(self, text: str, voice: Voice) -> tuple[np.ndarray, int]:
        command = [
            "espeak-ng",
            "-v",
            voice.name,
            "-s",
            str(int(voice.speed)),
            "-p",
            str(voice.pitch),
            "--stdout",
            text,
        ]
        done = subprocess.run(command, capture_output=True, check=True)
        return np.frombuffer(done.stdout[44:], dtype="<i2").astype(np.float32) / 32768, 22050

    def _flite(self, text: str, voice: Voice) -> tuple[np.ndarray, int]:
        with tempfile.NamedTemporaryFile(suffix=".wav") as out:
            command = [
                "flite",
                "-voice",
                voice.name,
                "--setf",
                f"duration_stretch={voice.speed:.2f}",
                "--setf",
                f"int_f0_target_mean={voice.pitch}",
                "-t",
                f" {text}",
                "-o",
                out.name,
            ]
            subprocess.run(command, capture_output=True, check=True)
            wave, rate_hz = soundfile.read(out.name, dtype="float32")
        return wave, rate_hz

    def _speak_piper(self, text: str, voice: Voice) -> tuple[np.ndarray, int]:
        from piper import SynthesisConfig

        if self._piper is None:
            raise ValueError("no Piper voice was given")
        config = SynthesisConfig(length_scale=voice.speed, normalize_audio=False)
        parts = list(self._piper.synthesize(text, config))
        return np.concatenate([p.audio_float_array for p in parts]), parts[0].sample_rate


def _to_telephone(wave: np.ndarray, rate_hz: int, warp: float) -> np.ndarray:
    return trim(soxr.resample(wave.astype(np.float32), rate_hz * warp, shards.RATE_HZ))


def trim(wave: np.ndarray) -> np.ndarray:
    """Cuts outer silence (below 1% of the peak) and sets the peak to 0.7; returns int16."""
    peak = float(np.abs(wave).max(initial=0.0))
    loud = np.flatnonzero(np.abs(wave) > 0.01 * peak + 1e-4)
    if len(loud) < 400:
        raise ValueError("no speech in the synthesized sound")
    wave = wave[max(0, loud[0] - 480) : loud[-1] + 800]
    return (wave / peak * 0.7 * 32767).astype(np.int16)
