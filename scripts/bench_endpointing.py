#!/usr/bin/env python3
"""False cut-offs against dead air, by what was asked for and by how the patience is set.

    fixed        one pause ends every turn (what most voice agents do)
    by state     the words and what was asked for (session/patience.py, no judge of the sound)
    by state and sound     the same with the judge (models/turns)

Each is scaled through a range of waits, which gives a curve. Real pauses inside real recordings
need --speech; all else is made. The voices, the speakers and the recordings are none that the
judge was trained on.

Example:
    scripts/bench_endpointing.py --speech DIR --json figures.json --html curves.html
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from appliance.audio.ending import EndJudge
from appliance.audio.vad import VoiceDetector
from appliance.audio.voice import VoiceModel
from appliance.config import HearingConfig, UnderstandingConfig
from appliance.dialogue.turn import Listen
from appliance.nlu.loading import open_understander
from appliance.session.patience import patience_ms
from appliance.stt.loading import open_recognizer
from appliance.stt.silero import SileroModel, SileroVoice
from appliance.testing.hesitation import draw_pause_ms
from appliance.testing.speech import CallerVoice
from appliance.testing.turntaking.curves import page
from appliance.testing.turntaking.pausing import (
    Ears,
    Pause,
    Reply,
    Wait,
    outcome,
    pauses_of,
)
from appliance.testing.turntaking.replies import Said, made, on_the_line

FIXED_MS = (100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500)
SCALES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5)
LONGEST_S = 9.0


@dataclass(frozen=True)
class Heard:
    """A reply and its pauses."""

    reply: Reply
    pauses: Sequence[Pause]


def by_state(scale: float, listen: Listen, pause: Pause) -> int:
    """The words alone."""
    return round(scale * patience_ms(listen, pause.heard, stretched=pause.stretched))


def by_state_and_sound(scale: float, listen: Listen, pause: Pause) -> int:
    """The words and the judge, as calls do it."""
    wait_ms = patience_ms(listen, pause.heard, pause.continues, stretched=pause.stretched)
    return round(scale * wait_ms)


def fixed(wait_ms: int, _listen: Listen, _pause: Pause) -> int:
    """One pause for all."""
    return wait_ms


def recorded(speech: Path, rng: np.random.Generator, snr_db: float | None) -> Iterator[Reply]:
    """Held-out speakers: sentences as they read them, and their digits joined to ZIP codes."""
    corpora: Any = importlib.import_module("models.turns.recipe.corpora")
    pauses: Any = importlib.import_module("models.turns.recipe.end_pauses")
    for name, most in (("speechocean762_adult", 90), ("asterisk_en_AU", 60),
                       ("librispeech_train-clean-100", 40)):  # fmt: skip
        for clip in corpora.clips(speech, name, most, held_out=True):
            words = len(clip.text.split())
            if words > 3 and len(clip.wave) < LONGEST_S * 8000 and pauses.is_clean(clip.wave):
                samples = (clip.wave * 32767).astype(np.int16)
                yield on_the_line(Said("text", name, clip.text, samples), rng, snr_db)
    digits = list(corpora.clips(speech, "fsdd", 100, held_out=True))
    for index in range(40):
        gaps = [int(rng.integers(50, 131)) for _ in range(4)]
        if index % 2:
            gaps[int(rng.integers(4))] = draw_pause_ms(rng)
        chosen = [digits[int(rng.integers(len(digits)))] for _ in range(5)]
        parts = [chosen[0].wave]
        for gap, clip in zip(gaps, chosen[1:], strict=True):
            parts += [np.zeros(gap * 8, np.float32), clip.wave]
        samples = (np.concatenate(parts) * 32767).astype(np.int16)
        text = " ".join(clip.text for clip in chosen)
        yield on_the_line(Said("zip", "fsdd", text, samples, bool(index % 2)), rng, snr_db)


def point(heard: Sequence[Heard], wait: Wait, pause_ms: int) -> dict[str, float]:
    """What one patience does to a set of replies."""
    ends = [outcome(each.reply, each.pauses, wait, pause_ms) for each in heard]
    kept = [each.dead_air_ms for each in ends if not each.cut_off]
    return {
        "replies": len(ends),
        "cut_off": round(float(np.mean([each.cut_off for each in ends])), 4),
        "dead_air_p50_ms": round(float(np.median(kept))) if kept else 0,
        "dead_air_mean_ms": round(float(np.mean(kept))) if kept else 0,
        "dead_air_p95_ms": round(float(np.percentile(kept, 95))) if kept else 0,
    }


def curves(heard: Sequence[Heard], pause_ms: int) -> dict[str, list[dict[str, float]]]:
    """A curve a policy."""
    return {
        "fixed": [{"at": ms, **point(heard, partial(fixed, ms), pause_ms)} for ms in FIXED_MS],
        "by state": [
            {"at": each, **point(heard, partial(by_state, each), pause_ms)} for each in SCALES
        ],
        "by state and sound": [
            {"at": each, **point(heard, partial(by_state_and_sound, each), pause_ms)}
            for each in SCALES
        ],
    }


def groups(heard: Sequence[Heard]) -> dict[str, list[Heard]]:
    """The sets that curves are drawn for: all, and each kind, made and recorded apart."""
    found: dict[str, list[Heard]] = {"all made": [], "all recorded": []}
    for each in heard:
        where = "made" if each.reply.source in VOICES else "recorded"
        found[f"all {where}"].append(each)
        found.setdefault(f"{each.reply.kind}, {where}", []).append(each)
    return {name: kept for name, kept in found.items() if kept}


VOICES: Mapping[str, Any] = {"slt": "slt", "espeak": "espeak"}


def main() -> None:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speech", type=Path, help="folder of recorded corpora")
    parser.add_argument("--snr-db", type=float, help="noise on the calls; default: quiet")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--cache", type=Path, help="where made voices are kept")
    given = parser.parse_args()
    hearing, rng = HearingConfig(), np.random.default_rng(11)
    ears = open_ears(hearing)
    with tempfile.TemporaryDirectory() as folder:
        cache = given.cache or Path(folder)
        voices = {name: CallerVoice(cache, voice) for name, voice in VOICES.items()}
        replies = list(made(voices, rng, given.snr_db))
    if given.speech:
        replies += recorded(given.speech, rng, given.snr_db)
    heard = [Heard(reply, pauses_of(reply, ears)) for reply in replies]
    figures = {
        "pause_ms": hearing.pause_ms,
        "snr_db": given.snr_db,
        "replies": len(replies),
        "hesitating": sum(reply.hesitates for reply in replies),
        "curves": {name: curves(kept, hearing.pause_ms) for name, kept in groups(heard).items()},
    }
    for line in table(figures["curves"]):
        print(line)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if given.html:
        given.html.write_text(page(figures), encoding="utf-8")


def open_ears(hearing: HearingConfig) -> Ears:
    """The shipped models, as calls use them."""
    model, silero = VoiceModel.load(hearing.turns), SileroModel()
    return Ears(
        detector=lambda: VoiceDetector(hearing.vad_mode, model, SileroVoice(silero)).is_speech,
        recognizer=open_recognizer(hearing, "en"),
        understander=open_understander(UnderstandingConfig()),
        judge=EndJudge.load(hearing.turns),
        pause_ms=hearing.pause_ms,
    )


def table(found: Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]]) -> Iterator[str]:
    """What ships, beside a fixed patience that cuts off as many."""
    yield (
        "replies                    | n   | shipped: cut off, dead air p50/mean/p95"
        " | fixed with no more cut off: wait, dead air p50"
    )
    for name, policies in found.items():
        ours = next(each for each in policies["by state and sound"] if each["at"] == 1.0)
        alike = [each for each in policies["fixed"] if each["cut_off"] <= ours["cut_off"]]
        other = f"{alike[0]['at']} ms, {alike[0]['dead_air_p50_ms']} ms" if alike else "none"
        yield (
            f"{name:26} | {ours['replies']:3} | {ours['cut_off']:6.1%}, {ours['dead_air_p50_ms']} /"
            f" {ours['dead_air_mean_ms']} / {ours['dead_air_p95_ms']} ms | {other}"
        )


if __name__ == "__main__":
    main()
