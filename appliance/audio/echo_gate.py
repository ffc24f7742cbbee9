"""Is what is heard louder than our voice could come back? Learned for each delay and band.

    level heard  vs.  max over delays of (our level then + what comes back of it at most)

A line is expected to return our voice as loud as `WORST_DB` below it at any delay until it is
heard that it does not: whenever we spoke and it was quiet some time later, that delay's echo is
at most as loud as the quiet. So the bound is right for any line from the first frame on, needs
no correlation, and also holds for echoes that a filter cannot follow (codecs, clocks that drift).
"""

from __future__ import annotations

import numpy as np

from appliance.audio.far_end import BANDS, LAGS, Levels

WORST_DB = -8.0
"""The loudest echo that is expected, relative to our voice: 2 dB more than lines may have."""
_LOWEST_DB = -70.0
_FALL = 0.25  # share of the way down, per frame that was quieter than expected
_RISE = 0.5  # share of the way up, per frame of echo that was louder than expected
_FORGET_DB = 0.02  # per frame of our voice: 1 dB a second, since paths change
_MARGIN_DB = 9.0
_MARGIN_TALKING_DB = 4.0  # a caller who is heard is not lost in the midst of a word
_FAR_ACTIVE_DB = -60.0  # our level in a band from which on something can be learned
_NEAR_SHARE = 0.3  # of the energy must be more than echo
_AUDIBLE_DB = 9.0
_NOISE_RISE_DB = 0.06  # per frame: 3 dB a second


class EchoGate:
    """One call's bound on the echo."""

    def __init__(self) -> None:
        self._returned = np.full((LAGS, BANDS), WORST_DB, np.float32)
        self._noise = np.full(BANDS, -75.0, np.float32)

    def is_echo(self, heard: Levels, ours: Levels, *, talking: bool = False) -> bool:
        """Whether a frame can be all echo.

        Args:
            heard: its levels, [BANDS].
            ours: levels of what we said, newest first, [LAGS, BANDS].
            talking: the caller was heard a moment ago.
        """
        self._follow_noise(heard)
        expected = (self._returned + ours).max(axis=0)
        bound = 10 ** (0.1 * (expected + (_MARGIN_TALKING_DB if talking else _MARGIN_DB)))
        energy = 10 ** (0.1 * heard)
        more = np.maximum(energy - bound, 0.0).sum()
        return bool(more < _NEAR_SHARE * energy.sum())

    def is_audible(self, heard: Levels) -> bool:
        """Whether a frame is louder than the line's noise in any band."""
        return bool((heard > self._noise + _AUDIBLE_DB).any())

    def learn(self, heard: Levels, ours: Levels, *, echo: bool) -> None:
        """Learn from a frame: quieter than expected always, louder only where it is `echo`."""
        level = np.maximum(heard, self._noise)
        expected = self._returned + ours
        active = ours > _FAR_ACTIVE_DB
        if echo:
            loudest = expected.argmax(axis=0)
            bands = np.arange(BANDS)
            more = np.maximum(level - expected[loudest, bands], 0.0)
            self._returned[loudest, bands] += _RISE * more * active[loudest, bands]
        less = np.minimum(level - expected, 0.0) * active
        self._returned += _FALL * less + _FORGET_DB * active
        np.clip(self._returned, _LOWEST_DB, WORST_DB, out=self._returned)

    def expect(self, lag: int, returned_db: float) -> None:
        """An echo of this strength was found at a delay of `lag` frames."""
        near = slice(max(0, lag - 1), lag + 2)
        np.maximum(
            self._returned[near],
            min(returned_db, WORST_DB),
            out=self._returned[near],
        )

    def _follow_noise(self, heard: Levels) -> None:
        below = heard < self._noise
        self._noise += np.where(
            below, 0.3 * (heard - self._noise), np.minimum(_NOISE_RISE_DB, heard - self._noise)
        )
