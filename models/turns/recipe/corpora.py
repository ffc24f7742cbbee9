"""Reads recorded speech and noise for the judges of turn-taking, and sends it over a telephone.

    clips(speech, corpus)      -> Clip…       one recording each, 8 kHz, with its speaker
    sounds(speech)             -> Sounds      noises, rooms, tones
    over_the_line(rng, wave…)  -> float32     the same samples as a call would bring them

Each corpus is a tar of mono audio beside a tsv (file, speaker, seconds, text). The folder of them
is an argument: no audio is part of the project. The split of the speakers is that of the
recognizer's recipe, so that whoever is held out there is held out here.
"""

from __future__ import annotations

import csv
import hashlib
import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.audio import channel, codecs
from appliance.audio import sounds as made
from models.stt.recipe.corpora import is_held_out_speaker

RATE_HZ = 8000
HELD_OUT_CORPORA = frozenset({"asterisk_en_AU"})
# Corpora without labels of speakers: a recording in so many is held out, by a hash of its name.
_UNLABELLED = frozenset({"unknown", "unknown-en", "unknown(>50)"})
_HELD_OUT_ONE_IN = 8
_CODECS: tuple[codecs.Codec, ...] = ("pcmu", "pcma", "linear", "gsm", "amr", "g722")
_SHARES = (0.55, 0.25, 0.08, 0.05, 0.04, 0.03)


@dataclass(frozen=True)
class Clip:
    """One recording: float32 in [-1, 1] at RATE_HZ, shape [n]. `text` as the corpus has it."""

    corpus: str
    file: str
    speaker: str
    text: str
    wave: np.ndarray

    @property
    def held_out(self) -> bool:
        """Whether it is kept for judging."""
        return is_held_out(self.corpus, self.speaker, self.file)


@dataclass(frozen=True)
class Sounds:
    """What is not speech to us: float32 arrays at RATE_HZ."""

    noises: tuple[np.ndarray, ...] = ()
    rooms: tuple[np.ndarray, ...] = ()
    tones: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class Line:
    """The conditions of one call.

    `snr_db`: active speech level over the noise; None: no noise is added at all.
    """

    level_db: float = channel.LEVEL_DBFS
    snr_db: float | None = 40.0
    codec: codecs.Codec = "pcmu"
    loss: float = 0.0
    room: float = 0.0


def is_held_out(corpus: str, speaker: str, file: str) -> bool:
    """Whether a recording is for judging only: by speaker where the corpus tells them apart."""
    if corpus in HELD_OUT_CORPORA:
        return True
    if speaker in _UNLABELLED:
        return hashlib.sha256(file.encode()).digest()[0] % _HELD_OUT_ONE_IN == 0
    return is_held_out_speaker(speaker)


def clips(
    speech: Path, corpus: str, limit: int | None = None, held_out: bool | None = None
) -> Iterator[Clip]:
    """The recordings of a corpus, in the order of its tar.

    Args:
        speech: the folder of the corpora.
        corpus: the name of the tar and the tsv.
        limit: at most about so many, spread over the corpus.
        held_out: only those of this side of the split.
    """
    with (speech / f"{corpus}.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if held_out is not None:
        rows = [row for row in rows if is_held_out(corpus, row["speaker"], row["file"]) is held_out]
    step = max(1, len(rows) // limit) if limit else 1
    wanted = {row["file"]: row for row in rows[::step]}
    with tarfile.open(speech / f"{corpus}.tar") as tar:
        for member in tar:
            row, source = wanted.get(Path(member.name).name), None
            if row is not None:
                source = tar.extractfile(member)
            if row is not None and source is not None:
                wave = _decode(source.read())
                yield Clip(corpus, row["file"], row["speaker"], row["text"], wave)


def sounds(speech: Path, longest_s: float = 60.0) -> Sounds:
    """What `augment.tar` holds: the kind is the start of a file's name."""
    kinds: dict[str, list[np.ndarray]] = {"noise": [], "impulse": [], "tone": []}
    with tarfile.open(speech / "augment.tar") as tar:
        for member in tar:
            source = tar.extractfile(member) if member.isfile() else None
            kind = Path(member.name).name.split("_")[0]
            if source is not None and kind in kinds:
                seconds = 2.0 if kind == "impulse" else longest_s
                kinds[kind].append(_decode(source.read())[: int(seconds * RATE_HZ)])
    return Sounds(tuple(kinds["noise"]), tuple(kinds["impulse"]), tuple(kinds["tone"]))


def draw_line(rng: np.random.Generator) -> Line:
    """A random ordinary call: most are clean and G.711, some from a noisy place or a mobile."""
    return Line(
        level_db=rng.uniform(-34, -15),
        snr_db=rng.uniform(8, 25) if rng.random() < 0.35 else rng.uniform(25, 55),
        codec=_CODECS[rng.choice(len(_CODECS), p=_SHARES)],
        loss=rng.uniform(0.005, 0.06) if rng.random() < 0.12 else 0.0,
        room=rng.uniform(0.1, 0.6) if rng.random() < 0.2 else 0.0,
    )


def over_the_line(
    rng: np.random.Generator, wave: np.ndarray, line: Line, around: Sounds
) -> np.ndarray:
    """One recording over one call; sample n of the result is sample n of `wave`.

    Args:
        rng: source of the noise, the room and the losses.
        wave: float32 at RATE_HZ, with whatever silence around it is wanted.
        line: the call's conditions.
        around: noises and rooms to draw from; without any, noise is made.
    """
    if line.room and around.rooms:
        room = around.rooms[rng.integers(len(around.rooms))]
        direct = int(np.argmax(np.abs(room)))  # so that the direct sound stays where it was
        wave = channel.reverberate(wave, room[direct:], line.room)
    wave = channel.set_level(np.asarray(wave, np.float32), line.level_db)
    if line.snr_db is not None:
        wave = wave + channel.set_rms(_noise(rng, len(wave), around), line.level_db - line.snr_db)
    band = channel.WIDE_BAND_HZ if line.codec == "g722" else channel.BAND_HZ
    wave = codecs.round_trip(channel.band_limit(wave, *band), line.codec)
    return channel.lose_packets(rng, wave, line.loss)


def to_pcm(wave: np.ndarray) -> bytes:
    """float32 in [-1, 1] as s16le."""
    return (np.clip(wave, -1, 1) * 32767).astype("<i2").tobytes()


def _noise(rng: np.random.Generator, length: int, around: Sounds) -> np.ndarray:
    if around.noises and rng.random() < 0.5:
        track = around.noises[rng.integers(len(around.noises))]
        start = int(rng.integers(max(1, len(track) - length)))
        return np.resize(track[start : start + length], length).astype(np.float32)
    return made.noise(rng, length, slope=rng.uniform(0, 0.9))


def _decode(data: bytes) -> np.ndarray:
    import soundfile
    from scipy.signal import resample_poly

    wave, rate_hz = soundfile.read(io.BytesIO(data), dtype="float32")
    if wave.ndim > 1:
        wave = wave.mean(axis=1)
    if rate_hz != RATE_HZ:
        wave = resample_poly(wave, RATE_HZ, rate_hz)
    return np.asarray(wave, np.float32)
