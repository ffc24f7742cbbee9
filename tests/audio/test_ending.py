"""The judge of ends: what it looks at, and that it is the network it says it is."""

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.ending import FEATURES, FILE, SPAN, STEPS, EndJudge, features
from appliance.errors import ConfigError
from appliance.types import LINE_RATE_HZ

TURNS = Path(__file__).parents[2] / "models" / "turns"
BANDS = slice(0, 20)
WHOLE, PITCH, PERIODIC = 20, 21, 22


def voice(hertz: float, seconds: float = 1.5, fall: float = 0.0) -> bytes:
    """Pulses through a resonance, which glide by `fall` octaves."""
    places = np.arange(int(seconds * LINE_RATE_HZ)) / LINE_RATE_HZ
    phase = np.cumsum(hertz * 2 ** (-fall * places / seconds)) / LINE_RATE_HZ
    pulses = (np.diff(np.floor(phase), prepend=0) > 0).astype(float)
    ring = np.exp(-np.arange(200) / 30) * np.cos(np.arange(200) * 2 * np.pi * 700 / LINE_RATE_HZ)
    wave = np.convolve(pulses, ring)[: len(pulses)]
    return (wave / np.abs(wave).max() * 12000).astype("<i2").tobytes()


def test_shape_and_range() -> None:
    for pcm in (b"", voice(120, 0.3), voice(120, 5.0), bytes(2 * SPAN)):
        seen = features(pcm)
        assert seen.shape == (FEATURES, STEPS)
        assert seen.dtype == np.float32
        assert np.isfinite(seen).all()
        assert seen[BANDS].max() <= 1.0
        assert seen[BANDS].min() >= -5.0


def test_loudness_does_not_matter() -> None:
    loud = np.frombuffer(voice(150), "<i2")
    soft = (loud // 8).astype("<i2").tobytes()
    assert np.abs(features(loud.tobytes())[WHOLE] - features(soft)[WHOLE]).mean() < 0.05


@pytest.mark.parametrize("hertz", [90.0, 140.0, 230.0])
def test_a_steady_voice_has_a_level_pitch(hertz: float) -> None:
    seen = features(voice(hertz))
    voiced = seen[PERIODIC] > 0
    assert voiced.mean() > 0.8
    assert np.abs(seen[PITCH][voiced]).mean() < 0.1


def test_a_falling_voice_falls() -> None:
    seen = features(voice(220, fall=0.8))
    voiced = np.flatnonzero(seen[PERIODIC] > 0)
    early, late = seen[PITCH][voiced[:15]].mean(), seen[PITCH][voiced[-15:]].mean()
    assert early - late > 0.6


def test_noise_has_no_pitch() -> None:
    noise = np.random.default_rng(1).normal(0, 3000, SPAN).astype("<i2").tobytes()
    assert (features(noise)[PERIODIC] > 0).mean() < 0.1


def test_only_the_last_second_and_a_half_counts() -> None:
    judge, end = EndJudge.load(TURNS), voice(130, 1.6)
    assert judge.continues(voice(300, 3.0) + end) == pytest.approx(judge.continues(end), abs=1e-6)


def test_the_network_as_it_is_written_down() -> None:
    """The same by loops, from the definition of a convolution."""
    with np.load(TURNS / FILE) as stored:
        weights = {name: stored[name].astype(np.float64) for name in stored.files}
    pcm = voice(160, fall=0.4)
    hidden = features(pcm).astype(np.float64)
    for layer in ("c1", "c2", "c3"):
        kernel, bias = weights[f"{layer}.weight"], weights[f"{layer}.bias"]
        width = kernel.shape[2]
        starts = range(0, hidden.shape[1] - width + 1, 2)
        made = [[np.sum(k * hidden[:, s : s + width]) for s in starts] for k in kernel]
        hidden = np.maximum(np.array(made) + bias[:, None], 0)
    flat = np.maximum(weights["d1.weight"] @ hidden.reshape(-1) + weights["d1.bias"], 0)
    logit = (weights["d2.weight"] @ flat + weights["d2.bias"]).item()
    assert EndJudge.load(TURNS).continues(pcm) == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-4)


def test_a_folder_without_a_judge(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hearing\.turns: .*end\.npz: cannot be read"):
        EndJudge.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut"])
def test_a_broken_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ConfigError, match="not a judge of turns"):
        EndJudge.load(tmp_path)


def test_weights_that_do_not_fit(tmp_path: Path) -> None:
    with np.load(TURNS / FILE) as stored:
        weights = dict(stored)
    np.savez(tmp_path / FILE, **{**weights, "d1.weight": weights["d1.weight"][:, :-1]})
    with pytest.raises(ConfigError, match="not a judge of turns"):
        EndJudge.load(tmp_path)
