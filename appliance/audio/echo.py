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
from appliance.audio.level import Samples, to_float, to_pcm
from appliance.types import FRAME_MS, FRAME_SAMPLES

_WORST = 10 ** ((WORST_DB + 2) / 20)  # louder than that, relative to ours, is nobody's echo
_WITHIN_DB = 3.0  # an echo's frames are about so much louder than its mean gain
# Four frames of an echo 20 dB down have a likeness of 0.47 or more in 95 of 100, a caller's own
# speech that could be an echo by its level 0.42 or less in 99 (voices of five corpora).
_LIKE = 0.45
_LIKE_FIRST = 0.6  # the same on a line that had no echo so far: the gate did not find any either
_LIKE_KNOWN = 0.3  # of what the filter left, at the delay that is known
_LIKE_LONG, _LONG, _FEW = 0.3, 12, 3.5  # the same over more frames; fewer prove nothing
_LOOK_EVERY = 4  # frames of a search
_SELDOM = 3  # frames of a known echo, of which one is searched
_TALKING = 4  # frames in a row that are no echo: somebody talks
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
        self._search = PathSearch()  # in what is all echo
        self._doubt = PathSearch()  # in what is louder than echoes were so far
        self._filter: EchoFilter | None = None
        self._echo: Echo | None = None
        self._last = np.zeros(FRAME_SAMPLES, np.float32)
        self._cleaned = np.zeros(FRAME_SAMPLES, np.float32)
        self._recent = np.zeros((RECENT, BINS), np.complex64)
        self._rests = np.zeros((RECENT, BINS), np.complex64)  # the same, cleaned
        self._open = 0
        self._ticks = 0

    @property
    def found(self) -> dict[str, float]:
        """For the call's log: `echo_ms` late and at `echo_db`; nothing where there was none."""
        if self._echo is None:
            return {}
        return {"echo_ms": self._echo.lag * FRAME_MS, "echo_db": round(_db(self._echo.gain), 1)}

    @property
    def delay_ms(self) -> int | None:
        """How late our voice comes back, to 20 ms; None as long as no echo was found."""
        return None if self._echo is None else self._echo.lag * FRAME_MS

    @property
    def loss_db(self) -> float | None:
        """How much weaker it comes back; None as long as no echo was found."""
        return None if self._echo is None else -_db(self._echo.gain)

    def push(self, near: bytes, far: bytes) -> Heard:
        """Take one tick: what came from the caller, and what we said (empty: nothing)."""
        self._far.push(to_float(far) if far else None)
        if self._far.silent:
            return Heard(near, echo=False)
        heard = to_float(near)
        spectrum = hann(spectrum_of(self._last, heard))
        self._last = heard
        self._recent = np.concatenate((spectrum[None], self._recent[:-1]))
        levels = before = band_levels(spectrum)
        cleaned = self._clean(heard)
        if self._filter is not None:
            rest = hann(spectrum_of(self._cleaned, cleaned))
            self._rests = np.concatenate((rest[None], self._rests[:-1]))
            levels = band_levels(rest)
        self._cleaned = cleaned
        echo = self._is_echo(levels)
        self._gate.learn(levels, self._far.levels[:LAGS], echo=echo)
        self._ticks += 1
        known = echo and self._filter is not None
        if self._gate.is_audible(before) and not (known and self._ticks % _SELDOM):
            self._follow(self._search if echo else self._doubt, spectrum)
        return Heard(near if cleaned is heard else to_pcm(cleaned), echo)

    def _clean(self, heard: Samples) -> Samples:
        """The frame without echo; as it is where taking it away would only add to it."""
        if self._filter is None:
            return heard
        cleaned = self._filter.clean(heard, self._far)
        return cleaned if cleaned @ cleaned < heard @ heard else heard

    def _is_echo(self, levels: Levels) -> bool:
        """By its loudness; an onset also by its likeness, since the path may have changed."""
        talking = self._open >= _TALKING
        if self._gate.is_echo(levels, self._far.levels[:LAGS], talking=talking):
            self._open = 0
            return True
        self._open += 1
        if self._open > _CHECKED:
            return False
        if self._filter is not None:
            rest = compare(self._rests, self._far)
            if rest.likeness >= _LIKE_KNOWN and self._filter.covers(rest.lag):
                return True
        like = compare(self._recent, self._far)
        if like.likeness < (_LIKE if self._filter else _LIKE_FIRST) or like.gain > _WORST:
            return False
        self._gate.expect(like.lag, _db(like.gain) + _WITHIN_DB)
        return True

    def _follow(self, search: PathSearch, spectrum: Spectrum) -> None:
        """Look for the path, and take to another where it has changed.

        A caller who talks over a known echo leaves that echo in what is searched: it proves
        nothing new.
        """
        search.push(spectrum, self._far)
        if search.pushed % _LOOK_EVERY:
            return
        found = search.find(self._far)
        limit = _LIKE_LONG if search.frames > _LONG else _LIKE
        if search.frames < _FEW or found.likeness < limit or found.gain > _WORST:
            return
        known = self._filter is not None and self._filter.covers(found.lag)
        if search is self._search:
            self._echo = found
        if known:
            return
        self._echo = found
        self._filter = EchoFilter(max(0, found.lag - 1), found.gain)
        self._gate.expect(found.lag, _db(found.gain) + _WITHIN_DB)
        self._search, self._doubt = PathSearch(), PathSearch()


def _db(gain: float) -> float:
    return 20 * math.log10(max(gain, 1e-6))
