"""The piper-tts adapter: any Piper voice, made to sound alike on the telephone.

    text -> espeak phones -> ONNX voice -> pitch, telephone rate -> one level -> s16le

The level is set once per voice from a calibration sentence, not per sentence: Piper's own
peak normalisation makes short words as loud as long sentences.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from piper import PiperConfig, PiperVoice, SynthesisConfig

from appliance.audio.level import Samples, active_level_dbm0, apply_gain, to_pcm
from appliance.audio.resample import resample
from appliance.config import SpeakingConfig, VoiceConfig
from appliance.errors import ConfigError, EngineError
from appliance.types import LINE_RATE_HZ

_CALIBRATION = "Hello, this is a short sentence that sets how loud the voice is."
_PLAIN = VoiceConfig()
_RENDERING = "1"  # raise when the steps below change what a text sounds like


class PiperSpeaker:
    """One voice for all calls; onnxruntime sessions may be run from several threads."""

    def __init__(self, config: SpeakingConfig, named: VoiceConfig = _PLAIN) -> None:
        """Load the voice and measure its level.

        Args:
            config: the box's speaking.
            named: what one of its named voices has of its own.

        Raises:
            ConfigError: the files are missing or are no Piper voice.
        """
        path = named.voice or config.voice
        self._voice = _load(path, config.threads)
        self._pitch, self._speed = named.pitch, named.speed
        self._gain_db = 0.0
        measured = active_level_dbm0(self._speak(_CALIBRATION))
        if not np.isfinite(measured):
            raise ConfigError(f"speaking.voice: {path} speaks only silence")
        self._gain_db = config.level_dbm0 - measured
        digest = hashlib.sha256(path.read_bytes())
        digest.update(_settings_of(path).read_bytes())
        own = "" if named.pitch == 1 else f" {named.pitch}"
        own += "" if named.speed == 1 else f" speed {named.speed}"
        digest.update(f"{config.level_dbm0} {LINE_RATE_HZ} {_RENDERING}{own}".encode())
        self._identity = digest.hexdigest()

    @property
    def identity(self) -> str:
        """See `Voice.identity`."""
        return self._identity

    def synthesize(self, text: str) -> bytes:
        """See `Voice.synthesize`."""
        return to_pcm(apply_gain(self._speak(text), self._gain_db))

    def _speak(self, text: str) -> Samples:
        with _engine_errors(text):
            plain = self._voice.config
            length = plain.length_scale * self._pitch / self._speed
            settings = SynthesisConfig(normalize_audio=False, length_scale=length)
            chunks = [chunk.audio_float_array for chunk in self._voice.synthesize(text, settings)]
            if not chunks:
                raise EngineError("the voice returned no audio")
            wide = np.concatenate(chunks).astype(np.float32)
            # Spoken faster and played slower (or the other way round), pitch and throat change
            # together, as between people, and the length stays what it was.
            return resample(wide, round(plain.sample_rate * self._pitch), LINE_RATE_HZ)


def _settings_of(voice: Path) -> Path:
    return voice.with_name(voice.name + ".json")


def _load(path: Path, threads: int) -> PiperVoice:
    for needed in (path, _settings_of(path)):
        if not needed.is_file():
            raise ConfigError(f"speaking.voice: {needed} is missing; a Piper voice is two files")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        settings = PiperConfig.from_dict(json.loads(_settings_of(path).read_text("utf-8")))
        session = onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ConfigError(f"speaking.voice: {path} cannot be loaded: {error}") from error
    return PiperVoice(session=session, config=settings)


@contextmanager
def _engine_errors(text: str) -> Iterator[None]:
    """Whatever espeak or onnxruntime raises on one text; they share no base class."""
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"voice failed on {len(text)} characters: {error}") from error
