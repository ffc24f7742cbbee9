"""Collects typed digits into one entry."""

from __future__ import annotations

from appliance.dialogue.turn import Listen
from appliance.types import FRAME_MS

_GAP_MS = 2500  # a pause this long ends an entry that is not full


class Keypad:
    """One call's keys. `#` ends an entry; so does its last digit, or a pause."""

    def __init__(self) -> None:
        self._typed = ""
        self._quiet_ms = 0

    @property
    def typing(self) -> bool:
        """Whether an entry is under way."""
        return bool(self._typed)

    def press(self, digit: str, listen: Listen) -> str | None:
        """Take a key; returns the entry if this completes it."""
        self._quiet_ms = 0
        if digit == "#":
            return self._take()
        self._typed += digit
        return self._take() if len(self._typed) >= max(1, listen.max_digits) else None

    def tick(self) -> str | None:
        """20 ms have passed; returns the entry if the pause completes it."""
        if not self._typed:
            return None
        self._quiet_ms += FRAME_MS
        return self._take() if self._quiet_ms >= _GAP_MS else None

    def clear(self) -> None:
        """Another question is being asked: what was typed does not answer it."""
        self._typed = ""

    def _take(self) -> str | None:
        typed, self._typed = self._typed, ""
        return typed or None
