"""Pauses have the length that was asked for, whatever quiet the voice put there itself."""

import numpy as np
import pytest

from appliance.audio.level import Samples
from appliance.tts.pauses import pause, spare_quiet

RATE_HZ = 16000


def spoken(quiet_ms: int, loud_ms: int, blip: bool = False) -> Samples:
    rng = np.random.default_rng(1)
    quiet = rng.standard_normal(quiet_ms * RATE_HZ // 1000) * 0.001
    if blip:
        quiet[-160:] *= 30
    return np.concatenate([rng.standard_normal(loud_ms * RATE_HZ // 1000) * 0.2, quiet]).astype(
        np.float32
    )


@pytest.mark.parametrize("blip", [False, True])
@pytest.mark.parametrize(("quiet_ms", "spare_ms"), [(0, 0), (20, 0), (100, 75), (400, 375)])
def test_all_quiet_but_a_breath_can_go(quiet_ms: int, spare_ms: int, blip: bool) -> None:
    samples = spoken(quiet_ms, 300, blip and quiet_ms >= 100)
    found = spare_quiet(samples, RATE_HZ, at_end=True) * 1000 / RATE_HZ
    assert found == pytest.approx(spare_ms, abs=6)
    if not blip:
        start = spare_quiet(samples[::-1], RATE_HZ, at_end=False) * 1000 / RATE_HZ
        assert start == pytest.approx(spare_ms, abs=6)


def test_nothing_and_silence_have_nothing_to_give() -> None:
    for samples in (np.zeros(0, np.float32), np.zeros(10, np.float32), np.zeros(1600, np.float32)):
        assert spare_quiet(samples, RATE_HZ, at_end=True) == 0


def test_a_pause_is_as_loud_as_the_quiet_around_it() -> None:
    like = spoken(200, 0)
    filled = pause(3200, like)
    assert len(filled) == 3200
    assert np.std(filled) == pytest.approx(np.std(like), rel=0.1)
    assert np.array_equal(filled, pause(3200, like))
    assert not pause(100, np.zeros(0, np.float32)).any()
