"""The recognizer as Pipecat hears with it: its own Whisper service, or ours behind its interface.

Both take a segment when the voice detector says that it is over, and nothing before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from faster_whisper import WhisperModel
from pipecat.frames.frames import Frame, TranscriptionFrame
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import SegmentedSTTService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.utils.time import time_now_iso8601

from appliance.stt.recognizer import Hint, Recognizer
from appliance.types import Language

_OFFICIAL_TOKENS = 51_000
_KEEP_ALL = 1.01


class PromptedModel(WhisperModel):
    """faster-whisper's model, given the whole prompt that a small vocabulary was trained with.

    faster-whisper leaves language and task out of it where the vocabulary is not an official one,
    and the model then writes nothing. All else is `transcribe()` as it is: 30 s windows, beam of 5.
    """

    def __init__(self, folder: Path, language: Language) -> None:
        super().__init__(str(folder), device="cpu", local_files_only=True)
        self._language = language

    def get_prompt(self, tokenizer: Any, *args: Any, **kwargs: Any) -> list[int]:
        """The tokens that the decoder begins with."""
        if self.hf_tokenizer.get_vocab_size() >= _OFFICIAL_TOKENS:
            return list(super().get_prompt(tokenizer, *args, **kwargs))
        tokens = ("startoftranscript", self._language, "transcribe", "notimestamps")
        return [self.hf_tokenizer.token_to_id(f"<|{token}|>") for token in tokens]


class WhisperEars(WhisperSTTService):
    """Pipecat's Whisper service on a model that is loaded already, for every call the same.

    It drops segments that the model takes for silence with more than a probability. Ours was not
    trained on 30 s windows and says so of speech; the detector has found speech, so all are kept.
    """

    def __init__(self, model: PromptedModel, language: Language) -> None:
        self._loaded = model
        settings = self.Settings(model="", language=language, no_speech_prob=_KEEP_ALL)
        super().__init__(settings=settings)

    def _load(self) -> None:
        self._model = self._loaded


class ShortEars(SegmentedSTTService):
    """The appliance's recognizer: windows as short as what was said, and the same hints."""

    def __init__(
        self, recognizer: Recognizer, hint: Callable[[], Hint], language: Language
    ) -> None:
        settings = STTSettings(model=None, language=language)
        super().__init__(ttfs_p99_latency=0.0, settings=settings)
        self._recognizer, self._hint, self._spoken = recognizer, hint, language

    @property
    def wants_wav_segments(self) -> bool:
        """Plain samples."""
        return False

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame, None]:
        """Transcribe one segment, s16le at the pipeline's rate."""
        found = await asyncio.to_thread(self._recognizer.recognize, audio, self._hint())
        if found.text:
            yield TranscriptionFrame(found.text, "", time_now_iso8601(), self._spoken)
