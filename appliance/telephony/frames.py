"""Moving 20 ms frames in and out of pjsua2's `MediaFrame`.

`bytes(frame.buf)` costs 143 µs a frame; reading the vector's memory costs 1 µs. The fast way
depends on how this build lays out its objects, so `open_frames` checks that with a frame of its
own and otherwise takes the slow way, which depends on nothing.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import pjsua2 as pj

from appliance.types import FRAME_BYTES

SILENCE = bytes(FRAME_BYTES)
_VECTOR_AT = 8
"""`MediaFrame` is {type; std::vector<unsigned char> buf; size}: the vector after 4 + 4 bytes."""


class FrameAccess(Protocol):
    """Reads and writes one frame inside a frame callback."""

    fast: bool

    def read(self, frame: Any) -> bytes:
        """FRAME_BYTES of audio; silence where the frame holds none."""
        ...

    def write(self, frame: Any, pcm: bytes) -> None:
        """Hand FRAME_BYTES to pjsip; a frame that offers less room stays empty."""
        ...


class SlowFrames:
    """By pjsua2's own accessors."""

    fast = False

    def read(self, frame: Any) -> bytes:
        """See `FrameAccess.read`."""
        if frame.type != pj.PJMEDIA_FRAME_TYPE_AUDIO:
            return SILENCE
        return fit_frame(bytes(frame.buf))

    def write(self, frame: Any, pcm: bytes) -> None:
        """See `FrameAccess.write`."""
        if frame.size < FRAME_BYTES:  # writing more than is offered ends in SIGSEGV
            frame.type = pj.PJMEDIA_FRAME_TYPE_NONE
            return
        frame.buf = pj.ByteVector(fit_frame(pcm))
        frame.size = FRAME_BYTES
        frame.type = pj.PJMEDIA_FRAME_TYPE_AUDIO


class FastFrames:
    """By address, through the pointers of the vector inside the frame."""

    fast = True

    def __init__(self) -> None:
        self._scratch = pj.ByteVector(SILENCE)
        self._scratch_data = ctypes.c_uint64.from_address(int(self._scratch.this)).value

    def read(self, frame: Any) -> bytes:
        """See `FrameAccess.read`."""
        if frame.type != pj.PJMEDIA_FRAME_TYPE_AUDIO:
            return SILENCE
        begin, end = _span(frame)
        pcm = ctypes.string_at(begin, min(end - begin, FRAME_BYTES)) if begin < end else b""
        return pcm if len(pcm) == FRAME_BYTES else fit_frame(pcm)

    def write(self, frame: Any, pcm: bytes) -> None:
        """See `FrameAccess.write`."""
        if frame.size < FRAME_BYTES:
            frame.type = pj.PJMEDIA_FRAME_TYPE_NONE
            return
        ctypes.memmove(self._scratch_data, fit_frame(pcm), FRAME_BYTES)
        frame.buf = self._scratch
        frame.size = FRAME_BYTES
        frame.type = pj.PJMEDIA_FRAME_TYPE_AUDIO


def open_frames(layout_is_known: bool | None = None) -> FrameAccess:
    """The fast way where this build's layout is as expected, else the slow way.

    Args:
        layout_is_known: overrides the check (for tests).
    """
    known = has_known_layout() if layout_is_known is None else layout_is_known
    return FastFrames() if known else SlowFrames()


def has_known_layout() -> bool:
    """Whether vectors lie where the fast way looks, tried on objects of our own.

    Addresses are compared before any is followed: a wrong guess must not end in SIGSEGV.
    """
    pattern = bytes(range(256)) + bytes(FRAME_BYTES - 256)
    try:
        vector = pj.ByteVector(pattern)
        frame = pj.MediaFrame()
        frame.buf = vector
        for address in (int(vector.this), int(frame.this) + _VECTOR_AT):
            begin, end, capacity = (ctypes.c_uint64 * 3).from_address(address)
            if end - begin != FRAME_BYTES or capacity < end or begin % 8:
                return False
            if ctypes.string_at(begin, FRAME_BYTES) != pattern:
                return False
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def fit_frame(pcm: bytes) -> bytes:
    """Exactly FRAME_BYTES: cut, or filled up with silence."""
    return pcm if len(pcm) == FRAME_BYTES else pcm[:FRAME_BYTES].ljust(FRAME_BYTES, b"\0")


def _span(frame: Any) -> tuple[int, int]:
    begin, end = (ctypes.c_uint64 * 2).from_address(int(frame.this) + _VECTOR_AT)
    return begin, end
