"""What a caller heard, in words: by the recognizer of the box itself, with no hint."""

from __future__ import annotations

from collections.abc import Callable

from appliance.config import HearingConfig
from appliance.stt.loading import open_recognizer
from appliance.stt.recognizer import Recognizer
from appliance.testing.storm.callers import Told
from appliance.types import LINE_RATE_HZ

_LONGEST_S = 20


def open_ear(hearing: HearingConfig) -> Callable[[Told], str]:
    """A function for `Scene.recognize`; the model is loaded when it is first needed.

    Raises:
        ConfigError: (when called) the model cannot be loaded.
        EngineError: (when called) it fails on the sound.
    """
    recognizers: list[Recognizer] = []

    def recognize(told: Told) -> str:
        if not recognizers:
            recognizers.append(open_recognizer(hearing, "en"))
        sound = told.after[: _LONGEST_S * LINE_RATE_HZ]
        return recognizers[0].recognize(sound.astype("<i2").tobytes()).text

    return recognize
