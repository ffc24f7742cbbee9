from __future__ import annotations

import numpy as np
import pytest

from appliance.audio.codecs import CODECS, Codec, round_trip
from appliance.audio.level import Samples
from appliance.testing import g711


def voiced(seconds: float = 1.0) -> Samples:
    """A vowel-like sound: harmonics of 130 Hz under a slow swell."""
    places = np.arange(int(seconds * 8000)) / 8000
    sound = sum(np.sin(2 * np.pi * 130 * n * places) / n for n in range(1, 20))
    swell = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * places)
    return (0.1 * sound * swell).astype(np.float32)


def likeness(wave: Samples, heard: Samples) -> float:
    """Correlation at the best delay (coders hold samples back), whatever the polarity."""
    middle = slice(1000, 7000)
    found = [np.corrcoef(wave[middle], np.roll(heard, -n)[middle])[0, 1] for n in range(-5, 60)]
    return float(np.abs(found).max())


@pytest.mark.parametrize("codec", CODECS)
def test_keeps_length_and_type(codec: Codec) -> None:
    for length in (7, 160, 8001):
        heard = round_trip(voiced()[:length] if length < 8000 else voiced(1.1)[:length], codec)
        assert heard.dtype == np.float32
        assert heard.shape == (length,)
        assert np.abs(heard).max() <= 1.0


@pytest.mark.parametrize(
    ("codec", "least", "most"),
    [
        ("linear", 0.999999, 1.0),
        ("pcmu", 0.999, 0.99999),
        ("pcma", 0.999, 0.99999),
        ("g722", 0.97, 0.9999),
        ("gsm", 0.9, 0.999),
        ("amr", 0.7, 0.99),
    ],
)
def test_distorts_as_the_codec_does(codec: Codec, least: float, most: float) -> None:
    wave = voiced()
    assert least <= likeness(wave, round_trip(wave, codec)) <= most + 1e-9


@pytest.mark.parametrize(("codec", "name"), [("pcmu", "PCMU"), ("pcma", "PCMA")])
def test_g711_is_that_of_the_wire(codec: Codec, name: g711.Codec) -> None:
    every = np.arange(-32768, 32768, 7).astype(np.int16)
    wire = g711.decode(g711.encode(every, name), name).astype(np.int32)
    here = np.rint(round_trip(every / np.float32(32768), codec) * 32768).astype(np.int32)
    # Nearest code here, truncation at decision values there: at most one step apart, hardly ever.
    assert (wire == here).mean() > 0.95
    step = np.maximum(np.abs(wire) // 16, 16)
    assert (np.abs(wire - here) <= step).all()


def test_what_is_too_loud_is_clipped() -> None:
    assert round_trip(np.full(400, 3.0, np.float32), "linear").max() < 1.0


def test_unknown_codec() -> None:
    with pytest.raises(ValueError, match="no codec 'mp3'; there are linear, pcmu"):
        round_trip(voiced(), "mp3")  # type: ignore[arg-type]
