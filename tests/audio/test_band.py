import numpy as np
import pytest

from appliance.audio.band import telephone_band


def gain_db(hz: float) -> float:
    """Of a tone in the middle of a second, away from its ends."""
    tone = np.sin(2 * np.pi * hz * np.arange(8000) / 8000 + 0.3).astype(np.float32)
    inner = slice(1000, 7000)
    power = np.mean(telephone_band(tone)[inner] ** 2.0) / np.mean(tone[inner] ** 2.0)
    return float(10 * np.log10(power + 1e-20))


@pytest.mark.parametrize("hz", [300, 350, 1000, 2500, 3390])
def test_the_band_passes_as_it_is(hz: float) -> None:
    assert gain_db(hz) == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("hz", [210, 3490])
def test_the_edges_lie_6_db_down(hz: float) -> None:
    assert gain_db(hz) == pytest.approx(-6.0, abs=0.3)


@pytest.mark.parametrize("hz", [20, 50, 60, 120, 3600, 3900])
def test_hum_and_what_would_come_back_as_another_tone_are_gone(hz: float) -> None:
    assert gain_db(hz) < -60


def test_nothing_moves_in_time() -> None:
    pulse = np.zeros(401, np.float32)
    pulse[200] = 1.0
    banded = telephone_band(pulse)
    assert len(banded) == 401
    assert int(np.abs(banded).argmax()) == 200
    assert np.allclose(banded, banded[::-1], atol=1e-6)


@pytest.mark.parametrize("length", [0, 1, 50])
def test_any_length(length: int) -> None:
    assert len(telephone_band(np.ones(length, np.float32))) == length
