"""From what a voice gives to what a telephone carries: the same steps for every voice and piece.

    samples -> telephone band -> one level -> peaks held -> soft ends -> s16le

The level is that of speech on the line, so it is measured after the band filter, which takes
about 2 dB. A piece of some length is brought to it by its own level; one or two words have no
level that would say much ("Yes." is said louder than it is written), so they get the voice's gain.
"""

from __future__ import annotations

import numpy as np

from appliance.audio.band import telephone_band
from appliance.audio.fades import fade_ends
from appliance.audio.level import Samples, active_level_dbm0, active_s, amplify, to_pcm
from appliance.audio.limiter import limit

CHAIN = "2"
"""Part of every voice's identity: raise when the steps below change what a text sounds like."""

_SHORT_S, _LONG_S = 0.5, 1.5  # of speech: below, the voice's gain alone; above, the piece's alone
_MOST_DB = 4.0  # that a piece's gain may differ from its voice's: prosody, not a fault, is beyond


class TelephoneSound:
    """One voice on the line; immutable, so threads may share it."""

    def __init__(self, level_dbm0: float, sample: Samples) -> None:
        """Learn how loud a voice is.

        Args:
            level_dbm0: wanted active speech level.
            sample: float32 mono at LINE_RATE_HZ, some seconds of what the voice gives.

        Raises:
            ValueError: the sample is silent.
        """
        measured = active_level_dbm0(telephone_band(sample))
        if not np.isfinite(measured):
            raise ValueError("speaks only silence")
        self.level_dbm0 = level_dbm0
        self.gain_db = level_dbm0 - measured

    def finish(self, samples: Samples) -> bytes:
        """One rendered piece as it goes to the line: s16le, same length.

        Args:
            samples: float32 mono at LINE_RATE_HZ, shape [n], as the voice gave them.
        """
        banded = telephone_band(samples)
        return to_pcm(fade_ends(limit(amplify(banded, self._gain_db(banded)))))

    def _gain_db(self, banded: Samples) -> float:
        own = self.level_dbm0 - active_level_dbm0(banded) - self.gain_db
        if not np.isfinite(own):
            return self.gain_db
        share = (active_s(banded) - _SHORT_S) / (_LONG_S - _SHORT_S)
        return self.gain_db + min(max(share, 0.0), 1.0) * min(max(own, -_MOST_DB), _MOST_DB)
