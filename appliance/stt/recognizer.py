"""What the appliance asks of a recognizer: one utterance in, its words out.

Engines live in their adapter modules beside this one; nothing else knows their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from appliance.types import Transcript


@dataclass(frozen=True, slots=True)
class Hint:
    """What the dialogue knows of the words to come; a recognizer may make use of it.

    Attributes:
        slot: what was asked for ("zip", "yes_no", …).
        words: hot words that are likelier than elsewhere, e.g. the account holder's names.
        digits: how many digits are asked for, where the dialogue knows.
    """

    slot: str | None = None
    words: tuple[str, ...] = ()
    digits: int | None = None


NO_HINT = Hint()


class Recognizer(Protocol):
    """Turns one utterance into words. Thread-safe; called from worker threads only."""

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        """Recognize one utterance.

        Args:
            pcm: s16le mono at LINE_RATE_HZ, 0 to 30 seconds.
            hint: what is likely to be said. It never forbids other words.
            partial: the caller is still speaking: be quick, with no second search.

        Returns:
            The words, lower-case; empty text where nothing was said.

        Raises:
            EngineError: the engine failed on this input; the next input may be fine.
        """
        ...
