"""Measures the onset judge as a call runs it, on voices and sounds that it was not taught with.

    python -m models.turns.recipe.onset_measure --speech DIR --model models/turns [--json FILE]

    held-out speakers' words, held-out engines' words ─┐
    hums: held-out speakers, engines, formulas ────────┼─> line ─> Interruptions, frame by frame
    coughs, breaths, taps, rustles, keys: formulas ────┘

A delay is told in frames of 20 ms: 0 is the frame in which the words begin. On the wire some 50 ms
come on top (the line in, the phase of its clock, the fade of the prompt).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from appliance.audio import channel, onset
from appliance.audio.vad import level_db
from appliance.testing.turntaking import sounds as formulas
from appliance.types import FRAME_BYTES, FRAME_SAMPLES
from models.stt.recipe.speakers import ESPEAK_HELD_OUT

from . import onset_acknowledgements as hums
from . import onset_engines
from .corpora import RATE_HZ, Line, Sounds, clips, draw_line, over_the_line, sounds, to_pcm
from .onset_data import CORPORA, word_hops

WIRE = Line(level_db=-26.2, snr_db=45.0)
"""As in the trials on the wire: -20 dBm0, a quiet G.711 line."""
POINTS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)
_FRAMES = 60
_LEAD = 60  # frames of the line's noise before
_HUMS, _NOISES, _SPOKEN = 600, 400, 300


Judged = dict[str, list[tuple[str, np.ndarray, int | None]]]
"""By group of sounds: name, what `likelihoods` found, frame in which words begin."""


@dataclasses.dataclass(frozen=True)
class Sound:
    """What is sent over the line; `begins`: the sample where words begin, None where none are."""

    group: str
    name: str
    wave: np.ndarray
    begins: int | None = None


def words(rng: np.random.Generator, speech: Path) -> Iterator[Sound]:
    """The beginnings of utterances by held-out speakers and engines."""
    for corpus, limit in CORPORA.items():
        for clip in clips(speech, corpus, max(20, limit // 4), held_out=True):
            yield from _begun(f"words: {corpus}", clip.text, clip.wave[: 2 * RATE_HZ])
    for _ in range(_SPOKEN):
        language = "es" if rng.random() < 0.4 else "en"
        text = str(rng.choice(onset_engines.WORDS[language]))
        engine = _espeak if language == "es" or rng.random() < 0.5 else _flite
        yield from _begun(f"words: engines {language}", text, engine(rng, text, language))


def others(rng: np.random.Generator, speech: Path) -> Iterator[Sound]:
    """What is to stop nothing."""
    apart: dict[str, list[np.ndarray]] = {}
    for corpus in ("librispeech_train-clean-100", "speechocean762_adult", "fsdd"):
        for clip in clips(speech, corpus, 300, held_out=True):
            apart.setdefault(clip.speaker, []).append(clip.wave[: 4 * RATE_HZ])
    voices = [hums.voice_of(waves[:8]) for waves in apart.values()]
    voices = [voice for voice in voices if voice.is_usable]
    for index in range(_HUMS):
        yield Sound("hums: speakers", "", hums.acknowledge(rng, voices[index % len(voices)]))
        yield Sound("hums: formulas", "", formulas.acknowledgement(rng))
    for index in range(_HUMS // 2):
        text = onset_engines.FLITE_HUMS[index % len(onset_engines.FLITE_HUMS)]
        yield Sound("hums: engines", text, _flite(rng, text, "", "-p"))
        text = onset_engines.HUMS[index % len(onset_engines.HUMS)]
        yield Sound("hums: engines", text, _espeak(rng, text, "en"))
    for name, make in formulas.NOISES.items():
        for _ in range(_NOISES // len(formulas.NOISES)):
            yield Sound("noises", name, make(rng))


def likelihoods(judge: onset.OnsetJudge, wave: np.ndarray) -> np.ndarray:
    """P(speech), and what it must reach, after each frame that follows the lead: [n, 2].

    As `session.interruptions` asks the judge: from the frame in which the gate opens on.
    """
    gate, heard, before = onset.Gate(), None, bytes(FRAME_BYTES)
    found = []
    pcm = to_pcm(wave)
    for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES):
        frame, floor_db, likely = pcm[at : at + FRAME_BYTES], gate.floor_db, 0.0
        if not gate.push(level_db(frame)):
            heard = None
        else:
            heard = heard or judge.begin(before, floor_db)
            likely = heard.push(frame)
        found.append((likely, heard.stop_at if heard else 1.0))
        before = frame
    return np.array(found[_LEAD : _LEAD + _FRAMES])


def run(judge: onset.OnsetJudge, found: list[Sound], line: Line | None, around: Sounds) -> Judged:
    """All sounds over a line (None: a random one each): by group, what was likely when."""
    rng = np.random.default_rng(5)
    judged: Judged = {}
    for sound in found:
        conditions = line or draw_line(rng)
        shift = int(rng.integers(FRAME_SAMPLES))
        lead = _LEAD * FRAME_SAMPLES + shift
        wave = np.pad(channel.set_level(sound.wave, -20), (lead, 2 * RATE_HZ))
        sent = over_the_line(rng, wave, conditions, around if line is None else Sounds())
        begins = None if sound.begins is None else (sound.begins + shift) // FRAME_SAMPLES
        likely = likelihoods(judge, sent)
        judged.setdefault(sound.group, []).append((sound.name, likely, begins))
    return judged


def table(judged: Judged) -> dict[str, dict[str, object]]:
    """For each point of the curve: false stops by group, and words stopped within n frames."""
    rows: dict[str, dict[str, object]] = {}
    for name, raised in (("shipped", 0.0), *((f"{each:g}", each) for each in POINTS)):
        row: dict[str, object] = {}
        delays: list[float] = []
        for group, each in judged.items():
            firsts = [_first(seen[:, 0] >= (raised or seen[:, 1])) for _, seen, _ in each]
            if group.startswith("words"):
                own = [
                    first - (begins or 0)
                    for first, (_, _, begins) in zip(firsts, each, strict=True)
                ]
                delays += own
                row[group] = {"n": len(own), "within 3": _share(own, 3), "within 4": _share(own, 4)}
            else:
                row[group] = {"n": len(each), "stopped": int(np.isfinite(firsts).sum())}
        row["words"] = {
            "n": len(delays),
            **{f"within {n}": _share(delays, n) for n in (2, 3, 4, 5, 8, 12, 30)},
            **{f"p{p}": float(np.percentile(delays, p, method="lower")) for p in (50, 90, 95)},
        }
        rows[name] = row
    return rows


def _first(passed: np.ndarray) -> float:
    return float(np.argmax(passed)) if passed.any() else np.inf


def _share(delays: list[float], within: int) -> float:
    return round(float(np.mean(np.array(delays) <= within)), 3)


def _begun(group: str, text: str, wave: np.ndarray) -> Iterator[Sound]:
    hops = word_hops(wave)
    if hops is None or not hops.any():
        return
    first = int(np.argmax(hops)) * onset.HOP
    start = max(0, first - FRAME_SAMPLES)
    yield Sound(group, text, wave[start:], first - start)


def _espeak(rng: np.random.Generator, text: str, language: str) -> np.ndarray:
    accent, variant = ESPEAK_HELD_OUT[rng.integers(len(ESPEAK_HELD_OUT))]
    name = f"{accent if language == 'en' else 'es-419'}+{variant}"
    command = ["espeak-ng", "-v", name, "-p", str(rng.integers(20, 80)), "--stdout", text]
    done = subprocess.run(command, capture_output=True, check=True)
    wave = np.frombuffer(done.stdout[44:], "<i2").astype(np.float32) / 32768
    return np.asarray(resample_poly(wave, 160, 441), np.float32)


def _flite(rng: np.random.Generator, text: str, _: str, how: str = "-t") -> np.ndarray:
    command = ["flite", "-voice", "slt", "--setf", f"int_f0_target_mean={rng.integers(140, 220)}"]
    command += ["--setf", f"duration_stretch={rng.uniform(0.85, 1.3):.2f}", how, text]
    done = subprocess.run([*command, "-o", "/dev/stdout"], capture_output=True, check=True)
    wave = np.frombuffer(done.stdout[44:], "<i2").astype(np.float32) / 32768
    return np.asarray(resample_poly(wave, 1, 2), np.float32)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, help="folder of speech corpora")
    parser.add_argument("--model", type=Path, required=True, help="folder of onset.npz")
    parser.add_argument("--json", type=Path, help="where the figures go")
    args = parser.parse_args()
    judge = onset.OnsetJudge.load(args.model)
    rng = np.random.default_rng(3)
    found = [*words(rng, args.speech), *others(rng, args.speech)]
    around = sounds(args.speech)
    lines = {
        name: table(run(judge, found, line, around))
        for name, line in (("quiet", WIRE), ("ordinary", None))
    }
    for name, points in lines.items():
        for point, row in points.items():
            print(name, point, row if point == "shipped" else row["words"])
    if args.json:
        figures = {"judge": "onset", "lines": lines}
        args.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
