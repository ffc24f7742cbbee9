"""Spanish durations and intonation for a voice that has none: seconds and semitones by rule.

espeak-ng's times say how long a phone is among its neighbours; `timed_phones` corrects what a
diphone voice would make audible (closures counted to the vowel before, phrases that do not slow
down at their end). espeak-ng's own Spanish pitch is not used: its questions do not rise. The tune
follows the usual description of Latin American Spanish (Hualde, "The Sounds of Spanish", ch. 14):
peaks late in stressed syllables, each a step lower; a fall at the end of a statement; a rise before
a comma; a low last accent and a high end for a question that asks yes or no; a high start, and a
small rise at the end, for one with a question word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

VOWELS = "aeiouɛɪʊ"
_VOICED = VOWELS + "jwbdɡβðɣmnɲŋlɾrʝʎʒ"
_TYPICAL_MS = dict.fromkeys(VOWELS, 76.0) | dict.fromkeys("jw", 52.0) | dict.fromkeys("ptk", 80.0)
_TYPICAL_MS |= dict.fromkeys("bdɡ", 60.0) | dict.fromkeys("βðɣ", 48.0) | dict.fromkeys("fsxʃ", 88.0)
_TYPICAL_MS |= dict.fromkeys("mnŋlʎ", 62.0)
_TYPICAL_MS |= {"tʃ": 110.0, "ɲ": 74.0, "ɾ": 34.0, "r": 88.0, "ʝ": 62.0, "ʒ": 80.0, "dʒ": 90.0}
_DIPHTHONG_MS = 135.0
_CLOSURE_S = 0.04
"""espeak-ng counts the closure of a voiceless stop to the phone before: vowels before p, t, k and
tʃ are 114 to 140 ms on average, before s and f 77 ms (400 sentences)."""
_PAUSES_S = {",": 0.24, ";": 0.28, ":": 0.28, ".": 0.42, "?": 0.42, "!": 0.42}
EDGE_S = 0.15


@dataclass(frozen=True)
class Phone:
    """A phone to be spoken; `mark` is the punctuation right after it, or ""."""

    phone: str
    seconds: float
    stressed: bool
    mark: str

    @property
    def is_vowel(self) -> bool:
        """Whether it carries a syllable."""
        return self.phone[0] in VOWELS


def timed_phones(raw: Sequence[Phone]) -> list[Phone]:
    """The phones with durations that a listener would take for Spanish.

    Args:
        raw: phones with espeak-ng's durations.
    """
    seconds = [phone.seconds for phone in raw]
    for place, phone in enumerate(raw[1:], 1):
        if phone.phone in ("p", "t", "k", "tʃ"):
            taken = max(0.0, min(_CLOSURE_S, seconds[place - 1] - 0.045))
            seconds[place - 1] -= 0.0 if raw[place - 1].mark else taken
            seconds[place] += _CLOSURE_S
    done = []
    for place, phone in enumerate(raw):
        long = len(phone.phone) > 1 and phone.is_vowel
        typical = (_DIPHTHONG_MS if long else _TYPICAL_MS[phone.phone]) / 1000
        typical *= 1.2 if phone.stressed else 1.0
        length = typical * float(np.clip(seconds[place] / typical, 0.5, 2.0)) ** 0.5
        length *= _final_factor(raw, place)
        done.append(Phone(phone.phone, length, phone.stressed, phone.mark))
    return done


def pause_s(mark: str, last: bool) -> float:
    """Silence after a mark, in seconds."""
    return EDGE_S if last else _PAUSES_S[mark]


def _final_factor(raw: Sequence[Phone], place: int) -> float:
    """How much slower a phone is for the end of a phrase: the last syllable, and a little before.

    Spanish lengthens the last syllable by a third or so.
    """
    vowels = 0
    for phone in raw[place:]:
        vowels += phone.is_vowel
        if vowels > 2:
            return 1.0
        if phone.mark:
            return (1.25, 1.35, 1.12)[vowels] if raw[place].is_vowel else 1.12
    return 1.0


def tune(phones: Sequence[Phone], questions: Sequence[str]) -> list[list[tuple[float, float]]]:
    """Pitch of each phone: (seconds into the phone, semitones from the voice's middle).

    Args:
        phones: a whole text; every phrase ends in a phone with a mark.
        questions: for each sentence (it ends in one of ".?!"), "no", "yes-no" or "word".

    Returns:
        Targets of the voiced phones in order; none for the others.
    """
    times, levels = [0.0], [0.0]
    start = begin = sentence = 0
    now, clocks = 0.0, []
    for place, phone in enumerate(phones):
        clocks.append(now)
        now += phone.seconds
        if not phone.mark:
            continue
        kind = questions[min(sentence, len(questions) - 1)]
        ends = phone.mark in ".?!"
        shape = "statement" if ends and phone.mark != "?" else "comma"
        shape = kind if ends and phone.mark == "?" else shape
        shape = "cry" if phone.mark == "!" else shape
        points = _phrase(phones[start : place + 1], clocks[start:], shape, start == begin)
        times += [time for time, _ in points]
        levels += [level for _, level in points]
        now += pause_s(phone.mark, place == len(phones) - 1)
        start = place + 1
        if ends:
            sentence, begin = sentence + 1, start
    return [
        [
            (part * phone.seconds, _level(clock + part * phone.seconds, times, levels))
            for part in _parts(phone)
        ]
        if phone.phone[0] in _VOICED
        else []
        for phone, clock in zip(phones, clocks, strict=True)
    ]


def _parts(phone: Phone) -> list[float]:
    """Where in a phone its pitch is set: every 30 ms or so of a vowel, once in a consonant."""
    count = max(3, round(phone.seconds / 0.03)) if phone.is_vowel else 1
    return [(place + 0.5) / count for place in range(count)]


def _phrase(
    phones: Sequence[Phone], clocks: Sequence[float], shape: str, opens: bool
) -> list[tuple[float, float]]:
    """Corners of the tune of one phrase."""
    first, last = clocks[0], clocks[len(phones) - 1] + phones[-1].seconds
    high = {"yes-no": 1.5, "word": 2.0, "cry": 2.5}.get(shape, 1.5 if opens else 0.5)
    low = {"yes-no": 0.0, "word": -1.5, "comma": -0.5}.get(shape, -2.5)

    def base(time: float) -> float:
        return high + (low - high) * (time - first) / (last - first)

    accents = [i for i, phone in enumerate(phones) if phone.stressed]
    points = [(first, base(first) - 0.5)]
    height = {"yes-no": 3.5, "word": 4.5, "cry": 5.0}.get(shape, 3.5)
    for place in accents[:-1]:
        onset, end = clocks[place], clocks[place] + phones[place].seconds
        points += [(onset - 0.05, base(onset) - 0.3), (end, base(end) + height)]
        points.append((end + 0.14, base(end + 0.14) + 0.3 * height))
        height = max(2.0, 0.85 * height)
    place = accents[-1] if accents else max(0, len(phones) - 2)
    onset, end = clocks[place], clocks[place] + phones[place].seconds
    middle = (onset + end) / 2
    points = [point for point in points if point[0] < onset - 0.06]
    if shape in ("statement", "cry"):
        peak = min(height, 3.5) * 0.7 if shape == "statement" else height
        points += [(onset - 0.03, base(onset)), (middle, base(middle) + peak)]
        points += [(max(end + 0.05, (end + last) / 2), base(last) - 1.0), (last, base(last) - 2.0)]
    elif shape == "comma":
        points += [(onset - 0.03, base(onset) - 0.3), (end, base(end) + 2.5), (last, 4.0)]
    else:
        rise = 6.5 if shape == "yes-no" else 3.5
        foot = -2.0 if shape == "yes-no" else base(middle) - 0.5
        turn = onset + 0.3 * (end - onset) if end > last - 0.05 else middle
        points += [(onset, foot), (turn, foot), (last, rise)]
    return points


def _level(time: float, times: Sequence[float], levels: Sequence[float]) -> float:
    """The tune at a time: corners joined by half cosines, so that nothing bends sharply."""
    place = int(np.searchsorted(times, time, side="right"))
    if place == 0 or place == len(times):
        return levels[0 if place == 0 else -1]
    before, after = times[place - 1], times[place]
    part = (time - before) / max(after - before, 1e-6)
    smooth = (1 - np.cos(np.pi * part)) / 2
    return float(levels[place - 1] + (levels[place] - levels[place - 1]) * smooth)
