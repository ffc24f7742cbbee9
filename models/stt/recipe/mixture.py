"""Draws training batches from the shards: the mixture of synthetic and real speech.

    shards ──draw by weight──► (speech, words) ──channel──► log-mel ──sorted by length──► batches

The folder is looked at again now and then, so training can begin while synthesis still writes.
"""

from __future__ import annotations

import bisect
import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import channel, features, shards

# Shares of the utterances by source. Real speech is scarce and repeats: about a quarter of the
# draws, or the model hears only machines; more, and it learns the recordings by heart.
SOURCE_WEIGHTS: dict[str, float] = {
    # espeak-ng has the most voices, but they are all one buzz: the recorded voices count more.
    "espeak": 0.12,
    "flite": 0.34,
    "piper": 0.21,
    "festival": 0.16,
    "fsdd": 0.09,
    "speechocean762_adult": 0.05,
    "speechocean762_child": 0.035,
    "librispeech_train-clean-100": 0.025,
    "kathleen": 0.045,
    "speech_commands_v001": 0.015,
    "picovoice_wakeword": 0.012,
    "mycroft_precise": 0.006,
    "mycroft_notwake_en": 0.002,
    "dc_tts_fork_male": 0.01,
    "asterisk_en_GB": 0.015,
    "asterisk_en_AU": 0.01,
}
NO_SPEECH_SHARE = 0.025  # calls on which nobody says a word
# How often a synthetic sentence of a kind is drawn, against its share in the shards: what the flows
# cannot do without counts more, general language less.
KIND_WEIGHTS: dict[str, float] = {
    "zip": 1.8,
    "digits": 1.3,
    "yesno": 1.8,
    "callers": 1.8,
    "call": 1.2,
    "name": 0.7,
    "general": 0.5,
    "words": 0.6,
    "corpus": 0.5,
}
# People who read numbers aloud are few and worth most: their strings of digits come this much more
# often than other recordings of the same corpus.
REAL_DIGITS_WEIGHT = 6.0
LONGEST_S = 11.0
_DIGITS = frozenset(
    ("zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
)


@dataclasses.dataclass(frozen=True)
class Example:
    """One utterance ready for the network: log-mel [80, T] and its words ("" if no speech)."""

    frames: np.ndarray
    text: str


@dataclasses.dataclass
class _Source:
    audio: list[np.ndarray]
    texts: list[str]
    sums: list[float]  # Running sums of the weights, beginning with 0.


def _weight(row: shards.Row, synthetic: bool) -> float:
    weight = KIND_WEIGHTS.get(row.kind, 1.0)
    if not synthetic and sum(word in _DIGITS for word in row.text.split()) > 2:
        weight *= REAL_DIGITS_WEIGHT
    return weight


class Mixture:
    """All training data of a folder, and draws from it.

    Args:
        folder: the data folder with ``train/`` shards and ``augment``.
        seed: of every random choice.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._rng = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._loaded: set[Path] = set()
        self._sources: dict[str, _Source] = {}
        self._digits: dict[str, list[tuple[np.ndarray, str]]] = {}
        self.kit = load_kit(folder)
        self.refresh()

    def refresh(self) -> list[str]:
        """Loads shards that are new; returns their sentences."""
        fresh: list[str] = []
        for path in shards.list_shards(self._folder / "train"):
            if path in self._loaded:
                continue
            self._loaded.add(path)
            for samples, row in zip(*shards.read_shard(path), strict=True):
                if row.held_out:
                    raise ValueError(f"{path}: a held-out utterance among the training shards")
                synthetic = path.name.startswith("synth")
                name = row.speaker.split(":")[0] if synthetic else row.kind
                source = self._sources.setdefault(name, _Source([], [], [0.0]))
                if len(samples) <= LONGEST_S * shards.RATE_HZ:
                    source.audio.append(samples)
                    source.texts.append(row.text)
                    source.sums.append(source.sums[-1] + _weight(row, synthetic))
                    fresh.append(row.text)
                if name == "fsdd":
                    self._digits.setdefault(row.speaker, []).append((samples, row.text))
        return fresh

    def sentences(self) -> list[str]:
        """All sentences loaded so far, repeated as often as they are spoken."""
        return [text for source in self._sources.values() for text in source.texts]

    def hours(self) -> float:
        """Hours of different clean speech loaded."""
        counts = (len(a) for source in self._sources.values() for a in source.audio)
        return sum(counts) / shards.RATE_HZ / 3600

    def example(self) -> Example:
        """Draws one utterance and sends it through a telephone call."""
        if self._rng.random() < NO_SPEECH_SHARE:
            wave = channel.simulate_no_speech(self._noise, self.kit)
            return Example(features.log_mel(wave), "")
        names = [name for name in SOURCE_WEIGHTS if name in self._sources]
        name = self._rng.choices(names, weights=[SOURCE_WEIGHTS[n] for n in names])[0]
        if name == "fsdd" and self._rng.random() < 0.8:
            speech, text = self._joined_digits()
        else:
            source = self._sources[name]
            place = bisect.bisect_left(source.sums, self._rng.uniform(0, source.sums[-1])) - 1
            place = max(0, place)
            speech, text = source.audio[place], source.texts[place]
        wave = channel.simulate(self._noise, speech.astype(np.float32) / 32768, self.kit)
        frames = features.log_mel(wave)
        if self._rng.random() < 0.45:
            frames = features.warp(frames, self._rng.uniform(0.9, 1.2))
        return Example(frames, text)

    def batches(self, seconds: float, pool: int) -> Iterator[list[Example]]:
        """Endless batches of about ``seconds`` of sound, of similar length inside a batch."""
        limit = seconds * shards.RATE_HZ / features.HOP
        while True:
            drawn = sorted((self.example() for _ in range(pool)), key=lambda e: e.frames.shape[1])
            ready: list[list[Example]] = [[]]
            for example in drawn:
                if ready[-1] and (len(ready[-1]) + 1) * example.frames.shape[1] > limit:
                    ready.append([])
                ready[-1].append(example)
            self._rng.shuffle(ready)
            yield from ready

    def _joined_digits(self) -> tuple[np.ndarray, str]:
        return join_digits(
            self._rng,
            self._digits[self._rng.choice(sorted(self._digits))],
            self._rng.choice((2, 3, 4, 5, 5, 5, 5, 6, 7, 10)),
        )


def join_digits(
    rng: random.Random, spoken: list[tuple[np.ndarray, str]], count: int
) -> tuple[np.ndarray, str]:
    """Joins single digits of one speaker with the gaps of somebody reading a number.

    Args:
        rng: source of the choices.
        spoken: (int16 samples, word) of one speaker.
        count: how many digits.

    Returns:
        int16 samples and the words.
    """
    parts, words = [], []
    pace = rng.uniform(0.0, 0.25)
    for place in range(count):
        samples, word = rng.choice(spoken)
        words.append(word)
        parts.append(samples)
        if place + 1 < count:
            gap_s = max(0.0, rng.gauss(pace, 0.05)) + (
                rng.uniform(0.1, 0.4) if rng.random() < 0.1 else 0.0
            )
            parts.append(np.zeros(int(gap_s * shards.RATE_HZ), np.int16))
    return np.concatenate(parts), " ".join(words)


def load_kit(folder: Path) -> channel.Kit:
    """The sounds of the data folder's `augment` and `augment-speech`; empty where it has none."""
    found: dict[str, list[np.ndarray]] = {
        kind: [] for kind in ("noise", "impulse", "tone", "babble", "prompt")
    }
    for path in (folder / "augment", folder / "augment-speech"):
        if not path.with_suffix(".json").exists():
            continue
        for samples, row in zip(*shards.read_shard(path), strict=True):
            if row.kind in found and len(samples) > 400:
                found[row.kind].append(samples.astype(np.float32) / 32768)
    return channel.Kit(*(tuple(sounds) for sounds in found.values()))
