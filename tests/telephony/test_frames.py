"""Frames in and out of pjsua2, the fast way and the slow way alike."""

from __future__ import annotations

import pjsua2 as pj
import pytest

from appliance.telephony import frames
from appliance.telephony.frames import SILENCE, FastFrames, FrameAccess, SlowFrames, open_frames

PCM = bytes(range(256)) + bytes(range(64))


@pytest.fixture(params=[True, False], ids=["fast", "slow"])
def access(request: pytest.FixtureRequest) -> FrameAccess:
    return open_frames(layout_is_known=request.param)


def audio_frame(content: bytes) -> pj.MediaFrame:
    frame = pj.MediaFrame()
    frame.type = pj.PJMEDIA_FRAME_TYPE_AUDIO
    frame.buf = pj.ByteVector(content)
    frame.size = len(content)
    return frame


def test_this_build_has_the_known_layout() -> None:
    assert isinstance(open_frames(), FastFrames)


def test_unknown_layout_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_VECTOR_AT", 16)  # as if the vector had moved
    assert isinstance(open_frames(), SlowFrames)


def test_read(access: FrameAccess) -> None:
    assert access.read(audio_frame(PCM)) == PCM


@pytest.mark.parametrize("length", [0, 2, 319, 321, 640, 4000])
def test_read_of_another_length_is_fitted(access: FrameAccess, length: int) -> None:
    content = (PCM * 20)[:length]
    assert access.read(audio_frame(content)) == content[:320].ljust(320, b"\0")


def test_read_of_no_audio_is_silence(access: FrameAccess) -> None:
    frame = audio_frame(PCM)
    frame.type = pj.PJMEDIA_FRAME_TYPE_NONE
    assert access.read(frame) == SILENCE


def test_write(access: FrameAccess) -> None:
    frame = pj.MediaFrame()
    frame.size = 320
    access.write(frame, PCM)
    assert bytes(frame.buf) == PCM
    assert (frame.size, frame.type) == (320, pj.PJMEDIA_FRAME_TYPE_AUDIO)


@pytest.mark.parametrize("length", [0, 318, 322, 10_000])
def test_write_never_exceeds_a_frame(access: FrameAccess, length: int) -> None:
    frame = pj.MediaFrame()
    frame.size = 320
    access.write(frame, b"\1" * length)
    assert len(bytes(frame.buf)) == 320
    assert bytes(frame.buf) == (b"\1" * length)[:320].ljust(320, b"\0")


def test_write_into_too_little_room_stays_empty(access: FrameAccess) -> None:
    frame = pj.MediaFrame()
    frame.size = 318
    access.write(frame, PCM)
    assert frame.type == pj.PJMEDIA_FRAME_TYPE_NONE
    assert len(bytes(frame.buf)) <= 318
