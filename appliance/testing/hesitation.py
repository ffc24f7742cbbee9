"""Callers who pause within an utterance, as people do while they think.

A sentence is rendered whole, with a comma at each pause, so that the words before a pause are
drawn out and unfinished as the synthesizer does it; then the silence that the comma made is
replaced by the pause that is wanted. Pauses are drawn from those of people (`PAUSES_MS`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.testing.activity import ACTIVE_DBM0, level_dbm0
from appliance.testing.g711 import Samples
from appliance.testing.peer import Speech
from appliance.testing.speech import CallerVoice, DigitRhythm
from appliance.types import LINE_RATE_HZ

_STEP_MS = 10
_STEP = LINE_RATE_HZ * _STEP_MS // 1000
_LEAST_MS = 60
"""A shorter silence is part of a word: the closure of a plosive."""

PAUSES_MS = ((0.0, 150), (0.25, 200), (0.5, 290), (0.75, 460), (0.9, 680), (0.95, 860), (1.0, 1500))
"""(share, ms): so many pauses inside utterances are shorter.

1,380 silences of 150 ms and more inside 631 utterances by adults (LibriSpeech train-clean-100,
speechocean762; 30 dB below the speech), cut at the 99th percentile. All of it was read aloud;
people who think on the telephone pause longer and more often.
"""


def draw_pause_ms(chance: np.random.Generator) -> int:
    """A pause as people make them, in milliseconds: `PAUSES_MS`, even between its quantiles."""
    shares, lengths = zip(*PAUSES_MS, strict=True)
    return int(np.interp(chance.random(), shares, lengths))


def speak_with_pauses(voice: CallerVoice, parts: Sequence[str], pauses_ms: Sequence[int]) -> Speech:
    """Render `parts` as one sentence with a pause of the given length between each two.

    Where the synthesizer makes no silence at a comma, the parts are rendered for themselves.

    Raises:
        ConfigError: see `CallerVoice.speak`.
    """
    text = " ".join(parts)
    whole = voice.speak(", ".join(parts)).samples
    silences = _longest_silences(whole, len(pauses_ms))
    if len(silences) < len(pauses_ms):
        pieces = [voice.speak(part).samples for part in parts]
    else:
        edges = [0, *(edge for silence in silences for edge in silence), len(whole)]
        pieces = [whole[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return Speech(_join(pieces, pauses_ms), text)


def spell_in_groups(
    voice: CallerVoice, digits: str, groups: Sequence[int], chance: np.random.Generator
) -> Speech:
    """Digits one by one, with a drawn pause between the groups.

    Raises:
        ConfigError: see `CallerVoice.speak`.
    """
    rhythm = DigitRhythm(group=len(digits), seed=int(chance.integers(1 << 31)))
    ends = np.cumsum(groups)
    spoken = [
        voice.spell(digits[end - length : end], rhythm)
        for end, length in zip(ends, groups, strict=True)
    ]
    pauses = [draw_pause_ms(chance) for _ in groups[1:]]
    samples = _join([each.samples for each in spoken], pauses)
    return Speech(samples, " ".join(each.text for each in spoken))


def _longest_silences(samples: Samples, count: int) -> list[tuple[int, int]]:
    """The `count` longest silences between sounds, in their order; fewer if there are not."""
    starts = range(0, len(samples), _STEP)
    quiet = [level_dbm0(samples[at : at + _STEP]) < ACTIVE_DBM0 for at in starts]
    edges = np.flatnonzero(np.diff([False, *quiet, False]))
    runs = [
        (int(start) * _STEP, int(end) * _STEP)
        for start, end in edges.reshape(-1, 2)
        if start > 0 and end < len(quiet) and (end - start) * _STEP_MS >= _LEAST_MS
    ]
    longest = sorted(runs, key=lambda run: run[0] - run[1])[:count]
    return sorted(longest)


def _join(pieces: Sequence[Samples], pauses_ms: Sequence[int]) -> Samples:
    joined = [pieces[0]]
    for pause_ms, piece in zip(pauses_ms, pieces[1:], strict=True):
        joined += [np.zeros(pause_ms * LINE_RATE_HZ // 1000, np.int16), piece]
    return np.concatenate(joined)
