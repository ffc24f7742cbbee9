"""The learned voice detector: its network, and what it knows of speech and noise."""

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.voice import FEATURES, FILE, Observer, VoiceJudge, VoiceModel
from appliance.errors import ConfigError
from appliance.types import FRAME_BYTES

TURNS = Path(__file__).parents[2] / "models" / "turns"
MODEL = VoiceModel.load(TURNS)


def noise(level: float, count: int, seed: int = 1) -> list[bytes]:
    """Frames of white noise."""
    rng = np.random.default_rng(seed)
    return [rng.normal(0, level, FRAME_BYTES // 2).astype("<i2").tobytes() for _ in range(count)]


def test_steady_noise_is_no_speech() -> None:
    judge = VoiceJudge(MODEL)
    assert max([judge.push(pcm) for pcm in noise(300, 200)][25:]) < 0.2


def test_silence_is_no_speech() -> None:
    judge = VoiceJudge(MODEL)
    assert max([judge.push(bytes(FRAME_BYTES)) for _ in range(100)][10:]) < 0.2


def test_observer_sees_the_noise_as_nothing_after_a_while() -> None:
    eye = Observer()
    seen = np.stack([eye.look(pcm) for pcm in noise(500, 150)])
    assert seen.shape == (150, FEATURES)
    assert np.isfinite(seen).all()
    over_floor = seen[:, :14].mean(axis=1)  # tens of dB; the floor is the least of late
    assert 0 <= over_floor[100:].mean() < 0.7 * over_floor[:3].mean()


def test_the_network_as_it_is_written_down() -> None:
    """A gated recurrent unit in double precision: reset, update, new."""
    with np.load(TURNS / FILE) as stored:
        w, u, b, c, v, a = (stored[name].astype(np.float64) for name in "wubcva")
    size, eye, judge = len(v), Observer(), VoiceJudge(MODEL)
    state = np.zeros(size)
    for pcm in noise(2000, 20, seed=3):
        x = eye.look(pcm).astype(np.float64)
        given, kept = w @ x + b, u @ state + c
        reset, update = (
            1 / (1 + np.exp(-(given[at : at + size] + kept[at : at + size]))) for at in (0, size)
        )
        new = np.tanh(given[2 * size :] + reset * kept[2 * size :])
        state = (1 - update) * new + update * state
        expected = 1 / (1 + np.exp(-(v @ state + a.item())))
        assert judge.push(pcm) == pytest.approx(expected, abs=1e-3)


def test_a_folder_without_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hearing\.turns: .*voice\.npz: cannot be read"):
        VoiceModel.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_broken_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ConfigError, match="not a judge of voices"):
        VoiceModel.load(tmp_path)
