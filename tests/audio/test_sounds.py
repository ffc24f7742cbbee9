from __future__ import annotations

import numpy as np
import pytest

from appliance.audio import sounds
from appliance.audio.level import Samples


def power_at(wave: Samples, *hertz: float) -> float:
    """Share of the power within 15 Hz of the frequencies given."""
    power = np.abs(np.fft.rfft(wave)) ** 2
    places = np.fft.rfftfreq(len(wave), 1 / 8000)
    near = np.any([np.abs(places - h) < 15 for h in hertz], axis=0)
    return float(power[near].sum() / power.sum())


@pytest.mark.parametrize(
    ("kind", "hertz"),
    [
        ("ringback", (440, 480)),
        ("ringback_eu", (425,)),
        ("busy", (480, 620)),
        ("congestion", (480, 620)),
        ("dial", (350, 440)),
        ("fax", (1100,)),
        ("sit", (950, 1400, 1800)),
        ("dtmf", (697, 770, 852, 941, 1209, 1336, 1477, 1633)),
    ],
)
def test_tones_have_their_frequencies(kind: sounds.Tone, hertz: tuple[float, ...]) -> None:
    for seed in range(5):
        wave = sounds.tone(np.random.default_rng(seed), kind, 40_000)
        assert wave.shape == (40_000,)
        assert power_at(wave, *hertz) > 0.85


def test_every_tone_is_listed_once() -> None:
    assert len(set(sounds.TONES)) == len(sounds.TONES) == 8


@pytest.mark.parametrize("make", [sounds.music, sounds.noise, sounds.hum])
def test_sounds_are_loud_steady_draws(make: object) -> None:
    first, again, other = (make(np.random.default_rng(n), 16_000) for n in (1, 1, 2))  # type: ignore[operator]
    assert first.dtype == np.float32
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.sqrt((first**2).mean()) == pytest.approx(0.1, rel=0.01)


def test_slope_tilts_the_noise() -> None:
    def low_share(slope: float) -> float:
        wave = sounds.noise(np.random.default_rng(1), 32_768, slope)
        power = np.abs(np.fft.rfft(wave)) ** 2
        return float(power[: len(power) // 4].sum() / power.sum())

    white, pink, brown = (low_share(slope) for slope in (0.0, 0.5, 1.0))
    assert white == pytest.approx(0.25, abs=0.03)
    assert white < pink < brown


def test_babble_is_everybody_at_once() -> None:
    talk = [np.sin(2 * np.pi * h * np.arange(6000) / 8000).astype(np.float32) for h in (300, 900)]
    wave = sounds.babble(np.random.default_rng(2), talk, 24_000, talkers=6)
    assert power_at(wave, 300) > 0.2
    assert power_at(wave, 900) > 0.2
    assert np.isfinite(wave).all()


@pytest.mark.parametrize("length", [1, 160])
def test_short_draws(length: int) -> None:
    rng = np.random.default_rng(3)
    for kind in sounds.TONES:
        assert sounds.tone(rng, kind, length).shape == (length,)
    assert sounds.music(rng, length).shape == (length,)
    assert sounds.noise(rng, length).shape == (length,)
