"""Pauses have the length that was asked for, and stand between the words."""

from pathlib import Path

import numpy as np
import pytest

from appliance.testing.g711 import Samples
from appliance.testing.hesitation import (
    PAUSES_MS,
    draw_pause_ms,
    speak_with_pauses,
    spell_in_groups,
)
from appliance.testing.speech import CallerVoice

PARTS = ("my address is", "seventy five highland avenue")


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> CallerVoice:
    return CallerVoice(tmp_path_factory.mktemp("voice"))


def longest_silence_ms(samples: Samples) -> float:
    edges = np.flatnonzero(np.diff(np.r_[0, samples == 0, 0].astype(np.int8)))
    return float((edges[1::2] - edges[::2]).max() / 8)


@pytest.mark.parametrize("pause_ms", [300, 900])
def test_pause_is_as_long_as_wanted(voice: CallerVoice, pause_ms: int) -> None:
    speech = speak_with_pauses(voice, PARTS, [pause_ms])
    assert longest_silence_ms(speech.samples) == pytest.approx(pause_ms, abs=15)
    assert speech.text == "my address is seventy five highland avenue"


def test_only_the_pause_differs(voice: CallerVoice) -> None:
    short, long = (speak_with_pauses(voice, PARTS, [each]).samples for each in (300, 900))
    assert len(long) - len(short) == 600 * 8


def test_words_without_a_silence_are_joined(tmp_path: Path, voice: CallerVoice) -> None:
    whole = voice.speak("ah, ah").samples
    speech = speak_with_pauses(voice, ["ah"] * 2, [1000])
    assert longest_silence_ms(speech.samples) >= 1000
    assert len(speech.samples) > len(whole)


def test_groups_of_digits(voice: CallerVoice) -> None:
    chance = np.random.default_rng(3)
    speech = spell_in_groups(voice, "90210", [3, 2], chance)
    assert speech.text == "nine zero two one zero"
    assert longest_silence_ms(speech.samples) >= PAUSES_MS[0][1]


def test_pauses_are_spread_as_those_of_people() -> None:
    chance = np.random.default_rng(1)
    drawn = [draw_pause_ms(chance) for _ in range(4000)]
    for share, length_ms in PAUSES_MS[1:-1]:
        assert np.quantile(drawn, share) == pytest.approx(length_ms, rel=0.1)
    assert min(drawn) >= PAUSES_MS[0][1]
    assert max(drawn) <= PAUSES_MS[-1][1]
