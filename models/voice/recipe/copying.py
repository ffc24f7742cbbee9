"""Copy synthesis: the vocoder from the recording's own features, against the recording.

    recording -> mel, pitch -> vocoder -> copy
    recording, copy -> 8 kHz, telephone band -> PESQ (narrow band), STOI

It tells what the vocoder alone loses; what the acoustic model loses comes on top, and has no
recording of the same length to be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.voice.recipe.dataset import Floats, Utterance
from models.voice.recipe.recognition import TELEPHONE_HZ, change_rate, telephone_band
from models.voice.recipe.settings import HOP, SAMPLE_RATE_HZ

_SEED = 5


def copies(checkpoint: Path, utterances: Sequence[Utterance]) -> list[Floats]:
    """What the vocoder of a checkpoint (averaged weights) makes of the utterances' features."""
    import torch

    from models.voice.recipe.vocoder import Vocoder

    vocoder = Vocoder()
    vocoder.load_state_dict(torch.load(checkpoint, weights_only=True)["averaged"])
    vocoder.eval()
    torch.manual_seed(_SEED)
    torch.set_num_threads(1)
    made = []
    for u in utterances:
        mel, log_f0, voiced = (torch.from_numpy(a)[None] for a in (u.mel, u.log_f0, u.voiced))
        with torch.no_grad():
            made.append(vocoder(mel, log_f0, voiced, torch.randn(1, u.frames * HOP))[0].numpy())
    return made


def likeness(utterances: Sequence[Utterance], made: Sequence[Floats]) -> dict[str, Any]:
    """How much the copies are like the recordings.

    Returns:
        `pesq`: ITU-T P.862 narrow band, mapped to MOS-LQO (P.862.1; at most 4.55), and `stoi` (Taal
        2011; at most 1), both in the telephone band; the same as `…_8k` with all of 0-4 kHz; and
        `stoi_16k` of the whole signal. Each with mean, least and count.
    """
    from pesq import pesq
    from pystoi import stoi

    found: dict[str, list[float]] = {}
    for utterance, copy in zip(utterances, made, strict=True):
        real = utterance.audio[: len(copy)]
        band, copied_band = telephone_band(real), telephone_band(copy)
        half = change_rate(real, SAMPLE_RATE_HZ, TELEPHONE_HZ)
        copied_half = change_rate(copy, SAMPLE_RATE_HZ, TELEPHONE_HZ)
        figures = {
            "pesq": pesq(TELEPHONE_HZ, band, copied_band, "nb"),
            "stoi": stoi(band, copied_band, TELEPHONE_HZ),
            "pesq_8k": pesq(TELEPHONE_HZ, half, copied_half, "nb"),
            "stoi_8k": stoi(half, copied_half, TELEPHONE_HZ),
            "stoi_16k": stoi(real, copy, SAMPLE_RATE_HZ),
        }
        for name, value in figures.items():
            found.setdefault(name, []).append(float(value))
    return {
        name: {"mean": float(np.mean(values)), "least": min(values), "count": len(values)}
        for name, values in found.items()
    }
