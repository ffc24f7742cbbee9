"""Judges voice detectors on held-out speakers in noises that none of them was trained on.

    python -m models.turns.recipe.end_voice_judge --speech DIR --out models/turns

For each noise level: how late the end of speech is heard against the clean recording, how many
pauses of 100 ms and of 180 ms are found inside words a second of speech, how much of the noise
before the speech is taken for it, and after how many recordings no end is found at all.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from appliance.audio.vad import VoiceDetector
from appliance.audio.voice import VoiceModel
from appliance.stt.silero import SileroModel, SileroVoice
from appliance.types import FRAME_BYTES, FRAME_MS

from . import corpora, end_pauses, end_voice

READ = {
    "speechocean762_adult": 40,
    "librispeech_train-clean-100": 20,
    "asterisk_en_AU": 30,
    "fsdd": 30,
}
SNR_DB = (45, 30, 20, 12, 6)
LEVEL_DB = -22.0
_LONGEST_S = 12
_BRIDGE = 6  # frames: shorter gaps in the truth are no pauses
_QUIET = 5  # frames of quiet that end something
_EARLIEST = 15  # frames before the true end from which an end counts as found

Detector = Callable[[bytes], np.ndarray]


def detectors(judges: Path) -> dict[str, Detector]:
    """Ways to tell speech, each from s16le to a flag a frame."""
    model, silero = VoiceModel.load(judges), SileroModel()

    def framewise(make: Callable[[], Callable[[bytes], bool]]) -> Detector:
        def flags(pcm: bytes) -> np.ndarray:
            hears = make()
            starts = range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)
            return np.array([hears(pcm[at : at + FRAME_BYTES]) for at in starts])

        return flags

    def silero_alone() -> Callable[[bytes], bool]:
        voice = SileroVoice(silero)
        return lambda pcm: voice.push(pcm) > 0.35

    return {
        "webrtcvad and floor": framewise(lambda: VoiceDetector(2).is_speech),
        "Silero at 0.35": framewise(silero_alone),
        "learned, no second opinion": framewise(lambda: VoiceDetector(2, model).is_speech),
        "shipped": framewise(lambda: VoiceDetector(2, model, SileroVoice(silero)).is_speech),
    }


class Tally:
    """What one detector did at one noise level."""

    def __init__(self) -> None:
        self.late_ms: list[int] = []
        self.noise_taken: list[float] = []
        self.endless = self.short = self.long = self.count = 0
        self.speech_s = 0.0

    def add(self, found: np.ndarray, truth: np.ndarray) -> None:
        """One recording: flags a frame, and the truth of them."""
        spoken, whole = np.flatnonzero(truth), end_voice.bridged(truth, _BRIDGE)
        first, last = spoken[0], spoken[-1]
        self.count += 1
        self.speech_s += (last - first) * FRAME_MS / 1000
        self.noise_taken.append(float(found[: max(1, first - 3)].mean()))
        quiet = 0
        for at in range(first, last):
            quiet = quiet + 1 if whole[at] and not found[at] else 0
            self.short += quiet == 100 // FRAME_MS
            self.long += quiet == 180 // FRAME_MS
        for at in range(max(first, last - _EARLIEST), len(found) - _QUIET):
            if at + _QUIET >= last and not found[at + 1 : at + 1 + _QUIET].any():
                before = np.flatnonzero(found[: at + 1])
                self.late_ms.append(int((before[-1] if len(before) else first) - last) * FRAME_MS)
                return
        self.endless += 1

    def figures(self) -> dict[str, float]:
        """As the card tells it."""
        return {
            "late_p50_ms": float(np.percentile(self.late_ms, 50)),
            "late_p90_ms": float(np.percentile(self.late_ms, 90)),
            "pauses_100_ms_a_s": round(self.short / self.speech_s, 3),
            "pauses_180_ms_a_s": round(self.long / self.speech_s, 3),
            "noise_taken": round(float(np.mean(self.noise_taken)), 3),
            "endless": round(self.endless / self.count, 3),
        }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--out", type=Path, required=True, help="folder of the judges")
    args = parser.parse_args()
    heard = corpora.sounds(args.speech)
    around = corpora.Sounds(heard.noises[-end_voice.HELD_OUT_NOISES :])
    read = [
        clip
        for name, most in READ.items()
        for clip in corpora.clips(args.speech, name, most, held_out=True)
        if end_pauses.is_clean(clip.wave) and len(clip.wave) < _LONGEST_S * corpora.RATE_HZ
    ]
    ways = detectors(args.out)
    made: dict[str, dict[str, dict[str, float]]] = {}
    for snr in SNR_DB:
        rng, tallies = np.random.default_rng(3), {name: Tally() for name in ways}
        line = corpora.Line(LEVEL_DB, snr)
        for clip in read:
            wave = end_pauses.in_its_quiet(rng, clip.wave)
            pcm = corpora.to_pcm(corpora.over_the_line(rng, wave, line, around))
            for name, detect in ways.items():
                found = detect(pcm)
                truth = end_voice.truth(clip.wave, len(found))
                if truth.sum() > 2:
                    tallies[name].add(found, truth)
        made[str(snr)] = {name: tally.figures() for name, tally in tallies.items()}
        print(snr, json.dumps(made[str(snr)]), flush=True)
    figures = {"judge": "voice", "recordings": len(read), "by_snr_db": made}
    path = args.out / "figures.voice.json"
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
