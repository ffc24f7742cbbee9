"""Calls on which nobody speaks: of noise, music and tones a recognizer must write nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.audio import channel, sounds
from appliance.audio.codecs import Codec, round_trip
from appliance.audio.level import Samples, to_pcm
from appliance.errors import EngineError
from appliance.stt.intervals import rate
from appliance.stt.recognizer import NO_HINT, Hint, Recognizer
from appliance.types import LINE_RATE_HZ

KINDS = ("silence", "hiss", "white noise", "rumble", "hum", "music", *sounds.TONES)
TALK = "talk in the background"
"""Reported beside the others: words may be made out of people who talk."""
HINTS = (NO_HINT, Hint("zip", digits=5), Hint("yes_no"))
"""What a dialogue may wait for meanwhile: a hint must not make words of noise."""
CLIP_S = 5.0
_CODECS: tuple[Codec, ...] = ("pcmu", "pcma", "gsm")


@dataclass(frozen=True, slots=True)
class Clip:
    """One stretch of a call without a caller's words."""

    kind: str
    pcm: bytes
    hint: Hint = NO_HINT


def clips(minutes: float, seed: int, talk: Sequence[Samples] = ()) -> Iterator[Clip]:
    """So many minutes in clips of `CLIP_S`, the kinds by turns, each with every hint by turns.

    Args:
        minutes: of all kinds together.
        seed: of every choice.
        talk: speech; where there is any, background talk comes on top, as long as one kind.
    """
    rng = np.random.default_rng(seed)
    count = int(minutes * 60 / CLIP_S)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        hint = HINTS[number // len(KINDS) % len(HINTS)]
        yield Clip(kind, _call(rng, kind, talk), hint)
    if talk:
        for number in range(count // len(KINDS)):
            yield Clip(TALK, _call(rng, TALK, talk), HINTS[number % len(HINTS)])


def judge_quiet(
    recognizer: Recognizer, heard: Iterator[Clip], surest: float
) -> dict[str, dict[str, object]]:
    """How often words are written, by kind and over all but talk.

    Args:
        recognizer: what is judged.
        heard: the clips.
        surest: confidence from which the dialogue acts on words.

    Returns:
        For each kind: clips, with_text, acted_on, share (a rate) and some of the words.
    """
    found: dict[str, list[tuple[str, float]]] = {}
    for clip in heard:
        try:
            transcript = recognizer.recognize(clip.pcm, clip.hint)
        except EngineError as error:  # a failure is no text, but must be seen
            found.setdefault(f"{clip.kind}: {error}", []).append(("", 0.0))
            continue
        found.setdefault(clip.kind, []).append((transcript.text, transcript.confidence))
    everything = [each for kind, part in found.items() if kind != TALK for each in part]
    return {
        kind: _count(part, surest) for kind, part in [("all", everything), *sorted(found.items())]
    }


def _count(part: list[tuple[str, float]], surest: float) -> dict[str, object]:
    texts = [text for text, _ in part if text]
    acted = sum(bool(text) and confidence >= surest for text, confidence in part)
    return {
        "clips": len(part),
        "with_text": len(texts),
        "acted_on": acted,
        "share": rate(len(texts), len(part)).as_json(),
        "words": sorted(set(texts))[:8],
    }


def _call(rng: np.random.Generator, kind: str, talk: Sequence[Samples]) -> bytes:
    """One clip at a random level, in the telephone band, over faint hiss, through a codec."""
    length = int(CLIP_S * LINE_RATE_HZ)
    level = rng.uniform(-50, -14) if kind != TALK else rng.uniform(-55, -32)
    sound = channel.set_level(_sound(rng, kind, length, talk), level)
    hiss = channel.set_rms(sounds.noise(rng, length), rng.uniform(-75, -55))
    wave = channel.band_limit(sound + hiss, *channel.BAND_HZ)
    return to_pcm(round_trip(wave, _CODECS[int(rng.integers(len(_CODECS)))]))


def _sound(rng: np.random.Generator, kind: str, length: int, talk: Sequence[Samples]) -> Samples:
    if kind in sounds.TONES:
        return sounds.tone(rng, kind, length)
    slopes = {"white noise": 0.0, "hiss": 0.5, "rumble": 1.0}
    if kind in slopes:
        return sounds.noise(rng, length, slopes[kind])
    if kind == "music":
        return sounds.music(rng, length)
    if kind == "hum":
        return sounds.hum(rng, length)
    if kind == TALK:
        return sounds.babble(rng, talk, length, int(rng.integers(4, 9)))
    return np.zeros(length, np.float32)
