"""What really goes out on one call: no step where sound begins or breaks off, noise beneath it all.

    PlayQueue ─ frame ──> soft start where nothing went before ─┐
              └ nothing ─> what was heard last dies away ───────┴─> + comfort noise ──> pjsip

A prompt's own ends are soft already; this is for what nobody planned: an agent that was late with
a frame, a call put on hold, a stop. The noise goes on under speech and pauses alike. A line that
falls dead silent between prompts is taken for a broken one, and a background that stops with every
pause is heard more than one that is always there. It is none of the agent's frames: it is not
counted as played, and nobody is speaking while it alone is heard.

Runs in pjsip's clock thread: some microseconds a frame, no lock, no numpy in this process.
"""

from __future__ import annotations

import math
import operator
import random
from array import array
from collections.abc import Iterator, Sequence
from itertools import cycle

from appliance.types import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES, LINE_RATE_HZ

OFF_DBM0 = -90.0
"""Comfort noise at this level is none: less than half a step of 16 bit."""

_SILENCE = bytes(FRAME_BYTES)
_EDGE = 5 * LINE_RATE_HZ // 1000
_FULL_SCALE_DBM0 = 6.18  # of an RMS at full scale (ITU-T G.711)
_NOISE_S = 5
_TILT = 0.5  # one pole: 9.5 dB less at 4 kHz than at 0 Hz, a room rather than a hiss


def comfort_noise(level_dbm0: float) -> tuple[array[int], ...]:
    """Frames of noise that go round; the same ones every time, none for OFF_DBM0.

    Args:
        level_dbm0: RMS of the whole, in dBm0.
    """
    if level_dbm0 <= OFF_DBM0:
        return ()
    source, last, wave = random.Random(1), 0.0, []
    for _ in range(_NOISE_S * LINE_RATE_HZ):
        last = _TILT * last + source.gauss(0.0, 1.0)
        wave.append(last)
    rms = math.sqrt(sum(sample * sample for sample in wave) / len(wave))
    gain = 32768 * 10 ** ((level_dbm0 - _FULL_SCALE_DBM0) / 20) / rms
    whole = array("h", (round(gain * sample) for sample in wave))
    return tuple(whole[at : at + FRAME_SAMPLES] for at in range(0, len(whole), FRAME_SAMPLES))


def faded_out(pcm: bytes) -> bytes:
    """A frame that falls to silence within its 20 ms."""
    wave = array("h", pcm)
    for at, gain in enumerate(_FALL):
        wave[at] = round(wave[at] * gain)
    return wave.tobytes()


class Outlet:
    """One call's way out; used from the clock thread only."""

    def __init__(self, noise: Sequence[array[int]] = ()) -> None:
        """`noise`: frames of `comfort_noise`; none: silence is digital silence."""
        self._noise: Iterator[array[int]] | None = cycle(noise) if noise else None
        self._last: array[int] | None = None  # what sounded in the frame before this one

    def next_frame(self, pcm: bytes | None) -> bytes:
        """FRAME_BYTES to go out for a frame of the agent's, or for none."""
        if pcm is None:
            wave = self._fallen_silent()
        else:
            wave = array("h", pcm)
            if self._last is None:
                for at, gain in enumerate(_RISE):
                    wave[at] = round(wave[at] * gain)
            self._last = wave
        return self._with_noise(wave)

    def _fallen_silent(self) -> array[int]:
        """The wave goes on as it came, turned about its last sample, so that it has no corner."""
        wave, last = array("h", _SILENCE), self._last
        if last is not None and any(last[-_EDGE:]):
            for at, gain in enumerate(reversed(_RISE)):
                turned = round((2 * last[-1] - last[-2 - at]) * gain)
                wave[at] = min(max(turned, -32768), 32767)
        self._last = None
        return wave

    def _with_noise(self, wave: array[int]) -> bytes:
        if self._noise is None:
            return wave.tobytes()
        try:
            return array("h", map(operator.add, wave, next(self._noise))).tobytes()
        except OverflowError:  # at full scale nobody hears it
            return wave.tobytes()


def _rising(count: int) -> tuple[float, ...]:
    """Gains from 0 to 1 along a raised cosine, which has no corner to be heard."""
    return tuple(0.5 - 0.5 * math.cos(math.pi * (at + 0.5) / count) for at in range(count))


_RISE = _rising(_EDGE)
_FALL = tuple(reversed(_rising(FRAME_MS * LINE_RATE_HZ // 1000)))
