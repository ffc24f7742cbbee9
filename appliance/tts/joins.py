"""Goes over from the start of a sentence that is being played to the sentence as it must be.

    head      |Your remaining balance is|        rendered before, with another amount, and cut
    sentence  |Your remaining balance is fifty dollars.|
    played    |Your rem~aining balance is fifty dollars.|
                       ^ seam: same phone, same phase, same level, 15 ms of cross-fade

Both are rendered by one voice from texts that begin alike, so far from the slot they are nearly
the same samples. Nearer to it the voice speaks a little otherwise; there the phones say which
place belongs to which, and the best agreement of the waveforms within a pitch period says it to
the sample. Pure functions of audio; nothing here knows of calls or of time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from appliance.audio.fades import cross_fade, rising
from appliance.audio.level import Samples, to_float, to_pcm
from appliance.audio.limiter import limit
from appliance.tts.likeness import BORDERS, counterpart
from appliance.tts.voice import Phone, Spoken
from appliance.types import LINE_RATE_HZ

MIN_HEAD_MS = 300
"""A shorter head is over before a sentence can be rendered and joined to it."""

_FADE = 15 * LINE_RATE_HZ // 1000
_EDGE = 5 * LINE_RATE_HZ // 1000  # the start of a rest that nothing is joined to
_DYING = 15 * LINE_RATE_HZ // 1000  # the end of a head: there the word after it begins to sound
_GRID = 10 * LINE_RATE_HZ // 1000  # distance of the places that are looked at
_LAG = 8 * LINE_RATE_HZ // 1000  # 125 Hz: some pitch period of a man's voice lies within
_WINDOW = 24 * LINE_RATE_HZ // 1000  # what must agree around a seam: the fade and a little more
_LAG_COST = 1e-3  # of two places that agree alike, the one where time agrees too
_MOST_GAIN = 10 ** (3 / 20)  # more than 3 dB is no matter of levels: the texts differ
_MOST_PHONES = 12  # of a word that a voice may put in


@dataclass(frozen=True, slots=True)
class Seam:
    """Where the head is left and the sentence entered: samples from their starts.

    `cost`: power of the difference around it, relative to the head's; 0 is no difference.
    """

    head_at: int
    sentence_at: int
    cost: float


def cut_head(first: Spoken, second: Spoken) -> Spoken | None:
    """What two renderings of one sentence with different slots have in common at their start.

    It ends at the last word border before they differ. None if that is too short to be played
    while a sentence is rendered, or if the voice gives no timings.
    """
    count = _alike(first.phones, second.phones)
    while count and first.phones[count - 1].symbol not in BORDERS:
        count -= 1
    phones = first.phones[:count]
    samples = sum(phone.samples for phone in phones)
    if samples * 1000 < MIN_HEAD_MS * LINE_RATE_HZ:
        return None
    return Spoken(first.pcm[: 2 * samples], phones)


def playable(head: Spoken) -> bytes:
    """The head as it is played where nothing is joined to it: its end is faded out."""
    samples = to_float(head.pcm).copy()
    edge = min(_DYING, len(samples))
    samples[len(samples) - edge :] *= rising(edge)[::-1]
    return to_pcm(samples)


class Continuation:
    """A sentence, whole or going on from a head which may be playing already.

    Making one costs some milliseconds (the seams are looked for); `after` costs next to nothing.
    `whole` is all of it, as if there were no head.
    """

    def __init__(self, head: Spoken | None, sentence: Spoken) -> None:
        """`sentence` should begin with the head's words."""
        self.whole = sentence.pcm
        self.seams: tuple[Seam, ...] = ()
        self._head: Samples | None = None
        if head is not None:
            self._match(head, sentence)

    def _match(self, head: Spoken, sentence: Spoken) -> None:
        self._head = to_float(head.pcm)
        self._playable = to_float(playable(head))
        heads, sentences = _starts(head.phones), _starts(sentence.phones)
        alike = _alike(head.phones, sentence.phones)
        said = to_float(sentence.pcm)
        louder = _gain(self._head[: heads[alike]], said[: sentences[alike]])
        self._sentence = limit(said * louder)
        self._rest_at = _end_of(head, sentence, alike)
        self.seams = find_seams(
            self._head, self._sentence, heads[: alike + 1], sentences[: alike + 1]
        )

    def after(self, played: int) -> bytes:
        """What is played after the first `played` samples of the head; 0: all of it."""
        if self._head is None or not played:
            return self.whole
        ahead = [seam for seam in self.seams if seam.head_at - _FADE // 2 >= played]
        if ahead:
            seam = min(ahead, key=lambda each: each.cost)
            return to_pcm(_cross_fade(self._head, self._sentence, seam)[played:])
        rest = self._sentence[self._rest_at :].copy()
        edge = min(_EDGE, len(rest))
        rest[:edge] *= rising(edge)
        return to_pcm(np.concatenate([self._playable[played:], rest]))


def find_seams(
    head: Samples, sentence: Samples, heads: list[int], sentences: list[int]
) -> tuple[Seam, ...]:
    """Places where one may go over into the other, in the order of time.

    Args:
        head: samples in [-1, 1) at LINE_RATE_HZ.
        sentence: the same, of all that is to be said.
        heads: where each phone that they have in common starts in the head, and the last one ends.
        sentences: where the same phones start and end in the sentence.
    """
    head, sentence = head.astype(np.float64), sentence.astype(np.float64)
    energy = _WINDOW * float(np.mean(head**2)) if len(head) else 0.0
    if energy <= 0:
        return ()
    half, seams = _WINDOW // 2, []
    squares = np.concatenate([[0.0], np.cumsum(sentence**2)])
    for at in range(half, min(heads[-1], len(head)) - half + 1, _GRID):
        there = round(float(np.interp(at, heads, sentences)))
        low, high = max(there - half - _LAG, 0), there + half + _LAG
        if high > len(sentence):
            break
        here = head[at - half : at + half]
        places = sentence[low:high]  # (a - b)^2 = a^2 + b^2 - 2ab, for all lags at once
        theirs = squares[low + _WINDOW : high + 1] - squares[low : high + 1 - _WINDOW]
        off = np.abs(theirs + here @ here - 2 * np.correlate(places, here, "valid")) / energy
        lags = np.abs(np.arange(low + half, low + half + len(off)) - there)
        best = int(np.argmin(off + _LAG_COST * lags / _LAG))
        seams.append(Seam(at, low + half + best, float(off[best])))
    return tuple(seams)


def _cross_fade(head: Samples, sentence: Samples, seam: Seam) -> Samples:
    half = _FADE // 2
    leaving = head[seam.head_at - half : seam.head_at + half]
    entering = sentence[seam.sentence_at - half : seam.sentence_at + half]
    mixed = cross_fade(leaving, entering)
    tail = sentence[seam.sentence_at + half :]
    return np.concatenate([head[: seam.head_at - half], mixed, tail]).astype(np.float32)


def _gain(head: Samples, sentence: Samples) -> np.float32:
    """What brings the sentence to the head's level, judged by what both say."""
    if not len(head) or not len(sentence):
        return np.float32(1)
    ours, theirs = float(np.sqrt(np.mean(head**2))), float(np.sqrt(np.mean(sentence**2)))
    if ours <= 0 or theirs <= 0:
        return np.float32(1)
    return np.float32(min(max(ours / theirs, 1 / _MOST_GAIN), _MOST_GAIN))


def _alike(first: tuple[Phone, ...], second: tuple[Phone, ...]) -> int:
    """How many phones they have in common at their start."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one.symbol != other.symbol:
            break
        count += 1
    return count


def _starts(phones: tuple[Phone, ...]) -> list[int]:
    """Where each phone starts, and where the last one ends."""
    return [0, *accumulate(phone.samples for phone in phones)]


def _end_of(head: Spoken, sentence: Spoken, alike: int) -> int:
    """Where in a sentence the head's words end, samples; `alike` phones at the start are the same.

    Without timings the head's length is all that is known.
    """
    if not sentence.phones:
        return len(head.pcm) // 2
    said = [phone.symbol for phone in head.phones[alike:]]
    longest = 2 * len(said) + _MOST_PHONES  # no more of the sentence can be the same words
    theirs = [phone.symbol for phone in sentence.phones[alike : alike + longest]]
    return _starts(sentence.phones)[alike + counterpart(said, theirs)]
