"""The protocol of understanding: words and what was asked in, ranked intents and slots out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Listen
from appliance.types import Language, Understanding

LONGEST = 1000
"""Characters of an utterance that are read: nobody says more in a turn. The time of rules grows
with the square of it, and whoever writes must not hold up calls."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the dialogue listens for: the slot and the language of `Turn.listen`.

    `said_digits` are those that the turns before have said of the number that is asked for.
    """

    slot: Slot | None = None
    language: Language = "en"
    said_digits: str = ""

    @classmethod
    def of(cls, listen: Listen) -> Context:
        """The context of a reply to what the dialogue listens for."""
        return cls(listen.slot, listen.language, listen.said_digits)


class Understander(Protocol):
    """Anything that reads meaning from words. Deterministic and without side effects.

    Slots it may fill: `digits` (figures, only where a ZIP was asked for), `amount` (a share as
    in `dialogue.speech.SHARES`, or a decimal in dollars) and `date` (a phrase of
    `appliance.dialogue.calendar`). Where one of them was asked for: `time` ("10:30", "morning",
    "afternoon", "evening" or "any"), `name`, `address` (written with figures), `phone` and
    `email` (as `appliance.dialogue.contacts` writes them; of a part of a number its `digits`) and
    `text` (the caller's own words).
    """

    @property
    def intents(self) -> frozenset[str]:
        """The intents that it may report."""
        ...

    def understand(self, text: str, context: Context) -> Understanding:
        """Read an utterance.

        Raises:
            EngineError: the model behind it failed on this input.
        """
        ...
