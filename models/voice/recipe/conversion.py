"""Another speaker from the same recordings: pitch and throat changed by WORLD (Morise et al. 2016).

What makes a man's voice of a woman's is mostly a lower pitch and a longer throat: all formants lie
lower by about a seventh. Words, rhythm and intonation stay those of a person.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.voice.recipe.settings import SAMPLE_RATE_HZ

Floats = npt.NDArray[np.float32]

SOURCE_HZ = (90.0, 450.0)
"""Range searched for the recordings' pitch: wide enough for a woman reading aloud."""
PERIOD_MS = 5.0


def convert(audio: Floats, mean_hz: float, throat: float) -> Floats:
    """The same words by the other speaker: as many samples.

    Args:
        audio: 16 kHz, in [-1, 1].
        mean_hz: geometric mean of the new pitch over the voiced parts; its movement in semitones
            stays.
        throat: new formants over old; below 1 for a longer throat.
    """
    import pyworld

    wide = audio.astype(np.float64)
    f0, times = pyworld.dio(
        wide, SAMPLE_RATE_HZ, f0_floor=SOURCE_HZ[0], f0_ceil=SOURCE_HZ[1], frame_period=PERIOD_MS
    )
    f0 = pyworld.stonemask(wide, f0, times, SAMPLE_RATE_HZ)
    envelope = pyworld.cheaptrick(wide, f0, times, SAMPLE_RATE_HZ)
    hiss = pyworld.d4c(wide, f0, times, SAMPLE_RATE_HZ)
    voiced = f0 > 0
    if voiced.any():
        f0[voiced] *= mean_hz / np.exp(np.log(f0[voiced]).mean())
    made = pyworld.synthesize(
        f0, _stretch(envelope, throat), _stretch(hiss, throat), SAMPLE_RATE_HZ, PERIOD_MS
    )
    return np.pad(made, (0, max(0, len(audio) - len(made))))[: len(audio)].astype(np.float32)


def _stretch(frames: npt.NDArray[np.float64], throat: float) -> npt.NDArray[np.float64]:
    """Move what is at each frequency [frames, bins] to `throat` times that frequency."""
    bins = np.arange(frames.shape[1])
    source = np.minimum(bins / throat, bins[-1])
    below = np.minimum(source.astype(int), bins[-1] - 1)
    share = source - below
    logs = np.log(frames)
    moved = np.exp(logs[:, below] * (1 - share) + logs[:, below + 1] * share)
    return np.ascontiguousarray(moved)
