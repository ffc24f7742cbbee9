import numpy as np
import pytest

from appliance.audio.level import to_pcm
from appliance.audio.limiter import CEILING, limit


def speech_like(peak: float) -> np.ndarray:
    """Bursts of a vowel whose loudest is `peak`."""
    time = np.arange(8000) / 8000
    sound = sum(np.sin(2 * np.pi * 130 * n * time) / n for n in range(1, 20))
    sound *= 0.1 + np.sin(2 * np.pi * 1.5 * time) ** 2
    return (sound * peak / np.abs(sound).max()).astype(np.float32)


def test_what_is_below_the_ceiling_stays_as_it_is() -> None:
    quiet = speech_like(0.88)
    assert limit(quiet) is quiet


@pytest.mark.parametrize("peak", [0.9, 1.5, 8.0])
def test_peaks_are_held_and_never_cut(peak: float) -> None:
    loud = speech_like(peak)
    held = limit(loud)
    assert np.abs(held).max() <= CEILING
    assert len(held) == len(loud)
    at_ceiling = np.abs(held) > 0.999 * CEILING
    assert not (at_ceiling[1:] & at_ceiling[:-1]).any()  # no flat top
    full_scale = np.abs(np.frombuffer(to_pcm(held), "<i2")).max()
    assert full_scale < 32767


def test_far_from_a_peak_nothing_changes() -> None:
    sound = np.full(1000, 0.1, np.float32)
    sound[500] = 2.0
    held = limit(sound)
    assert held[500] == pytest.approx(CEILING)
    assert np.allclose(held[:410], 0.1)
    assert np.allclose(held[591:], 0.1)
    assert np.abs(np.diff(held[:500])).max() < 0.01  # the gain sinks before, without a step


def test_the_very_ends_are_held_too() -> None:
    assert np.abs(limit(np.full(50, -3.0, np.float32))).max() <= CEILING
    assert len(limit(np.zeros(0, np.float32))) == 0
