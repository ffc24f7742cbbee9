"""The second opinion of noisy lines, streamed frame by frame, against the package's own way."""

import numpy as np
import pytest
from faster_whisper.vad import get_vad_model

from appliance.stt.silero import SileroModel, SileroVoice
from appliance.types import FRAME_BYTES

MODEL = SileroModel()


def sound(seconds: float) -> bytes:
    rng = np.random.default_rng(2)
    places = np.arange(int(seconds * 8000)) / 8000
    buzz = np.sign(np.sin(2 * np.pi * 130 * places)) * (np.sin(2 * np.pi * 3 * places) > 0)
    return (3000 * buzz + rng.normal(0, 200, len(places))).astype("<i2").tobytes()


def frames(pcm: bytes) -> list[bytes]:
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def test_the_stream_gives_what_the_whole_gives() -> None:
    """640 ms is 20 whole chunks; the package runs them at once, at 16 kHz, by halves in between."""
    pcm = sound(0.64)
    narrow = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
    before = np.concatenate([[0.0], narrow[:-1]])
    wide = np.stack([(before + narrow) / 2, narrow], axis=1).reshape(-1).astype(np.float32)
    whole = np.asarray(get_vad_model()(wide)).ravel()
    voice = SileroVoice(MODEL)
    streamed = [voice.push(frame) for frame in frames(pcm)]
    assert streamed[-1] == pytest.approx(float(whole[-1]), abs=1e-3)


def test_noise_is_no_speech() -> None:
    voice, rng = SileroVoice(MODEL), np.random.default_rng(1)
    noise = rng.normal(0, 800, 8000).astype("<i2").tobytes()
    assert max(voice.push(frame) for frame in frames(noise)) < 0.15


def test_calls_do_not_mix() -> None:
    alone = SileroVoice(MODEL)
    first, second = SileroVoice(MODEL), SileroVoice(MODEL)
    expected = [alone.push(frame) for frame in frames(sound(0.5))]
    got = []
    for frame in frames(sound(0.5)):
        got.append(first.push(frame))
        second.push(bytes(FRAME_BYTES))
    assert got == expected
