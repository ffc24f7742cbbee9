"""Engines for tests of the session: a recognizer that hears a script, a voice of tones.

Both keep the contracts of `stt.recognizer.Recognizer` and `tts.voice.Voice`, and pass the same
contract tests as the real engines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from appliance.audio.level import DBM0_TO_DBOV, active_level_dbm0, to_float, to_pcm
from appliance.dialogue.markup import parse, plain
from appliance.errors import EngineError
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.tts.voice import Phone, Spoken
from appliance.types import LINE_RATE_HZ, Transcript

HEARING_FLOOR_DBM0 = -50.0
_MS_A_LETTER = 60
_VOICE_PEAK = 2**0.5 * 10 ** ((-20.0 + DBM0_TO_DBOV) / 20)  # a sine of -20 dBm0


class ScriptedRecognizer:
    """Hears what it is told to.

    `transcripts` holds what to say one after another, or a function from (pcm, slot) to words;
    an `EngineError` among the transcripts is raised in its turn. A speculative decode uses up a
    transcript too, so tests with speculation give a function; a partial one uses up nothing.
    Silence is heard as nothing. `heard` keeps each full decode's (number of samples, slot).
    """

    def __init__(
        self,
        transcripts: Sequence[str | EngineError] | Callable[[bytes, str | None], str],
        confidence: float = 0.95,
    ) -> None:
        self.heard: list[tuple[int, str | None]] = []
        self._function = transcripts if callable(transcripts) else None
        self._waiting = [] if callable(transcripts) else list(transcripts)
        self._confidence = confidence
        self._lock = threading.Lock()

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        """See `Recognizer.recognize`; the script's end is an `EngineError`."""
        try:
            level_dbm0 = active_level_dbm0(to_float(pcm))
        except ValueError as error:
            raise EngineError(f"not s16le audio: {error}") from error
        with self._lock:
            if not partial:
                self.heard.append((len(pcm) // 2, hint.slot))
            if level_dbm0 < HEARING_FLOOR_DBM0:
                return Transcript("", 0.0)
            if self._function is not None:
                return Transcript(self._function(pcm, hint.slot), self._confidence)
            if not self._waiting:
                raise EngineError("the scripted recognizer has heard all of its script")
            words = self._waiting[0] if partial else self._waiting.pop(0)
        if isinstance(words, EngineError):
            raise words
        return Transcript(words, self._confidence)


class ToneVoice:
    """Sings: 60 ms a letter, a pitch for each letter, at -20 dBm0, without a break in its phase.

    So texts that begin alike sound alike until they differ, as with a real voice, and each letter
    is a phone whose timing is known. `failing` texts raise `EngineError`; `spoken` keeps all texts
    in order, without marks; `timings` off is a voice that knows none.
    """

    def __init__(self, failing: Sequence[str] = (), *, timings: bool = True) -> None:
        self.spoken: list[str] = []
        self._failing = frozenset(failing)
        self._timings = timings
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """See `Voice.identity`."""
        return "tone-2"

    def synthesize(self, text: str) -> bytes:
        """See `Voice.synthesize`."""
        return self.timed(text).pcm

    def timed(self, text: str) -> Spoken:
        """See `Voice.timed`; marks are not sung."""
        try:
            parse(text)
        except ValueError as error:
            raise EngineError(f"faulty marks: {error}") from error
        text = plain(text)
        if text in self._failing:
            raise EngineError(f"the tone voice was told to fail on {text!r}")
        with self._lock:
            self.spoken.append(text)
        if not text:
            return Spoken(b"")
        length = _MS_A_LETTER * LINE_RATE_HZ // 1000
        hertz = np.repeat([300 + 37 * (ord(letter) % 32) for letter in text], length)
        tone = np.sin(2 * np.pi * np.cumsum(hertz) / LINE_RATE_HZ).astype(np.float32)
        pcm = to_pcm(tone * np.float32(_VOICE_PEAK))
        phones = tuple(Phone(letter, length) for letter in text)
        return Spoken(pcm, phones if self._timings else ())
