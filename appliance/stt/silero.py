"""The Silero voice detector that comes with faster-whisper, one frame of the telephone at a time.

It hears speech in noise it has never met, which our own detector (audio/voice.py) cannot be sure
of: 12 recorded noises taught that one. But it takes many pauses in mid-word for real ones, hears
onsets late and costs more, so `VoiceDetector` asks it on noisy lines only, for its consent.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from appliance.errors import ConfigError

_ASSET = "assets/silero_vad_v6.onnx"
_CHUNK = 256  # samples of the line: 32 ms; the model takes twice as many at twice the rate
_CONTEXT = 64
_STATE = (1, 1, 128)


class SileroModel:
    """The loaded network; shared by all calls. One thread: a run takes some 0.1 ms."""

    def __init__(self) -> None:
        """Load it from the installed package.

        Raises:
            ConfigError: the package is not there, or is another version.
        """
        found = find_spec("faster_whisper")
        path = Path(found.origin).parent / _ASSET if found and found.origin else None
        if path is None or not path.is_file():
            raise ConfigError(f"faster-whisper: {_ASSET} is missing: reinstall the appliance")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )


class SileroVoice:
    """One call's listening."""

    def __init__(self, model: SileroModel) -> None:
        self._session = model.session
        self._state = [np.zeros(_STATE, np.float32), np.zeros(_STATE, np.float32)]
        self._waiting = np.zeros(0, np.float32)
        self._given = np.zeros((1, _CONTEXT + 2 * _CHUNK), np.float32)
        self._last = np.float32(0.0)
        self._likely = 0.0

    def push(self, pcm: bytes) -> float:
        """The probability of speech in the last whole 32 ms, after this frame (s16le)."""
        samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / 32768
        self._waiting = np.concatenate([self._waiting, samples])
        while len(self._waiting) >= _CHUNK:
            self._run(self._waiting[:_CHUNK])
            self._waiting = self._waiting[_CHUNK:]
        return self._likely

    def _run(self, chunk: npt.NDArray[np.float32]) -> None:
        given = self._given
        given[0, :_CONTEXT] = given[0, -_CONTEXT:]
        given[0, _CONTEXT + 1 :: 2] = chunk
        given[0, _CONTEXT] = (self._last + chunk[0]) / 2
        given[0, _CONTEXT + 2 :: 2] = (chunk[:-1] + chunk[1:]) / 2  # twice the rate, by halves
        self._last = chunk[-1]
        h, c = self._state
        likely, *self._state = self._session.run(None, {"input": given, "h": h, "c": c})
        self._likely = float(np.asarray(likely).ravel()[-1])
