"""The sounds of a caller that tests make by formula."""

import numpy as np
import pytest

from appliance.testing.turntaking import sounds
from appliance.types import LINE_RATE_HZ


def _level_above(wave: sounds.Samples, hertz: float) -> float:
    """Share of the power above a frequency, in dB."""
    power = np.abs(np.fft.rfft(wave)) ** 2
    at = np.fft.rfftfreq(len(wave), 1 / LINE_RATE_HZ)
    return float(10 * np.log10(power[at > hertz].sum() / power.sum()))


def _periodic(wave: sounds.Samples) -> float:
    """The highest correlation with itself one period on, 75 to 320 Hz."""
    wave = wave - wave.mean()
    lags = range(25, 107)
    return max(float(np.corrcoef(wave[lag:], wave[:-lag])[0, 1]) for lag in lags)


@pytest.mark.parametrize("form", sorted(set(sounds.FORMS)))
def test_an_acknowledgement_is_short_and_voiced(form: str) -> None:
    for seed in range(10):
        wave = sounds.acknowledgement(np.random.default_rng(seed), form)
        assert 0.1 * LINE_RATE_HZ < len(wave) < 0.8 * LINE_RATE_HZ
        assert np.abs(wave).max() == pytest.approx(0.5, abs=0.01)
        assert _periodic(wave[-960:-480]) > 0.7


def test_a_hum_has_little_above_its_murmur_and_an_open_uh_has_more() -> None:
    for seed in range(10):
        hum = sounds.acknowledgement(np.random.default_rng(seed), "m")
        uh = sounds.acknowledgement(np.random.default_rng(seed), "uhu")
        assert _level_above(hum, 800) < -18
        assert _level_above(uh, 800) > _level_above(hum, 800)


def test_mhm_has_a_breath_in_its_midst() -> None:
    wave = sounds.acknowledgement(np.random.default_rng(4), "mhm")
    levels = [float(np.abs(each).mean()) for each in np.array_split(wave, 20)]
    assert min(levels[4:15]) < 0.35 * max(levels)


@pytest.mark.parametrize("kind", sorted(sounds.NOISES))
def test_a_noise_is_short_and_the_same_for_a_seed(kind: str) -> None:
    one, same = (sounds.NOISES[kind](np.random.default_rng(5)) for _ in range(2))
    other = sounds.NOISES[kind](np.random.default_rng(6))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert 0 < len(one) < 2 * LINE_RATE_HZ


def test_a_key_has_two_tones() -> None:
    wave = sounds.key_tone(np.random.default_rng(1))
    power = np.abs(np.fft.rfft(wave * np.hanning(len(wave)), 8000)) ** 2
    loudest = np.flatnonzero(power > 0.2 * power.max())
    assert len({round(hertz / 60) for hertz in loudest}) in (2, 3)
    assert loudest.min() < 1000 < loudest.max()


def test_syllables_last_as_long_as_asked() -> None:
    assert len(sounds.syllables(np.random.default_rng(1), 0.7)) == int(0.7 * LINE_RATE_HZ)
