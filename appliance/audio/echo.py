"""Our own voice in what comes back from the line: found, taken away, and not taken for speech.

    near ──────────────┬─> EchoFilter ── cleaned ──┬────────────────────────> Heard.pcm
    far ─> FarEnd ─┬───┤       ^ delay             └─> EchoGate ─ louder? ─> Heard.echo
                   └───┴─> PathSearch <── frames that are all echo ──┘ no

A telephone returns what we say: at a two-wire telephone's hybrid, from a loudspeaker into the same
telephone's microphone; 20 to 500 ms late, 10 to 40 dB weaker, through codecs. Taken for a caller's
speech it would interrupt our prompts. `far` is what the line sent at the same tick, so delays are
constant but for the network's own. While we say nothing and no echo can be under way, this costs
nothing. Pure: no clock, no call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from appliance.audio.echo_gate import WORST_DB, EchoGate
from appliance.audio.echo_path import Echo, EchoFilter, PathSearch, compare
from appliance.audio.far_end import (
    BINS,
    LAGS,
    RECENT,
    FarEnd,
    Levels,
    Spectrum,
    band_levels,
    hann,
    spectrum_of,
)
from appliance.audio.level import to_float, to_pcm
from appliance.types import FRAME_MS, FRAME_SAMPLES

_WORST = 10 ** ((WORST_DB + 2) / 20)  # louder than that, relative to ours, is nobody's echo
_WITHIN_DB = 3.0  # an echo's frames are about so much louder than its mean gain
_LIKE = 0.5  # a likeness from which on a few frames are our own voice
_LIKE_LONG, _LONG = 0.3, 12  # the same, over so many frames
_LOOK_EVERY = 5  # frames
_CHECKED = 6  # frames after an onset in which it is compared with our voice


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame without our echo. `echo`: there was nothing else in it. `pcm` is FRAME_BYTES."""

    pcm: bytes
    echo: bool


class EchoCanceller:
    """One call's; feed it every tick, in order."""

    def __init__(self) -> None:
        self._far = FarEnd()
        self._gate = EchoGate()
        self._search = PathSearch()
        self._filter: EchoFilter | None = None
        self._found: Echo | None = None
        self._last = np.zeros(FRAME_SAMPLES, np.float32)
        self._cleaned = np.zeros(FRAME_SAMPLES, np.float32)
        self._recent = np.zeros((RECENT, BINS), np.complex64)
        self._open = 0
        self._ticks = 0

    @property
    def delay_ms(self) -> int | None:
        """How late our voice comes back, to 20 ms; None as long as no echo was found."""
        return None if self._found is None else self._found.lag * FRAME_MS

    @property
    def loss_db(self) -> float | None:
        """How much weaker it comes back; None as long as no echo was found."""
        return None if self._found is None else -20 * math.log10(max(self._found.gain, 1e-6))

    def push(self, near: bytes, far: bytes) -> Heard:
        """Take one tick: what came from the caller, and what we said (empty: nothing)."""
        self._far.push(to_float(far) if far else None)
        if self._far.silent:
            return Heard(near, echo=False)
        heard = to_float(near)
        spectrum = hann(spectrum_of(self._last, heard))
        self._last = heard
        self._recent = np.concatenate((spectrum[None], self._recent[:-1]))
        cleaned = self._filter.clean(heard, self._far) if self._filter else heard
        rest = hann(spectrum_of(self._cleaned, cleaned))
        self._cleaned = cleaned
        levels, ours = band_levels(rest), self._far.levels[:LAGS]
        echo = self._is_echo(levels)
        self._gate.learn(levels, ours, echo=echo)
        if echo:
            self._follow(spectrum)
        return Heard(to_pcm(cleaned) if self._filter else near, echo)

    def _is_echo(self, levels: Levels) -> bool:
        """By its loudness; an onset also by its likeness, since the path may have changed."""
        if self._gate.is_echo(levels, self._far.levels[:LAGS]):
            self._open = 0
            return True
        self._open += 1
        if self._open > _CHECKED:
            return False
        like = compare(self._recent, self._far)
        if like.likeness < _LIKE or like.gain > _WORST:
            return False
        self._gate.expect(like.lag, 20 * math.log10(max(like.gain, 1e-6)) + _WITHIN_DB)
        return True

    def _follow(self, spectrum: Spectrum) -> None:
        """Look for the path in a frame of echo, and take to another where it has changed."""
        self._search.push(spectrum, self._far)
        self._ticks += 1
        if self._ticks % _LOOK_EVERY:
            return
        found = self._search.find(self._far)
        limit = _LIKE_LONG if self._search.frames > _LONG else _LIKE
        if found.likeness < limit or found.gain > _WORST:
            return
        self._found = found
        if self._filter is None or not self._filter.covers(found.lag):
            self._filter = EchoFilter(max(0, found.lag - 1), found.gain)
