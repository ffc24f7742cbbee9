from __future__ import annotations

import numpy as np
import pytest

from appliance.audio.level import to_pcm
from appliance.stt.recognizer import Hint

pytest.importorskip("pocketsphinx")

from appliance.testing.hearing.yardstick import Sphinx

WORDS = {"zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}


def test_writes_as_many_digits_as_are_asked_for() -> None:
    rng = np.random.default_rng(1)
    pcm = to_pcm((0.05 * rng.standard_normal(16000)).astype(np.float32))
    sphinx = Sphinx()
    for digits in (1, 3, 1):
        words = sphinx.recognize(pcm, Hint(digits=digits)).text.split()
        assert len(words) in {0, digits}
        assert set(words) <= WORDS
    assert sphinx.recognize(pcm).confidence == 1.0
