"""What the box says to confirm something is known by its words, and what denies it is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import yaml

from appliance.config import Config
from appliance.flows.registry import flow_folder
from appliance.session.prompts import open_voices
from appliance.testing.storm.callers import Told
from appliance.testing.storm.ear import open_ear
from appliance.testing.storm.errands import CONFIRMING, ERRANDS

pytestmark = pytest.mark.slow

DENIALS = {
    "collections": ("not_noted", "callback_not_set", "nobody_free_at_all"),
    "booking": ("not_noted", "not_booked", "stop_not_noted"),
    "campaign": ("nobody_free_at_all", "callback_not_stored", "not_stored"),
}
VALUES = {
    "promise_amount": "one hundred dollars", "booked_time": "eight a.m.", "offer": "a free check",
    "company": "Northside Plumbing", "office_phone": "three one oh, five five five",
}  # fmt: skip


@pytest.fixture(scope="module")
def hears() -> Callable[[str, str], str]:
    """What a caller hears of a prompt of a flow, in words."""
    config = Config()
    voice, ear = open_voices(config.speaking, "en").of(None), open_ear(config.hearing)

    def say(flow: str, prompt: str) -> str:
        pcm = voice.render(text_of(flow, prompt)).whole
        told = Told(ERRANDS[flow][0], "", after=np.frombuffer(pcm, "<i2").astype(np.int16))
        return ear(told)

    return say


def text_of(flow: str, prompt: str) -> str:
    found: Any = yaml.safe_load((flow_folder(flow) / "prompts.en.yaml").read_text())["prompts"]
    found = found[prompt]
    while not isinstance(found, str):
        found = found["text"] if isinstance(found, dict) else found[0]
    return re.sub(r"\{(\w+)\}", lambda name: VALUES.get(name[1], "November third"), found)


@pytest.mark.parametrize("flow", ERRANDS)
def test_confirmations_are_known_by_their_words_and_denials_are_not(
    hears: Callable[[str, str], str], flow: str
) -> None:
    for errand in ERRANDS[flow]:
        confirming = [name for (of, name), tool in CONFIRMING.items()
                      if (of, tool) == (flow, errand.tool)]  # fmt: skip
        known = [name for name in confirming if any(w in hears(flow, name) for w in errand.words)]
        assert known, (errand, [hears(flow, name) for name in confirming])
        for name in DENIALS[flow]:
            words = hears(flow, name)
            assert not any(each in words for each in errand.words), (errand, name, words)
