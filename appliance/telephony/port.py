"""The audio port of one call: where pjsip's 20 ms clock meets the agent.

    caller → RTP → jitter buffer → bridge ─ onFrameReceived  ─→ Audio to the agent
    caller ← RTP ← coder ← bridge ─ onFrameRequested ←─ Outlet ← PlayQueue ← Play from the agent

Ports live as long as the process and are lent to calls, because a port that goes away while the
clock thread is inside its callback takes the process with it. Every port also feeds the null
device, so that `onFrameRequested` ticks even while a call has no media (hold): then the agent
still gets its 20 ms clock, as silence.

Both callbacks run in pjsip's clock thread. They must not block: every other call waits.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pjsua2 as pj

from appliance.telephony.frames import SILENCE, FrameAccess
from appliance.telephony.messages import Audio, FromLine
from appliance.telephony.outlet import Outlet
from appliance.telephony.playout import PlayQueue
from appliance.types import FRAME_MS, LINE_RATE_HZ

EXIT_BROKEN_CLOCK = 70
"""A bug in the clock thread cannot be raised anywhere: the process ends, the agent restarts it."""


class CallPort(pj.AudioMediaPort):  # type: ignore[misc]  # pjsua2 has no types
    """One of the process's ports; idle until `open`.

    Attributes:
        held: whether the peer has put the call on hold.
        receiving: whether packets come from the caller; the bridge gives silence where none do.
        queue: what waits to be said.
        ticks: how often the clock has asked for a frame, in a call or not.
    """

    def __init__(
        self,
        name: str,
        frames: FrameAccess,
        send: Callable[[FromLine], None],
        noise: Sequence[array[int]] = (),
    ) -> None:
        """`noise`: frames that go out under all that is played; see `outlet.comfort_noise`."""
        super().__init__()
        self._frames = frames
        self._send = send
        self._noise = noise
        self._outlet = Outlet(noise)
        self._call: int | None = None
        self._reports = True
        self.ticks = 0
        self._heard_this_tick = False
        self._said, self._ours = False, b""
        self.held = False
        self.receiving = True
        self.queue = PlayQueue()
        audio_format = pj.MediaFormatAudio()
        audio_format.init(pj.PJMEDIA_FORMAT_PCM, LINE_RATE_HZ, 1, FRAME_MS * 1000, 16)
        self.createPort(name, audio_format)

    def open(self, call: int) -> None:
        """Lend the port to a call whose audio now flows."""
        self.held = False
        self.receiving = True
        self.queue = PlayQueue()
        self._outlet = Outlet(self._noise)
        self._heard_this_tick = False
        self._said, self._ours = False, b""
        self._reports = True
        self._call = call

    def mute(self) -> None:
        """Tell the agent nothing more of this call's audio."""
        self._reports = False

    def say_last(self, frames: Iterable[bytes]) -> None:
        """Say these and nothing else; the agent, if there is one, hears no more of the call."""
        self.mute()
        self.queue = PlayQueue(frames)

    def close(self) -> None:
        """Take the port back: nothing more is sent or played."""
        self._call = None
        self.queue = PlayQueue()

    def onFrameRequested(self, frame: Any) -> None:  # noqa: N802 - pjsua2's name
        """Give the bridge the next frame; stands in for the clock where nothing was heard."""
        try:
            self.ticks += 1
            call = self._call
            if call is None:
                self._frames.write(frame, SILENCE)
            else:
                pcm = None if self.held else self.queue.next_frame()
                self._frames.write(frame, self._sounding(pcm))
            if call is not None and not self._heard_this_tick:
                self._report(call, SILENCE)
            self._heard_this_tick = False
        except Exception:  # noqa: BLE001 - boundary: an exception here would unwind through C
            _die()

    def onFrameReceived(self, frame: Any) -> None:  # noqa: N802 - pjsua2's name
        """Take what the bridge has from the caller."""
        try:
            call = self._call
            if call is not None:
                self._heard_this_tick = True
                self._report(call, self._frames.read(frame))
        except Exception:  # noqa: BLE001 - boundary: an exception here would unwind through C
            _die()

    def _sounding(self, pcm: bytes | None) -> bytes:
        """What goes out; kept for the report where it is our voice, with the end of its fall."""
        out = self._outlet.next_frame(pcm)
        self._ours = out if pcm is not None or self._said else b""
        self._said = pcm is not None
        return out

    def _report(self, call: int, pcm: bytes) -> None:
        if not self._reports:
            return
        now_ns, played = time.monotonic_ns(), self.queue.played
        self._send(Audio(call, now_ns, played, pcm, self._ours, self.receiving or self.held))


def _die() -> None:
    traceback.print_exc(file=sys.stderr)
    os._exit(EXIT_BROKEN_CLOCK)
