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
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.tts.casting import Cast
from appliance.types import LINE_RATE_HZ

_CALIBRATION = "Hello, this is a short sentence that sets how loud the voice is."
_RENDERING = "1"  # raise when the steps below change what a text sounds like


class PiperSpeaker:
    """One voice for all calls; onnxruntime sessions may be run from several threads."""

    def __init__(self, config: SpeakingConfig, cast: Cast) -> None:
        """Load the voice and measure its level.

        Args:
            config: the box's speaking.
            cast: which voice, and how it is to sound.

        Raises:
            ConfigError: the files are missing, are no Piper voice, or have no such speaker.
        """
        self._voice = _load(cast, config.threads)
        self._speaker_id = _speaker_id(cast, self._voice.config)
        self._pitch, self._speed = cast.pitch, cast.speed
        self._gain_db = 0.0
        measured = active_level_dbm0(self._speak(_CALIBRATION))
        if not np.isfinite(measured):
            raise ConfigError(f"{cast.key}: {cast.file} speaks only silence")
        self._gain_db = config.level_dbm0 - measured
        digest = hashlib.sha256(cast.file.read_bytes())
        digest.update(settings_of(cast.file).read_bytes())
        own = "" if cast.pitch == 1 else f" {cast.pitch}"
        own += "" if cast.speed == 1 else f" speed {cast.speed}"
        own += "" if self._speaker_id is None else f" speaker {self._speaker_id}"
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
            settings = SynthesisConfig(
                speaker_id=self._speaker_id, normalize_audio=False, length_scale=length
            )
            chunks = [chunk.audio_float_array for chunk in self._voice.synthesize(text, settings)]
            if not chunks:
                raise EngineError("the voice returned no audio")
            wide = np.concatenate(chunks).astype(np.float32)
            # Spoken faster and played slower (or the other way round), pitch and throat change
            # together, as between people, and the length stays what it was.
            return resample(wide, round(plain.sample_rate * self._pitch), LINE_RATE_HZ)


def settings_of(voice: Path) -> Path:
    """The file of settings that belongs to a voice."""
    return voice.with_name(voice.name + ".json")


def _load(cast: Cast, threads: int) -> PiperVoice:
    for needed in (cast.file, settings_of(cast.file)):
        if not needed.is_file():
            raise ConfigError(f"{cast.key}: {needed} is missing; a Piper voice is two files")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        settings = PiperConfig.from_dict(json.loads(settings_of(cast.file).read_text("utf-8")))
        session = onnxruntime.InferenceSession(
            str(cast.file), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ConfigError(f"{cast.key}: {cast.file} cannot be loaded: {error}") from error
    return PiperVoice(session=session, config=settings)


def _speaker_id(cast: Cast, settings: PiperConfig) -> int | None:
    """The number of the speaker that is wanted; None where nothing is."""
    if cast.speaker is None:
        return None
    number = settings.speaker_id_map.get(cast.speaker)
    if number is None and cast.speaker.isdecimal():
        number = int(cast.speaker)
    if number is None or not 0 <= number < settings.num_speakers:
        names = ", ".join(settings.speaker_id_map) or f"0 to {settings.num_speakers - 1}"
        raise ConfigError(f"{cast.key}: {cast.file} has no speaker {cast.speaker}; it has {names}")
    return number


@contextmanager
def _engine_errors(text: str) -> Iterator[None]:
    """Whatever espeak or onnxruntime raises on one text; they share no base class."""
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"voice failed on {len(text)} characters: {error}") from error
