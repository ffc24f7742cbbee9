"""The judge of onsets: its gate, its features, and the shipped model on sounds it never met."""

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.level import Samples, to_pcm
from appliance.audio.onset import (
    FEATURES,
    HOP,
    WINDOW,
    Features,
    Gate,
    OnsetJudge,
)
from appliance.audio.vad import level_db
from appliance.errors import ConfigError
from appliance.testing.line import TALK
from appliance.testing.turntaking import sounds
from appliance.types import FRAME_BYTES, FRAME_SAMPLES

FOLDER = Path(__file__).parents[2] / "models" / "turns"
QUIET_DB = -65.0


@pytest.fixture(scope="module")
def judge() -> OnsetJudge:
    return OnsetJudge.load(FOLDER)


def _frames(sound: Samples, seed: int = 0) -> list[bytes]:
    """The sound at -26 dBFS or so on a quiet line, in frames."""
    rng = np.random.default_rng(seed)
    sound = np.pad(0.3 * sound, (40, FRAME_SAMPLES))
    pcm = to_pcm((sound + 2e-4 * rng.standard_normal(len(sound))).astype(np.float32))
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES, FRAME_BYTES)]


def _stops_after_ms(judge: OnsetJudge, sound: Samples) -> int | None:
    onset = judge.begin(bytes(FRAME_BYTES), QUIET_DB)
    for frame in _frames(sound):
        if onset.push(frame) >= onset.stop_at:
            return onset.length_ms
    return None


def test_gate_opens_for_what_rises_above_the_noise_and_closes_after_it() -> None:
    gate = Gate()
    assert not any(gate.push(-60) for _ in range(50))
    assert gate.push(-40)
    assert [gate.push(-60) for _ in range(10)] == [True] * 7 + [False] * 3


def test_gate_gets_used_to_a_louder_line() -> None:
    gate = Gate()
    heard = [gate.push(-42) for _ in range(500)]
    assert heard[0]
    assert not heard[-1]


def test_gate_stays_closed_below_what_anybody_speaks_at() -> None:
    gate = Gate()
    assert not any(gate.push(-90) for _ in range(50))
    assert not gate.push(-57)


def test_features_are_the_same_in_pieces_as_in_one() -> None:
    rng = np.random.default_rng(1)
    sound = (0.05 * rng.standard_normal(WINDOW - HOP + 20 * HOP)).astype(np.float32)
    whole = Features(-60).of(sound)
    by_two = Features(-60)
    pieces = (sound[at : at + WINDOW + HOP] for at in range(0, 20 * HOP, 2 * HOP))
    parts = [by_two.of(piece) for piece in pieces]
    assert whole.shape == (20, FEATURES)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-3)


def test_features_tell_pitch_and_voicing() -> None:
    at = np.arange(WINDOW - HOP + 10 * HOP) / 8000
    buzz = sum(np.sin(2 * np.pi * 140 * n * at + n) for n in range(1, 20))
    voiced = Features(-60).of((0.02 * np.asarray(buzz)).astype(np.float32))
    noise = Features(-60).of(np.random.default_rng(1).normal(0, 0.05, len(at)).astype(np.float32))
    assert voiced[-1, -2] > noise[-1, -2] + 0.2
    assert voiced[-1, -1] == pytest.approx(np.log2(140 / (8000 / 115)), abs=0.1)


def test_features_do_not_hang_on_the_level() -> None:
    talk = sounds.syllables(np.random.default_rng(2), 0.4)
    loud, soft = Features(-40).of(talk), Features(-46).of(talk / 2)
    np.testing.assert_allclose(loud, soft, atol=0.5)  # what is added against log 0


def test_digital_silence_is_no_number_trouble(judge: OnsetJudge) -> None:
    onset = judge.begin(bytes(FRAME_BYTES), QUIET_DB)
    assert all(0 <= onset.push(bytes(FRAME_BYTES)) <= 1 for _ in range(5))
    assert level_db(bytes(FRAME_BYTES)) == -96.0


def test_talk_is_known_within_four_frames(judge: OnsetJudge) -> None:
    onset = judge.begin(bytes(FRAME_BYTES), QUIET_DB)
    assert any(onset.push(frame) >= onset.stop_at for frame in TALK[:4])


def test_acknowledgements_stop_nothing(judge: OnsetJudge) -> None:
    stops = [
        _stops_after_ms(judge, sounds.acknowledgement(np.random.default_rng(seed)))
        for seed in range(200)
    ]
    assert sum(stop is not None for stop in stops) == 0


@pytest.mark.parametrize("kind", sorted(sounds.NOISES))
def test_noises_stop_nothing(judge: OnsetJudge, kind: str) -> None:
    stops = [
        _stops_after_ms(judge, sounds.NOISES[kind](np.random.default_rng(seed)))
        for seed in range(40)
    ]
    assert sum(stop is not None for stop in stops) == 0


def test_a_sound_that_goes_on_needs_less_proof(judge: OnsetJudge) -> None:
    onset = judge.begin(bytes(FRAME_BYTES), QUIET_DB)
    limits = []
    while onset.length_ms <= judge.until_ms[-1]:
        onset.push(bytes(FRAME_BYTES))
        limits.append(onset.stop_at)
    assert limits[0] == judge.stop_at[0]
    assert limits[-1] == judge.stop_at[-1] < max(limits)


def test_a_folder_without_the_model_is_told_by_its_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hearing\.turns"):
        OnsetJudge.load(tmp_path)


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "onset.npz", mean=np.zeros(3))
    with pytest.raises(ConfigError, match="no onset model"):
        OnsetJudge.load(tmp_path)
