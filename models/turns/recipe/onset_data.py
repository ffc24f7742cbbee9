"""Makes the lessons of the onset judge: sounds over telephone lines, hop by hop what they are.

    python -m models.turns.recipe.onset_data --speech DIR --data DIR [--scale 1.0]

    scene (words, a hum, a noise, one after the other) -> line -> Gate -> features of each sound
    words, before the line -> where they are loud -> a label for each hop: has somebody spoken yet?

Three parts by speaker: `train`, `dev` (thresholds are chosen on it) and `test` (the speakers that
are held out everywhere; only reported). Written to DIR/onset-PART.npz.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from appliance.audio import channel, onset
from appliance.audio.vad import level_db
from appliance.types import FRAME_SAMPLES

from . import onset_acknowledgements as hums
from . import onset_engines, onset_noises
from .corpora import RATE_HZ, Clip, Sounds, clips, draw_line, over_the_line, sounds, to_pcm

PARTS = ("train", "dev", "test")
# Recordings taken of each corpus, and how many of a speaker are taken apart for his hum.
CORPORA = {
    "librispeech_train-clean-100": 400, "speechocean762_adult": 2400, "speechocean762_child": 1000,
    "speech_commands_v001": 1500, "picovoice_wakeword": 900, "mycroft_precise": 500,
    "mycroft_notwake_en": 48, "fsdd": 900, "kathleen": 400, "dc_tts_fork_male": 150,
    "asterisk_en_GB": 350, "asterisk_en_AU": 200,
}  # fmt: skip
_APART = 8
_DEV_ONE_IN = 10
# Scenes for each part: words by engines, hums by engines, hums of recorded voices, noises, lines
# on which nothing happens.
_COUNTS = {
    "train": (9000, 6500, 10000, 4000, 200),
    "dev": (600, 600, 1600, 600, 30),
    "test": (0, 0, 1000, 500, 30),
}
_DRAWN = 0.25  # share of the hums by voices that do not exist
_STEEP = 0.3  # share of the lines that cut off the lowest sounds at once
_LONGEST_HOPS = 130
_BEFORE_S = 1.2  # the gate learns the line's noise in it
_BELOW_ACTIVE_DB = 20.0
_CLEAN_DB = 24.0  # recordings with less between speech and noise do not tell where speech begins
HOPS_A_FRAME = FRAME_SAMPLES // onset.HOP


@dataclasses.dataclass(frozen=True)
class Scene:
    """What happens on a line. `words`: for each hop whether somebody speaks words."""

    wave: np.ndarray
    words: np.ndarray
    kind: str
    source: str


@dataclasses.dataclass(frozen=True)
class Heard:
    """One sound that the gate let through.

    Attributes:
        rows: features of its hops, [n, FEATURES].
        spoken: for each hop whether words have begun, [n].
        late: hops of words that had gone by when the gate opened.
    """

    rows: np.ndarray
    spoken: np.ndarray
    late: int


def part_of(clip: Clip) -> str:
    """Which part a speaker belongs to."""
    if clip.held_out:
        return "test"
    name = clip.file if clip.speaker.startswith("unknown") else clip.speaker
    return "dev" if hashlib.sha256(name.encode()).digest()[1] % _DEV_ONE_IN == 0 else "train"


def word_hops(wave: np.ndarray) -> np.ndarray | None:
    """For each hop whether speech is loud; None where noise hides its beginnings.

    Stretches under 50 ms that stand alone are no words; gaps under 100 ms are bridged.
    """
    hops = wave[: len(wave) // onset.HOP * onset.HOP].reshape(-1, onset.HOP)
    if len(hops) < 10:
        return None
    level = 10 * np.log10(np.mean(hops**2, axis=1) + 1e-12)
    active = channel.active_level(wave)
    quiet = float(np.percentile(level, 5))
    if np.percentile(level, 95) - quiet < _CLEAN_DB and quiet > active - _CLEAN_DB:
        return None
    loud = level > active - _BELOW_ACTIVE_DB
    edges = np.flatnonzero(np.diff(np.concatenate([[0], loud.astype(int), [0]])))
    spans: list[list[int]] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        if spans and begin - spans[-1][1] < 10:
            spans[-1][1] = int(end)
        else:
            spans.append([int(begin), int(end)])
    words = np.zeros(len(hops), bool)
    for begin, end in spans:
        words[begin:end] = end - begin >= 5
    return words


def hear(scene: Scene) -> list[Heard]:
    """The sounds of a scene as the judge would hear them."""
    frames = scene.wave[: len(scene.wave) // FRAME_SAMPLES * FRAME_SAMPLES]
    pcm = to_pcm(frames)
    samples = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
    gate, heard = onset.Gate(), []
    open_at, floor_db = None, 0.0
    count = len(samples) // FRAME_SAMPLES
    for index in range(count):
        frame = pcm[index * 2 * FRAME_SAMPLES : (index + 1) * 2 * FRAME_SAMPLES]
        before = gate.floor_db
        is_open = gate.push(level_db(frame))
        if is_open and open_at is None:
            open_at, floor_db = index, before
        if open_at is not None and (not is_open or index == count - 1):
            heard.append(_sound(scene, samples, max(1, open_at), index, floor_db))
            open_at = None
    return heard


def _sound(scene: Scene, samples: np.ndarray, begin: int, end: int, floor_db: float) -> Heard:
    end = min(end, begin + _LONGEST_HOPS // HOPS_A_FRAME)
    piece = samples[(begin - 1) * FRAME_SAMPLES : end * FRAME_SAMPLES]
    past = np.zeros(onset.WINDOW - onset.HOP, np.float32)
    rows = onset.Features(floor_db).of(np.concatenate([past, piece]))
    first = (begin - 1) * HOPS_A_FRAME
    words = np.zeros(first + len(rows), bool)
    words[: len(scene.words)] = scene.words[: len(words)]
    back = words[max(0, first - 30) : first][::-1]
    late = int(np.argmin(back)) if len(back) and not back.all() else len(back)
    return Heard(rows, np.maximum.accumulate(words[first:]), late)


def on_a_line(
    rng: np.random.Generator, parts: list[tuple[np.ndarray, bool]], kind: str, source: str,
    around: Sounds,
) -> Scene | None:  # fmt: skip
    """Sounds one after the other on a random line; None where words are hidden in noise.

    Args:
        rng: source of the line.
        parts: sound, and whether it is words.
        kind: told in the data.
        source: told in the data.
        around: noises and rooms.
    """
    line = draw_line(rng)
    if kind in ("hum", "noise"):
        line = dataclasses.replace(line, level_db=line.level_db - rng.uniform(-4, 10))
    waves = [np.zeros(int((_BEFORE_S + rng.uniform(0, 0.02)) * RATE_HZ), np.float32)]
    said = [np.zeros(len(waves[0]), bool)]
    for wave, is_words in parts:
        levelled = channel.set_level(wave, -20.0 + rng.uniform(-6, 3))
        words = word_hops(levelled) if is_words else np.zeros(len(wave) // onset.HOP, bool)
        if words is None:
            return None
        each = np.zeros(len(wave), bool)
        each[: len(words) * onset.HOP] = np.repeat(words, onset.HOP)[: len(wave)]
        gap = np.zeros(int(rng.uniform(0.03, 0.25) * RATE_HZ), np.float32)
        waves += [levelled, gap]
        said += [each, np.zeros(len(gap), bool)]
    wave, mask = np.concatenate(waves), np.concatenate(said)
    if rng.random() < _STEEP:
        wave = steep_band(rng, wave)
    hops = mask[: len(mask) // onset.HOP * onset.HOP].reshape(-1, onset.HOP).any(axis=1)
    return Scene(over_the_line(rng, wave, line, around), hops, kind, source)


def steep_band(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """What a telephone does that begins at 300 Hz or so at once: a hum loses most of its murmur."""
    hertz = np.fft.rfftfreq(len(wave), 1 / RATE_HZ)
    low, skirt = rng.uniform(220, 380), rng.uniform(50, 160)
    keep = 0.5 - 0.5 * np.cos(np.pi * np.clip((hertz - low + skirt) / skirt, 0, 1))
    return np.fft.irfft(np.fft.rfft(wave) * keep, len(wave)).astype(np.float32)


def recorded_words(
    rng: np.random.Generator, speech: Path, around: Sounds, scale: float
) -> Iterator[tuple[str, Clip, Scene | None]]:
    """Scenes of recorded speech, at most 2.5 s of each recording, with their parts."""
    for corpus, limit in CORPORA.items():
        for clip in clips(speech, corpus, max(6, int(limit * scale))):
            start = 0
            if len(clip.wave) > 6 * RATE_HZ and rng.random() < 0.6:
                start = int(rng.integers(len(clip.wave) - 3 * RATE_HZ))
                start += _quiet_place(clip.wave[start : start + RATE_HZ])
            wave = clip.wave[start : start + int(2.5 * RATE_HZ)]
            parts = [(wave, True)]
            kind = "words"
            if rng.random() < 0.08:
                kind = "after"
                parts.insert(0, (onset_noises.any_noise(rng, around), False))
            yield part_of(clip), clip, on_a_line(rng, parts, kind, f"{corpus}|{clip.text}", around)


def made(
    rng: np.random.Generator, part: str, voices: list[hums.Voice], around: Sounds, scale: float
) -> Iterator[Scene | None]:
    """Scenes of a part that are made: words and hums by engines, hums of voices, noises."""
    words, engine_hums, voice_hums, noises, nothing = (int(n * scale) for n in _COUNTS[part])
    for _ in range(words):
        parts = [(onset_engines.word(rng), True)]
        if rng.random() < 0.08:
            parts.insert(0, (hums.acknowledge(rng, voices[rng.integers(len(voices))]), False))
        yield on_a_line(rng, parts, "words" if len(parts) == 1 else "after", "engine", around)
    for _ in range(engine_hums):
        yield on_a_line(rng, [(onset_engines.hum(rng), False)], "hum", "engine", around)
    for _ in range(voice_hums):
        drawn = part != "test" and rng.random() < _DRAWN
        voice = hums.drawn_voice(rng) if drawn else voices[rng.integers(len(voices))]
        yield on_a_line(rng, [(hums.acknowledge(rng, voice), False)], "hum", "voice", around)
    for _ in range(noises):
        sound = onset_noises.any_noise(rng, around)
        yield on_a_line(rng, [(sound, False)], "noise", "made", around)
    for _ in range(nothing):
        still = np.zeros(RATE_HZ, np.float32)
        yield on_a_line(rng, [(still, False)], "noise", "line", around)


def _quiet_place(wave: np.ndarray) -> int:
    """Where a second of speech is quietest, so that what is cut out begins with a beginning."""
    hops = wave[: len(wave) // 400 * 400].reshape(-1, 400)
    return int(np.argmin((hops**2).mean(axis=1))) * 400 if len(hops) else 0


class Shelf:
    """Collects sounds of a part and writes them."""

    def __init__(self) -> None:
        self._heard: list[Heard] = []
        self._kinds: list[str] = []
        self._sources: list[str] = []
        self.unheard = 0

    def add(self, scene: Scene | None) -> None:
        """Take what is heard of a scene."""
        if scene is None:
            return
        heard = [each for each in hear(scene) if len(each.rows) > 2]
        self.unheard += scene.kind in ("words", "after") and not any(h.spoken.any() for h in heard)
        for each in heard:
            self._heard.append(each)
            self._kinds.append(scene.kind)
            self._sources.append(scene.source)

    def write(self, path: Path) -> None:
        """`rows` and `spoken` one after the other; sound i is from `starts[i]` to the next."""
        lengths = [len(each.rows) for each in self._heard]
        np.savez(
            path,
            rows=np.concatenate([each.rows for each in self._heard]).astype(np.float16),
            spoken=np.concatenate([each.spoken for each in self._heard]),
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            late=np.array([each.late for each in self._heard]),
            kind=np.array(self._kinds),
            source=np.array(self._sources),
        )
        print(f"{path.name}: {len(lengths)} sounds, {self.unheard} scenes of words not heard")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, help="folder of speech corpora")
    parser.add_argument("--data", type=Path, required=True, help="folder for what is made")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the usual amounts")
    args = parser.parse_args()
    args.data.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    around = sounds(args.speech)
    shelves = {part: Shelf() for part in PARTS}
    apart: dict[tuple[str, str], list[np.ndarray]] = {}
    for part, clip, scene in recorded_words(rng, args.speech, around, args.scale):
        shelves[part].add(scene)
        waves = apart.setdefault((part, clip.speaker), [])
        limit = _APART * (8 if clip.speaker.startswith("unknown") else 1)
        if len(waves) < limit:
            waves.append(clip.wave[: 4 * RATE_HZ])
    for part, shelf in shelves.items():
        voices = [hums.voice_of(waves) for (owner, _), waves in apart.items() if owner == part]
        voices = [voice for voice in voices if voice.is_usable]
        print(f"{part}: {len(voices)} voices to hum with")
        for scene in made(rng, part, voices, around, args.scale):
            shelf.add(scene)
        shelf.write(args.data / f"onset-{part}.npz")


if __name__ == "__main__":
    main()
