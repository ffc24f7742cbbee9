"""The words that every stage of a call speaks.

    AudioFrame -> SpeechStarted / SpeechPaused / SpeechEnded -> Transcript -> Understanding
        -> Event -> (dialogue.step) -> Turn -> Prompt -> AudioFrame

Stages import these types and not each other; `session/` wires them. Values only: no I/O, no
clock, no vendor's name. Times named `*_ns` are `time.monotonic_ns()` of this machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

LINE_RATE_HZ = 8000
"""Rate of all audio between line and agent: G.711's own; the line resamples G.722 to it."""

FRAME_MS = 20
FRAME_SAMPLES = LINE_RATE_HZ * FRAME_MS // 1000
FRAME_BYTES = 2 * FRAME_SAMPLES
"""One frame: 160 samples, signed 16 bit little endian, mono."""
BYTES_A_SECOND = 2 * LINE_RATE_HZ


@dataclass(frozen=True, slots=True)
class AudioFrame:
    """20 ms of the caller's audio. `pcm` is FRAME_BYTES long; `at_ns` when the line had it.

    `echo`: nothing sounds in it but our own voice, come back (see `audio.echo`).
    """

    pcm: bytes
    at_ns: int
    echo: bool = False


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The caller began to speak; `at_ns` is the first speech frame, before confirmation."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class SpeechPaused:
    """A short pause: worth decoding speculatively. `ended_ns` is the last speech frame's end."""

    at_ns: int
    ended_ns: int
    pcm: bytes


@dataclass(frozen=True, slots=True)
class SpeechResumed:
    """The caller went on after a pause: what was prepared at the pause is void."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The turn is over. `pcm` holds the utterance with its margins, s16le at LINE_RATE_HZ."""

    at_ns: int
    ended_ns: int
    pcm: bytes


SpeechEvent = SpeechStarted | SpeechPaused | SpeechResumed | SpeechEnded


@dataclass(frozen=True, slots=True)
class Transcript:
    """What the recognizer heard: lower-case words, numbers left as words.

    `confidence` in 0..1; `text` is empty where there was no speech to recognize. `alternatives`:
    the next best texts, best first, where the recognizer has any. `stretched`: as many digits as
    were asked for were found only because they were looked for; more may be to come.
    """

    text: str
    confidence: float
    decode_ms: float = 0.0
    alternatives: tuple[str, ...] = ()
    stretched: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """A named meaning with its confidence in 0..1."""

    name: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Understanding:
    """What an utterance means: intents best first, slots by name, and the words themselves.

    `slots` may hold personal data (a ZIP): it goes to the dialogue and into no log. `unsure`: the
    words were not heard well enough to be acted on; there are no slots then, and only intents that
    count however unclear. `out_of_scope`: it is none of what understanding knows.
    """

    text: str
    intents: tuple[Intent, ...] = ()
    slots: dict[str, str] = field(default_factory=dict)
    unsure: bool = False
    out_of_scope: bool = False

    @property
    def top(self) -> Intent | None:
        """The best intent, if any."""
        return self.intents[0] if self.intents else None


Language = Literal["en", "es"]
"""A language that the box can be taught to hear, understand and speak."""

Stage = Literal["stt", "nlu", "dialogue", "tts", "tool"]
"""Where an engine can fail; the dialogue takes the state's fallback."""
