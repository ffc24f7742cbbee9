"""Reads words off the encoder's output with the phone head, minding what was asked.

encoder output -> PhoneHead -> general WordSearch ------------------> words
                            └> five digits (a ZIP was asked for) ──┘ if the sound allows it
"""

from __future__ import annotations

from pathlib import Path

from appliance.stt.grammars import DIGITS, zip_language
from appliance.stt.phones import Floats, Found, WordSearch, load_head, load_language
from appliance.stt.recognizer import Hint

# Measured on held-out voices with models/stt/recipe/evaluate.py.
_LANGUAGE_WEIGHT = 1.0
_WORD_BONUS = 2.0
_LEAST_DIGITS = 3  # heard by the general search: else the caller said something else
_MOST_LOST = 6.0  # log-probability of the sound that five digits may cost


class PhoneReader:
    """The searches over one model's phone head. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Load `ctc.npz` and `language.npz` of a model folder.

        Raises:
            ConfigError: one of them is broken.
        """
        self._head = load_head(folder / "ctc.npz")
        language = load_language(folder / "language.npz")
        self._general = WordSearch(language, self._head, _LANGUAGE_WEIGHT, _WORD_BONUS)
        self._zip = WordSearch(zip_language(language), self._head, 1.0, 0.0)

    def read(self, hidden: Floats, hint: Hint) -> Found:
        """The words in an encoder's output [T, width]; `hint` is what the dialogue knows."""
        log_probs = self._head.log_probs(hidden)
        found = self._general.find(log_probs)
        if hint.slot == "zip" and sum(word in DIGITS for word in found.words) >= _LEAST_DIGITS:
            five = self._zip.find(log_probs)
            if five.sound > found.sound - _MOST_LOST:
                return five
        return found


def has_phone_head(folder: Path) -> bool:
    """Whether a model folder can be read this way."""
    return (folder / "ctc.npz").is_file() and (folder / "language.npz").is_file()
