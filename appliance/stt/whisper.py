"""The faster-whisper adapter: short windows on any folder that faster-whisper can load.

    pcm -> float -> model's rate -> log-mel (short: as long as the utterance) -> encoder
        -> the folder holds a phone head and a language: a word search (`stt.reader`)
        -> else: Whisper's own decoder, greedy (hints and partials make no difference)

`transcribe()` always pads to 30 s, which costs a hundred times what a one-second answer needs.
So the parts are called here: features of the utterance only, one decode, and the prompt written
by hand (a small vocabulary makes faster-whisper drop the language and task tokens).

The shipped model has a phone head: at its size Whisper's decoder completes from memory what was
not said, and the search does not (models/stt/MODEL_CARD.md has both word error rates).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.audio import pad_or_trim

from appliance.audio.level import Samples, to_float
from appliance.audio.resample import resample
from appliance.audio.tonality import is_steady_tone
from appliance.audio.vad import level_db
from appliance.config import HearingConfig
from appliance.errors import ConfigError, EngineError
from appliance.stt.catalogue import is_model, lacking
from appliance.stt.language import Floats
from appliance.stt.reader import PhoneReader, has_phone_head
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.windows import cut_where_quiet
from appliance.types import BYTES_A_SECOND, LINE_RATE_HZ, Language, Transcript

_DEFAULTS = HearingConfig()
_SMALLEST_OFFICIAL_VOCABULARY = 51_000
_MAX_TOKENS = 96  # ctranslate2 counts both prompt and output: at most half of it is text
_PADDED_FRAMES = 3000  # 30 s: what Whisper was trained on
_QUIETEST_DB = -55.0  # an utterance that is nowhere louder is line noise, whatever is made of it
_LEAST_BYTES = BYTES_A_SECOND // 25  # 40 ms, one frame of the phone head; no word is shorter
_LOUD_BYTES = BYTES_A_SECOND // 10  # where to look for something louder: 100 ms at a time
_TOKENS_A_SECOND = 12.0  # faster than anybody speaks: beyond it the decoder is looping
_LONGEST_S = 10.0  # seconds; ours have not been trained on longer utterances
_SILENT_ABOVE = 0.6  # no-speech probability, as in OpenAI's reference decoder


class WhisperRecognizer:
    """One model for all calls. ctranslate2 queues decodes over `config.workers` threads."""

    def __init__(
        self, folder: Path, config: HearingConfig = _DEFAULTS, language: Language = "en"
    ) -> None:
        """Load the model.

        Args:
            folder: a faster-whisper model.
            config: threads, workers and window.
            language: what is spoken; a model with a phone head knows its own.

        Raises:
            ConfigError: the folder is missing or is no faster-whisper model.
        """
        self._language = language
        self._model = _load(folder, config.threads, config.workers)
        self._padded = config.window == "padded"
        self._rate_hz = int(self._model.feature_extractor.sampling_rate)
        self._tokenizer = self._model.hf_tokenizer
        self._reader = PhoneReader(folder) if has_phone_head(folder) else None
        self._prompt = self._write_prompt()
        self._eot = self._token("<|endoftext|>")
        self._special = [
            token
            for text, token in self._tokenizer.get_vocab().items()
            if text.startswith("<|") and token != self._eot
        ]

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        """See `Recognizer.recognize`; only a model with a phone head makes use of `hint`."""
        started = time.perf_counter()
        pcm = pcm[: len(pcm) // 2 * 2]
        if len(pcm) < _LEAST_BYTES or _loudest_db(pcm) < _QUIETEST_DB:
            return Transcript(text="", confidence=1.0)
        alternatives: tuple[str, ...] = ()
        stretched = False
        with _engine_errors():
            samples = to_float(pcm)
            if is_steady_tone(samples, LINE_RATE_HZ):
                return Transcript(text="", confidence=1.0)
            samples = resample(samples, LINE_RATE_HZ, self._rate_hz)
            if self._reader is None:
                text, confidence = self._decode(self._encode(samples), len(samples) / self._rate_hz)
            else:
                found = self._reader.read(self._states(samples), hint, partial)
                text, confidence = " ".join(found.words), found.confidence
                alternatives = tuple(" ".join(words) for words in found.alternatives)
                stretched = found.stretched
        decode_ms = (time.perf_counter() - started) * 1000
        return Transcript(text, confidence, decode_ms, alternatives, stretched)

    def _states(self, samples: Samples) -> Floats:
        """What the encoder makes of each 40 ms, in parts of a length that it knows [T, width]."""
        parts = cut_where_quiet(samples, self._rate_hz, _LONGEST_S)
        states = [np.asarray(self._encode(part), dtype=np.float32)[0] for part in parts]
        return np.concatenate(states)

    def _encode(self, samples: Samples) -> ctranslate2.StorageView:
        return self._model.model.encode(self._features(samples))

    def _features(self, samples: Samples) -> ctranslate2.StorageView:
        if self._padded:
            features = pad_or_trim(self._model.feature_extractor(samples), _PADDED_FRAMES)
        else:
            features = self._model.feature_extractor(samples, padding=0)
        even = features.shape[-1] // 2 * 2
        window = np.ascontiguousarray(features[None, :, :even], dtype=np.float32)
        return ctranslate2.StorageView.from_array(window)

    def _decode(self, hidden: ctranslate2.StorageView, seconds: float) -> tuple[str, float]:
        result = self._model.model.generate(
            hidden,
            [self._prompt],
            beam_size=1,
            max_length=_MAX_TOKENS,
            suppress_blank=False,
            suppress_tokens=self._special,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        words, tokens = self._words(result.sequences_ids[0])
        if result.no_speech_prob > _SILENT_ABOVE or tokens > _TOKENS_A_SECOND * (seconds + 1):
            return "", 1.0
        # ctranslate2's score is the mean log probability of the tokens.
        return words, min(1.0, math.exp(result.scores[0]))

    def _words(self, ids: list[int]) -> tuple[str, int]:
        """Lower-case words without punctuation (apostrophes stay), and how many tokens."""
        kept = [token for token in ids if token not in self._special and token != self._eot]
        text = self._tokenizer.decode(kept).lower()
        cleaned = "".join(
            char if char.isalnum() or char == "'" else " " for char in text.replace("’", "'")
        )
        return " ".join(cleaned.split()), len(kept)

    def _write_prompt(self) -> list[int]:
        names = ["<|startoftranscript|>"]
        own = self._tokenizer.get_vocab_size() < _SMALLEST_OFFICIAL_VOCABULARY
        if own or self._model.model.is_multilingual:
            names += [f"<|{self._language}|>", "<|transcribe|>"]
        return [self._token(name) for name in [*names, "<|notimestamps|>"]]

    def _token(self, name: str) -> int:
        token = self._tokenizer.token_to_id(name)
        if token is None:
            raise ConfigError(f"recognizer: its tokenizer.json lacks the token {name}")
        return int(token)


_KERNELS_KEPT = "64"
"""Compiled convolutions that oneDNN keeps, one for each length of an utterance. By default 1024:
the agent grew for a thousand calls, by 50 MB in 800 utterances. A new one costs no measurable time
(a decode took 5.5 ms of CPU with 64 as with 1024). An operator's own value stays."""


def _load(folder: Path, threads: int, workers: int) -> WhisperModel:
    if not is_model(folder):
        raise ConfigError(
            f"{folder} holds no model.bin; give the folder of a faster-whisper model "
            "(appliance models list), or add one (appliance models add)"
        )
    if absent := lacking(folder):  # faster-whisper would ask the internet for a tokenizer
        raise ConfigError(f"{folder} cannot be loaded: no {' and no '.join(absent)}")
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", _KERNELS_KEPT)  # read at first use
    try:
        return WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=threads,
            num_workers=workers,
            local_files_only=True,
        )
    except Exception as error:  # tokenizers raises bare Exception
        raise ConfigError(f"{folder} cannot be loaded: {error}") from error


def _loudest_db(pcm: bytes) -> float:
    """Level of the loudest 100 ms, dB relative to full scale; a word in a long silence counts."""
    parts = (pcm[at : at + _LOUD_BYTES] for at in range(0, len(pcm), _LOUD_BYTES))
    return max(map(level_db, parts), default=-math.inf)


@contextmanager
def _engine_errors() -> Iterator[None]:
    """ctranslate2 raises RuntimeError and ValueError; numpy MemoryError on absurd input."""
    try:
        yield
    except (RuntimeError, ValueError, MemoryError) as error:
        raise EngineError(f"recognizer failed: {error}") from error
