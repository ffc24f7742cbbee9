"""Speech in noise: what the learned detector is for."""

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.channel import telephone
from appliance.audio.level import to_pcm
from appliance.audio.vad import VoiceDetector
from appliance.audio.voice import VoiceModel
from appliance.testing.speech import CallerVoice
from appliance.types import FRAME_BYTES, FRAME_MS

MODEL = VoiceModel.load(Path(__file__).parents[2] / "models" / "turns")
SENTENCE = "six of us should fix this before the first of february"
QUIET_FRAMES = 5  # 100 ms: a pause that an endpointer notices


class Says:
    """A second opinion that never changes."""

    def __init__(self, likely: float) -> None:
        self.likely = likely

    def push(self, pcm: bytes) -> float:
        return self.likely


def pauses(flags: list[bool]) -> int:
    """How often it is quiet for QUIET_FRAMES between the first speech and the last."""
    places = np.flatnonzero(flags)
    return int((np.diff(places) > QUIET_FRAMES).sum())


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    speech = CallerVoice(tmp_path_factory.mktemp("voice")).speak(SENTENCE).samples
    wave = np.concatenate([np.zeros(8000), speech / 32768, np.zeros(8000)]).astype(np.float32)
    return to_pcm(telephone(wave, np.random.default_rng(3), snr_db=12))


def flags(detector: VoiceDetector, pcm: bytes) -> list[bool]:
    starts = range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)
    return [detector.is_speech(pcm[at : at + FRAME_BYTES]) for at in starts]


def test_soft_consonants_in_noise_are_no_pauses(noisy: bytes) -> None:
    plain = flags(VoiceDetector(2), noisy)
    learned = flags(VoiceDetector(2, MODEL), noisy)
    assert pauses(plain) >= 2
    assert pauses(learned) < pauses(plain)


def test_the_end_in_noise_is_heard(noisy: bytes) -> None:
    learned = flags(VoiceDetector(2, MODEL), noisy)
    last_ms = (np.flatnonzero(learned)[-1] + 1) * FRAME_MS
    assert len(noisy) // 16 - last_ms > 1000  # 1400 ms of noise follow


def test_without_consent_there_is_no_speech_in_noise(noisy: bytes) -> None:
    quiet_for = 60  # frames in which the floor is found
    assert not any(flags(VoiceDetector(2, MODEL, Says(0.0)), noisy)[quiet_for:])
    agreed = flags(VoiceDetector(2, MODEL, Says(1.0)), noisy)
    assert agreed == flags(VoiceDetector(2, MODEL), noisy)


def test_on_a_quiet_line_nobody_else_is_asked() -> None:
    wave = np.zeros(16000, np.float32)
    wave[8000:12000] = np.sin(np.arange(4000) * 0.2) * 0.2 * np.sin(np.arange(4000) * 0.01)
    pcm = to_pcm(wave)
    assert flags(VoiceDetector(2, MODEL, Says(0.0)), pcm) == flags(VoiceDetector(2), pcm)
