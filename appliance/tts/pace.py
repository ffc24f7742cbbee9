"""How fast a voice is on this machine, measured as it works: what decides how much it says at once.

A fast voice renders a whole sentence before its head has been played; a slow one must go clause by
clause, which costs some of the melody, so it is done only where waiting would be heard.
"""

from __future__ import annotations

import threading

from appliance.types import BYTES_A_SECOND

_NEW_SHARE = 0.2  # of the last measurement in the mean: ten of them follow a change of load


class Pace:
    """A moving mean of what rendering costs; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._work_s_a_letter: float | None = None
        self._sound_s_a_letter = 0.0

    def note(self, letters: int, work_s: float, pcm: bytes) -> None:
        """A text of so many letters took `work_s` seconds and gave this audio."""
        if not letters or not pcm:
            return
        work, sound = work_s / letters, len(pcm) / BYTES_A_SECOND / letters
        with self._lock:
            if self._work_s_a_letter is None:
                self._work_s_a_letter, self._sound_s_a_letter = work, sound
            self._work_s_a_letter += _NEW_SHARE * (work - self._work_s_a_letter)
            self._sound_s_a_letter += _NEW_SHARE * (sound - self._sound_s_a_letter)

    @property
    def real_time_factor(self) -> float:
        """Seconds of work for a second of sound; 0 before anything was measured."""
        with self._lock:
            return (self._work_s_a_letter or 0.0) / (self._sound_s_a_letter or 1.0)

    def expected_s(self, letters: int) -> float:
        """How long a text of so many letters will take; 0 before anything was measured."""
        with self._lock:
            return letters * (self._work_s_a_letter or 0.0)
