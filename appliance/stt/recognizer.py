"""What the appliance asks of a recognizer: one utterance in, its words out.

Engines live in their adapter modules beside this one; nothing else knows their names.
"""

from __future__ import annotations

from typing import Protocol

from appliance.types import Transcript


class Recognizer(Protocol):
    """Turns one utterance into words. Thread-safe; called from worker threads only."""

    def recognize(self, pcm: bytes, slot: str | None = None) -> Transcript:
        """Recognize one utterance.

        Args:
            pcm: s16le mono at LINE_RATE_HZ, 0 to 30 seconds.
            slot: what the dialogue waits for ("zip", "yes_no", …), as a hint.

        Returns:
            The words, lower-case; empty text where nothing was said.

        Raises:
            EngineError: the engine failed on this input; the next input may be fine.
        """
        ...
