"""What the appliance asks of a voice: one sentence in, telephone audio out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Phone:
    """A sound, a pause or a border of words; `samples` at LINE_RATE_HZ, 0 for a mere border."""

    symbol: str
    samples: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """A rendered text: s16le mono at LINE_RATE_HZ, and the phones that it consists of, in order.

    `phones` covers the audio from its start; it is empty where the voice gives no timings.
    """

    pcm: bytes
    phones: tuple[Phone, ...] = ()


class Voice(Protocol):
    """Speaks approved text. Thread-safe; called from worker threads only."""

    @property
    def identity(self) -> str:
        """A hash of all that shapes the sound (weights, settings): keys the prompt cache."""
        ...

    def synthesize(self, speech: str) -> bytes:
        """Speak one sentence: s16le mono at LINE_RATE_HZ, at telephone level, never clipped.

        Args:
            speech: the sentence with its marks (`dialogue.markup`); plain text must be escaped.

        Raises:
            EngineError: the engine failed on this text, or its marks are faulty.
        """
        ...

    def timed(self, text: str) -> Spoken:
        """The same audio as `synthesize`, with the phones where the voice knows their timing.

        Raises:
            EngineError: the engine failed on this text.
        """
        ...
