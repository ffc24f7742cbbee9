from __future__ import annotations

import numpy as np
import pytest

from appliance.audio import channel
from appliance.audio.codecs import CODECS, Codec
from appliance.audio.level import Samples


def tone(hertz: float, seconds: float = 1.0, peak: float = 0.3) -> Samples:
    return (peak * np.sin(2 * np.pi * hertz * np.arange(int(seconds * 8000)) / 8000)).astype(
        np.float32
    )


def rms_db(wave: Samples) -> float:
    return float(10 * np.log10(np.mean(wave.astype(np.float64) ** 2) + 1e-12))


@pytest.mark.parametrize("codec", CODECS)
def test_the_same_seed_is_the_same_call(codec: Codec) -> None:
    calls = [
        channel.telephone(tone(700), np.random.default_rng(3), 10.0, codec, loss=0.05)
        for _ in range(2)
    ]
    assert np.array_equal(*calls)
    assert len(calls[0]) == 8000 + 5600
    other = channel.telephone(tone(700), np.random.default_rng(4), 10.0, codec, loss=0.05)
    assert not np.array_equal(calls[0], other)


@pytest.mark.parametrize("snr_db", [20.0, 10.0, 5.0])
def test_noise_lies_where_it_was_asked_to(snr_db: float) -> None:
    heard = channel.telephone(tone(700, 2.0), np.random.default_rng(1), snr_db, "linear")
    assert rms_db(heard[200:2200]) == pytest.approx(channel.LEVEL_DBFS - snr_db, abs=1.0)
    noisy = 10 * np.log10(1 + 10 ** (-snr_db / 10))
    assert rms_db(heard[2400:18400]) == pytest.approx(channel.LEVEL_DBFS + noisy, abs=0.5)


def test_given_noise_is_used() -> None:
    heard = channel.telephone(
        np.zeros(8000, np.float32), np.random.default_rng(1), 6.0, "linear", noise=tone(1000, 0.5)
    )
    spectrum = np.abs(np.fft.rfft(heard))
    assert spectrum.argmax() * 8000 / len(heard) == pytest.approx(1000, abs=2)


def test_band() -> None:
    def through(hertz: float) -> float:
        return rms_db(channel.band_limit(tone(hertz), *channel.BAND_HZ)) - rms_db(tone(hertz))

    assert through(1000) == pytest.approx(0, abs=0.3)
    assert through(280) == pytest.approx(-6, abs=0.5)
    assert through(100) < -30
    assert through(3900) < -10


def test_level_is_that_of_the_speech_not_of_the_silence() -> None:
    padded = channel.surround(tone(440), 1.0, 1.0)
    assert channel.active_level(channel.set_level(padded, -25.0)) == pytest.approx(-25.0, abs=0.2)
    assert not channel.set_level(np.zeros(800, np.float32), -20.0).any()


def test_clean_has_the_timing_of_a_call() -> None:
    said = tone(440)
    assert len(channel.clean(said)) == len(channel.telephone(said, np.random.default_rng(0)))
    assert channel.active_level(channel.clean(said)) == pytest.approx(channel.LEVEL_DBFS, abs=0.2)


def test_loss_repeats_and_fades() -> None:
    rng, wave = np.random.default_rng(5), np.ones(400 * channel.PACKET, np.float32)
    heard = channel.lose_packets(rng, wave, 0.1)
    packets = heard.reshape(-1, channel.PACKET)[:, 0]
    assert 0.05 < (packets < 1).mean() < 0.16
    assert set(np.round(packets, 5)) <= {np.float32(round(0.7**n, 5)) for n in range(12)}
    assert channel.lose_packets(rng, wave, 0.0) is wave


def test_clip_and_add() -> None:
    assert np.abs(channel.clip(tone(300, peak=0.5), 0.4)).max() == pytest.approx(0.2, abs=1e-3)
    mixed = channel.add(np.zeros(8000, np.float32), tone(300, 3.0), -30.0, at=6000)
    assert not mixed[:6000].any()
    assert channel.active_level(mixed[6000:]) == pytest.approx(-30, abs=0.5)


def test_a_room_adds_a_tail() -> None:
    click, room = np.zeros(4000, np.float32), np.zeros(1000, np.float32)
    click[100], room[500] = 1.0, 1.0
    wet = channel.reverberate(click, room, 0.5)
    assert wet[100] == pytest.approx(0.5, abs=1e-3)
    assert wet[600] == pytest.approx(0.5, abs=1e-3)


def test_nothing_said_is_no_error() -> None:
    heard = channel.telephone(np.zeros(0, np.float32), np.random.default_rng(0))
    assert len(heard) == 5600
    assert np.isfinite(heard).all()
