"""What goes out on a call: no step where sound begins or breaks off, and noise beneath."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from appliance.audio.clicks import find_clicks
from appliance.audio.codecs import round_trip
from appliance.audio.level import to_float
from appliance.audio.vad import VoiceDetector
from appliance.telephony.outlet import OFF_DBM0, Outlet, comfort_noise, faded_out
from appliance.testing.activity import ActivityDetector, level_dbm0
from appliance.types import FRAME_BYTES

HZ = 440


def tone(frames: int) -> list[bytes]:
    """It begins and ends in the middle of a wave."""
    wave = 8000 * np.cos(2 * np.pi * HZ * np.arange(160 * frames) / 8000 + 0.4)
    pcm = wave.astype("<i2").tobytes()
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm), FRAME_BYTES)]


def heard(frames: list[bytes | None], outlet: Outlet | None = None) -> NDArray[np.int16]:
    outlet = outlet or Outlet()
    return np.frombuffer(b"".join(outlet.next_frame(each) for each in frames), "<i2")


def test_without_noise_silence_is_silence_and_speech_is_itself() -> None:
    frames = tone(3)
    assert not heard([None] * 5).any()
    assert heard(list(frames))[160:].tobytes() == b"".join(frames[1:])


def test_a_frame_that_comes_too_late_makes_no_click() -> None:
    frames = tone(10)
    late = [*frames[:4], None, *frames[4:8], None, None, *frames[8:], None]
    smooth = heard(late)
    plain = np.frombuffer(b"".join(each or bytes(FRAME_BYTES) for each in late), "<i2")
    assert np.abs(np.diff(smooth)).max() < 1.5 * np.abs(np.diff(heard(list(frames)))).max()
    assert len(find_clicks(to_float(plain.tobytes()))) >= 5
    assert find_clicks(to_float(smooth.tobytes())) == ()


def test_a_stop_fades_within_its_frame() -> None:
    frames = tone(5)
    stopped = heard([*frames[:4], faded_out(frames[4]), None, None])
    assert find_clicks(to_float(stopped.tobytes())) == ()
    assert abs(int(stopped[799])) < 10
    assert not stopped[5 * 160 + 40 :].any()


@pytest.mark.parametrize("level", [-75.0, -65.0, -50.0])
def test_noise_has_its_level(level: float) -> None:
    noise = heard([None] * 500, Outlet(comfort_noise(level)))
    assert level_dbm0(noise) == pytest.approx(level, abs=0.3)


def test_noise_lies_under_speech_and_pauses_alike() -> None:
    frames = [None, None, *tone(3), None, None]
    with_noise = heard(list(frames), Outlet(comfort_noise(-65)))
    noise = with_noise.astype(int) - heard(list(frames))
    by_frame = [level_dbm0(noise[at : at + 160].astype(np.int16)) for at in range(0, 7 * 160, 160)]
    assert max(abs(level + 65) for level in by_frame) < 2


@pytest.mark.parametrize("codec", ["pcmu", "pcma"])
def test_noise_gets_through_g711(codec: str) -> None:
    noise = to_float(heard([None] * 100, Outlet(comfort_noise(-65))).tobytes())
    coded = (round_trip(noise, codec) * 32768).astype(np.int16)  # type: ignore[arg-type]
    assert level_dbm0(coded) == pytest.approx(-65, abs=2)


def test_noise_is_nobody_speaking() -> None:
    noise = heard([None] * 500, Outlet(comfort_noise(-65)))
    detector, activity = VoiceDetector(mode=0), ActivityDetector()
    for at in range(0, len(noise), 160):
        assert not detector.is_speech(noise[at : at + 160].tobytes())
        activity.push(noise[at : at + 160], at)
    assert activity.spans == ()


def test_noise_can_be_switched_off() -> None:
    assert comfort_noise(OFF_DBM0) == ()


def test_full_scale_with_noise_is_not_turned_round() -> None:
    loud = np.full(160, 32767, "<i2").tobytes()
    out = heard([loud, loud], Outlet(comfort_noise(-40)))
    assert (out[160:] == 32767).all()


def test_the_line_needs_no_numpy_for_it() -> None:
    program = "import sys, appliance.telephony.playout; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
