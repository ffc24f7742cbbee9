"""Pauses of real speakers, as the appliance meets them: inside an utterance, and at its end.

    recording -> quiet tail of its own -> a telephone call -> Endpointer -> a pause -> Pause

The truth comes from the clean recording: after a pause the voice goes on in it, or it does not.
The pause itself is found by the detector and endpointer that calls use, so that the judge learns
from what it will be given. There are no joins here: every pause is one that a person made.

    python -m models.turns.recipe.end_pauses --speech DIR --out FILE.npz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.audio.channel import active_level
from appliance.audio.ending import features
from appliance.audio.endpointing import Endpointer, Patience
from appliance.audio.vad import VoiceDetector
from appliance.audio.voice import VoiceModel
from appliance.types import FRAME_BYTES, FRAME_MS, AudioFrame, SpeechPaused, SpeechResumed

from . import corpora

# Corpus -> recordings that are used at most, calls that are made of each. Single words are ends
# only, and there are many: they must not teach that what is short is over.
READ = {
    "speechocean762_adult": (None, 1),
    "speechocean762_child": (500, 1),
    "librispeech_train-clean-100": (300, 1),
    "kathleen": (500, 1),
    "dc_tts_fork_male": (None, 1),
    "asterisk_en_GB": (300, 1),
    "asterisk_en_AU": (200, 1),
    "mycroft_notwake_en": (None, 1),
    "mycroft_precise": (200, 1),
    "fsdd": (300, 1),
}
_WORDS = frozenset({"mycroft_precise", "fsdd"})
PAUSE_MS = 100
_NEVER_MS = 100_000
_HOP = 80  # 10 ms
_DROP_DB, _OVER_FLOOR_DB = 34.0, 8.0
_SHORTEST_REST_MS = 120  # of speech after a pause that counts as going on: less is a click
_BEFORE_S, _AFTER_S = 0.6, 0.8
_LEAST_SNR_DB = 28.0


@dataclass(frozen=True)
class Pause:
    """One pause. `gap_ms`: until the voice goes on, 0 where it does not."""

    features: np.ndarray
    gap_ms: int
    corpus: str
    speaker: str
    held_out: bool
    snr_db: float


def speech_of(wave: np.ndarray) -> np.ndarray:
    """Where a clean recording holds speech: bool, one value for each 10 ms."""
    frames = wave[: len(wave) // _HOP * _HOP].reshape(-1, _HOP)
    level = 10 * np.log10((frames.astype(np.float64) ** 2).mean(axis=1) + 1e-12)
    floor = np.percentile(level, 5)
    flags = level > max(active_level(wave) - _DROP_DB, min(floor, -45) + _OVER_FLOOR_DB)
    padded = np.pad(flags.astype(np.int8), 2)  # a majority of five: no clicks, no dropouts
    return np.lib.stride_tricks.sliding_window_view(padded, 5).sum(axis=1) >= 3


def is_clean(wave: np.ndarray) -> bool:
    """Whether the recording is quiet enough between words to tell where they are."""
    frames = wave[: len(wave) // _HOP * _HOP].reshape(-1, _HOP)
    level = 10 * np.log10((frames.astype(np.float64) ** 2).mean(axis=1) + 1e-12)
    return bool(active_level(wave) - np.percentile(level, 5) > _LEAST_SNR_DB)


def in_its_quiet(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """The recording with more of its own quiet around it: an end must not be heard by its cut."""
    size = corpora.RATE_HZ // 20
    power = np.convolve(wave.astype(np.float64) ** 2, np.ones(size), "valid")
    quiet = wave[int(np.argmin(power)) :][:size]
    shape = np.abs(np.fft.rfft(quiet * np.hanning(size)))

    def more(seconds: float) -> np.ndarray:
        length = int(seconds * corpora.RATE_HZ)
        noise = np.zeros(length + size)
        for at in range(0, length, size // 2):
            turn = np.exp(2j * np.pi * rng.random(len(shape)))
            noise[at : at + size] += np.fft.irfft(shape * turn, size) * np.hanning(size)
        return noise[:length]

    return np.concatenate([more(_BEFORE_S), wave, more(_AFTER_S)]).astype(np.float32)


def pauses(
    rng: np.random.Generator,
    clip: corpora.Clip,
    line: corpora.Line,
    around: corpora.Sounds,
    model: VoiceModel,
) -> Iterator[Pause]:
    """The pauses of one recording on one call, found as a call finds them."""
    truth = speech_of(clip.wave)
    heard = corpora.over_the_line(rng, in_its_quiet(rng, clip.wave), line, around)
    pcm = corpora.to_pcm(heard)
    detector = VoiceDetector(2, model)
    ear = Endpointer(detector.is_speech, Patience(PAUSE_MS, PAUSE_MS, _NEVER_MS, _NEVER_MS))
    snr = line.snr_db if line.snr_db is not None else 99.0
    open_pause: tuple[int, bytes] | None = None
    found: list[tuple[int, int, bytes]] = []
    for index in range(len(pcm) // FRAME_BYTES):
        frame = AudioFrame(pcm[index * FRAME_BYTES : (index + 1) * FRAME_BYTES], 0)
        for event in ear.push(frame):
            if isinstance(event, SpeechPaused):
                open_pause = ((index + 1) * FRAME_MS - PAUSE_MS - int(_BEFORE_S * 1000), event.pcm)
            elif isinstance(event, SpeechResumed) and open_pause is not None:
                resumed = index * FRAME_MS - int(_BEFORE_S * 1000)
                found.append((open_pause[0], resumed - open_pause[0], open_pause[1]))
                open_pause = None
    if open_pause is not None:
        found.append((open_pause[0], _NEVER_MS, open_pause[1]))
    for quiet_from, quiet_ms, heard in found:
        if clip.corpus in _WORDS and truth[: quiet_from // 10].sum() < truth.sum() - 3:
            continue  # inside one word: the gap of a stop
        goes_on = truth[max(0, quiet_from // 10) :].sum() * 10 >= _SHORTEST_REST_MS
        gap = quiet_ms if goes_on else 0
        yield Pause(features(heard), gap, clip.corpus, clip.speaker, clip.held_out, snr)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judges", type=Path, default=Path("models/turns"), help="with voice.npz")
    parser.add_argument("--limit", type=int, help="recordings of a corpus, for a trial")
    args = parser.parse_args()
    around, rng = corpora.sounds(args.speech), np.random.default_rng(9)
    model, found = VoiceModel.load(args.judges), []
    for name, (most, calls) in READ.items():
        before = len(found)
        for clip in corpora.clips(args.speech, name, args.limit or most):
            for _ in range(calls if is_clean(clip.wave) else 0):
                found += pauses(rng, clip, corpora.draw_line(rng), around, model)
        made = found[before:]
        print(f"{name}: {len(made)} pauses, {sum(p.gap_ms > 0 for p in made)} inside", flush=True)
    np.savez(
        args.out,
        features=np.stack([p.features for p in found]).astype(np.float16),
        gap_ms=np.array([p.gap_ms for p in found]),
        corpus=np.array([p.corpus for p in found]),
        speaker=np.array([p.speaker for p in found]),
        held_out=np.array([p.held_out for p in found]),
        snr_db=np.array([p.snr_db for p in found]),
    )


if __name__ == "__main__":
    main()
