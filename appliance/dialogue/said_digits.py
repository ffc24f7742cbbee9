"""What a caller has said of a number that is asked for, kept over turns: "nine oh two" … "one oh".

The host of a call keeps it, in memory, for as long as the same number is asked for. It is no part
of the dialogue's state, for digits must not come into records.
"""

from __future__ import annotations

import dataclasses

from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Listen
from appliance.types import Understanding

_NUMBERS: frozenset[str] = frozenset({"zip", "phone"})


class SaidDigits:
    """One call's memory of digits."""

    def __init__(self) -> None:
        self._slot: Slot | None = None
        self._digits = ""

    def listen(self, listen: Listen) -> Listen:
        """How to hear the next reply, with what was said of the number so far."""
        if listen.slot != self._slot:
            self._slot, self._digits = listen.slot, ""
        return dataclasses.replace(listen, said_digits=self._digits)

    def typed(self) -> None:
        """The caller has typed the number: what he said of it before counts no more."""
        self._digits = ""

    def heard(self, understanding: Understanding) -> None:
        """Keep the digits of a turn that is over; one without digits changes nothing."""
        if self._slot in _NUMBERS:
            self._digits = understanding.slots.get("digits", self._digits)
