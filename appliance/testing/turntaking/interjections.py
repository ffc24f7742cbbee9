"""What a caller may utter over a prompt: words, acknowledgements, noises. By engines or from files.

    espeak-ng, flite ──────────────────┐
    a folder with speech/, acknowledgement/, noise/ ─┴─> Interjection (kind, name, 8 kHz samples)

The engines' sounds are for tests that need no recordings. Figures are taken with real speakers:
models/turns/recipe/barge_in_sounds.py makes such a folder from speech corpora.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import soundfile

from appliance.audio.level import Samples as FloatSamples
from appliance.audio.level import active_level_dbm0, apply_gain, to_pcm
from appliance.audio.resample import resample
from appliance.errors import ConfigError
from appliance.testing.g711 import Samples
from appliance.testing.speech import CallerVoice, limit_band, trim
from appliance.types import LINE_RATE_HZ

Kind = Literal["speech", "acknowledgement", "noise"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LEVEL_DBM0 = -20.0
_INAUDIBLE_DBM0 = -60.0

_WORDS = (
    "please stop calling me", "wait a minute", "can i ask you something", "no that is not me",
    "yes this is she", "let me talk to a person", "what is this about", "sorry who is this",
)  # fmt: skip
_FLITE_HUMS = ("pau m hh m pau", "pau hh m pau", "pau m pau")
_ESPEAK_HUMS = ("[[mhm]]", "[[VhV]]", "[[hm:]]", "[[m'hm:]]")
_NOISES = ("click", "cough", "burst", "key tone")


@dataclass(frozen=True, slots=True)
class Interjection:
    """One sound at the level of telephone speech; int16 at 8 kHz."""

    kind: Kind
    name: str
    samples: Samples


def synthesized(cache: Path) -> list[Interjection]:
    """Words and hums by engines, noises by formula.

    Raises:
        ConfigError: an engine is not installed.
    """
    voice = CallerVoice(cache)
    words = [Interjection("speech", text, voice.speak(text).samples) for text in _WORDS]
    hums: list[tuple[str, ...]] = [("flite", "-voice", "slt", "-p", each) for each in _FLITE_HUMS]
    hums += [("espeak-ng", "-v", "en-us", each) for each in _ESPEAK_HUMS]
    acknowledgements = [_interjection("acknowledgement", hum[-1], _engine(hum)) for hum in hums]
    rng = np.random.default_rng(1)
    noises = [_interjection("noise", name, _noise(rng, name)) for name in _NOISES]
    return words + acknowledgements + noises


def recorded(folder: Path) -> list[Interjection]:
    """All sound files of the folder's `speech`, `acknowledgement` and `noise`.

    Raises:
        ConfigError: a file is no sound, or a kind is missing.
    """
    found = []
    for kind in KINDS:
        files = sorted((folder / kind).glob("*.*"))
        if not files:
            raise ConfigError(f"{folder / kind}: there are no sound files")
        found += [_recording(kind, file) for file in files]
    return found


def _recording(kind: Kind, file: Path) -> Interjection:
    try:
        return _interjection(kind, file.stem, _read(file))
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from error


def _read(file: Path) -> FloatSamples:
    try:
        sound, rate_hz = soundfile.read(file, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise ConfigError(f"{file}: not a sound file: {error}") from error
    return resample(sound.mean(axis=1), int(rate_hz), LINE_RATE_HZ)


def telephone_sound(sound: FloatSamples) -> FloatSamples:
    """A sound without the silence around, in a telephone's band.

    Raises:
        ValueError: nothing is heard of it there.
    """
    trimmed = trim(np.asarray(sound, np.float32))
    ready = limit_band(trimmed) if len(trimmed) else trimmed
    if active_level_dbm0(ready) < _INAUDIBLE_DBM0:
        raise ValueError("nothing is heard of it on a telephone")
    return ready


def _interjection(kind: Kind, name: str, sound: FloatSamples) -> Interjection:
    ready = telephone_sound(sound)
    level = apply_gain(ready, LEVEL_DBM0 - active_level_dbm0(ready))
    return Interjection(kind, name, np.frombuffer(to_pcm(level), "<i2").astype(np.int16))


def _engine(command: tuple[str, ...]) -> FloatSamples:
    if shutil.which(command[0]) is None:
        raise ConfigError(f"{command[0]} is not installed: apt-get install {command[0]}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound.wav"
        to_file = ("-o", str(path)) if command[0] == "flite" else ("-w", str(path))
        done = subprocess.run([*command, *to_file], capture_output=True, check=False, text=True)
        if done.returncode or not path.exists():
            raise ConfigError(f"{command[0]} failed: {done.stderr.strip()}")
        return _read(path)


def _noise(rng: np.random.Generator, name: str) -> FloatSamples:
    """A knock, a cough's burst of air, a rustle, the tones of a key."""
    if name == "key tone":
        at = np.arange(LINE_RATE_HZ // 5) / LINE_RATE_HZ
        return (np.sin(2 * np.pi * 770 * at) + np.sin(2 * np.pi * 1336 * at)).astype(np.float32)
    ms, dies_ms = {"click": (30, 6), "cough": (250, 70), "burst": (400, 300)}[name]
    at = np.arange(ms * LINE_RATE_HZ // 1000) * 1000 / LINE_RATE_HZ
    return (rng.standard_normal(len(at)) * np.exp(-at / dies_ms)).astype(np.float32)
