"""The telephone lines on which a recognizer is judged: noise levels, codecs, loss, by name.

A line and the place of an utterance in its set seed everything, so every run and every recognizer
hears the same samples.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from appliance.audio import channel, sounds
from appliance.audio.codecs import Codec
from appliance.audio.level import Samples, to_pcm
from appliance.stt.evaluation import Utterance
from appliance.testing.hearing.sets import Spoken

Noise = Literal["hiss", "talk", "either"]
_TALKERS = (4, 9)  # fewer than four can be made out


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of call.

    Attributes:
        name: in tables and figures.
        snr_db: speech over noise; None: no line at all, the utterance as it was recorded.
        codec: see `appliance.audio.codecs`.
        noise: "hiss" is pink noise, "talk" people in the background, "either" two of
            the one and two of the other by turns (voices may alternate one by one).
        loss: share of packets lost.
    """

    name: str
    snr_db: float | None
    codec: Codec = "pcmu"
    noise: Noise = "either"
    loss: float = 0.0


REFERENCE = Line("20 dB", 20.0)
LEVELS = (Line("clean", None), REFERENCE, Line("10 dB", 10.0), Line("5 dB", 5.0))
OTHERS = (
    Line("hiss, 10 dB", 10.0, noise="hiss"),
    Line("talk, 10 dB", 10.0, noise="talk"),
    Line("A-law, 20 dB", 20.0, "pcma"),
    Line("GSM, 20 dB", 20.0, "gsm"),
    Line("AMR, 20 dB", 20.0, "amr"),
    Line("G.722, 20 dB", 20.0, "g722"),
    Line("3% loss, 20 dB", 20.0, loss=0.03),
)


def utterances(
    name: str, spoken: Sequence[Spoken], line: Line, talk: Sequence[Samples]
) -> Iterator[Utterance]:
    """A set through a line.

    Args:
        name: of the set, part of the seed.
        spoken: its utterances.
        line: what they pass through.
        talk: speech of which the background talk is mixed, at LINE_RATE_HZ.
    """
    for number, each in enumerate(spoken):
        seed = zlib.crc32(f"{name}/{number}/{line.name}".encode())
        wave = through(each.wave, line, np.random.default_rng(seed), talk, number)
        group = each.speaker.partition(":")[0]
        yield Utterance(each.name, each.said, to_pcm(wave), each.hint, group)


def through(
    wave: Samples, line: Line, rng: np.random.Generator, talk: Sequence[Samples], number: int = 0
) -> Samples:
    """One utterance through a line; `number` decides between two noises by turns."""
    if line.snr_db is None:
        return channel.clean(wave)
    noise = None
    if talk and (line.noise == "talk" or (line.noise == "either" and number // 2 % 2)):
        noise = sounds.babble(rng, talk, len(wave) + 6000, int(rng.integers(*_TALKERS)))
    return channel.telephone(wave, rng, line.snr_db, line.codec, noise, line.loss)
