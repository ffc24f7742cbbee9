"""What the appliance asks of a voice: one sentence in, telephone audio out."""

from __future__ import annotations

from typing import Protocol


class Voice(Protocol):
    """Speaks approved text. Thread-safe; called from worker threads only."""

    @property
    def identity(self) -> str:
        """A hash of all that shapes the sound (weights, settings): keys the prompt cache."""
        ...

    def synthesize(self, text: str) -> bytes:
        """Speak one sentence: s16le mono at LINE_RATE_HZ, at telephone level, never clipped.

        Raises:
            EngineError: the engine failed on this text.
        """
        ...
