"""Long utterances are cut where nobody speaks."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.stt.windows import cut_where_quiet

RATE_HZ = 8000


def speech(seconds: float) -> np.ndarray:
    """Noise in place of a voice."""
    return np.random.default_rng(1).normal(0, 0.1, int(seconds * RATE_HZ)).astype(np.float32)


def test_a_short_one_stays_whole() -> None:
    samples = speech(10.0)
    assert [len(part) for part in cut_where_quiet(samples, RATE_HZ, 10.0)] == [len(samples)]


@pytest.mark.parametrize("pause_s", [6.5, 7.3, 9.2])
def test_a_long_one_is_cut_in_its_pause(pause_s: float) -> None:
    samples = speech(14.0)
    samples[int(pause_s * RATE_HZ) : int((pause_s + 0.2) * RATE_HZ)] *= 0.01
    parts = cut_where_quiet(samples, RATE_HZ, 10.0)
    assert len(parts) == 2
    assert pause_s <= len(parts[0]) / RATE_HZ <= pause_s + 0.2


@pytest.mark.parametrize("seconds", [10.01, 15.0, 28.0])
def test_no_part_is_too_long_and_nothing_is_lost(seconds: float) -> None:
    samples = speech(seconds)
    parts = cut_where_quiet(samples, RATE_HZ, 10.0)
    assert np.array_equal(np.concatenate(parts), samples)
    assert max(map(len, parts)) <= 10 * RATE_HZ
    assert min(map(len, parts)) >= 0.4 * RATE_HZ
