"""Fits to a finished model what its search needs: weights, confidence, and what is no speech.

    python -m models.stt.recipe.calibrate --language en --model models/stt/en --data DIR

    dev sets -> telephone, 20 and 10 dB -> encoder, phone head -> log-probabilities (kept in memory)
        -> how rare each phone is, weights of the search, one after the other, by word error rate
        -> rows, right or wrong        -> logistic model of the confidence
        -> rows against rows of noise  -> logistic model of speech
        -> hearing.json (`appliance.stt.fitted`)

Dev sets are held-out voices and speakers, with other sentences and recordings than the test sets.
Prints the word error rate at each step, and for the confidence the expected calibration error of
the half it was not fitted to. Half an hour of one core at most; deterministic.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel

from appliance.audio.level import Samples, to_float
from appliance.checksums import write_checksums
from appliance.stt.confidence import features
from appliance.stt.fitted import FILE, Fitted, load_fitted
from appliance.stt.phones import load_head
from appliance.stt.reader import PhoneReader
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.scoring import word_errors
from appliance.testing.hearing.lines import Line, through
from appliance.testing.hearing.quiet import TALK, clips

from . import odds, shards
from .features import log_mel

LINES = (Line("20 dB", 20.0), Line("20 dB", 20.0, noise="hiss"), Line("10 dB", 10.0))
_SLOTS = {
    "zip": Hint("zip", digits=5), "digits": Hint("digits"), "yesno": Hint("yes_no"),
    "date": Hint("date"), "amount": Hint("amount"), "time": Hint("time"), "name": Hint("name"),
    "phone": Hint("phone"), "address": Hint("address"),
    "fsdd": Hint("digits", digits=1),
}  # fmt: skip
# What is tried for each knob, one after the other; the first value is kept where none is better.
_TRIED: dict[str, Sequence[float]] = {
    "doubt": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5),
    "weight": (0.6, 0.75, 0.9, 1.1, 1.3),
    "bonus": (-0.5, 0.5, 1.0, 1.5, 2.5),
    "slot_share": (0.3, 0.5, 0.7, 0.85, 0.95),
    "nothing": (-6.0, -3.0, 0.0),
}
_RARE_TRIED = (0.0, 0.15, 0.3, 0.45)
_READ = ("librispeech", "speechocean")
_OPEN_SHARE = 4  # callers say more than they are asked for, and that is what is hard
_SEED, _QUIET_SEED = 3, 1203


@dataclass(frozen=True)
class Heard:
    """One utterance after the encoder: its phones [T, phones], what was said, what was asked.

    `read` tells sentences read from books: they are no calls, and the weights are not for them.
    """

    log_probs: np.ndarray
    said: str
    hint: Hint
    read: bool


class Ear:
    """The exported model up to its phone head."""

    def __init__(self, folder: Path) -> None:
        self._whisper = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
        self._head = load_head(folder / "ctc.npz")

    def hear(self, wave: Samples) -> np.ndarray:
        """Log-probabilities [T, phones] of float32 mono at 8 kHz."""
        window = ctranslate2.StorageView.from_array(log_mel(wave)[None])
        hidden = self._whisper.model.encode(window)
        return self._head.log_probs(np.asarray(hidden, np.float32)[0])


def hear_dev(ear: Ear, data: Path, most: int) -> list[Heard]:
    """The dev sets over the telephone: so many utterances of each kind and voice set.

    Speakers' own sets ("known") are left out: what is fitted must hold for new callers.
    """
    rng = random.Random(_SEED)
    sets = [path for path in shards.list_shards(data / "dev") if path.name != "known"]
    talk = _talk(data)
    found = []
    for path in sets:
        by_kind: dict[str, list[tuple[np.ndarray, shards.Row]]] = {}
        for samples, row in zip(*shards.read_shard(path), strict=True):
            by_kind.setdefault(row.kind, []).append((samples, row))
        for kind, rows in sorted(by_kind.items()):
            rng.shuffle(rows)
            share = _OPEN_SHARE if kind == "open" else 1
            for number, (samples, row) in enumerate(rows[: share * most]):
                seed = np.random.default_rng([_SEED, len(found)])
                wave = samples.astype(np.float32) / 32768
                called = through(wave, LINES[number % len(LINES)], seed, talk, number)
                hint, read = _asked(rng, kind), kind.startswith(_READ)
                found.append(Heard(ear.hear(called), row.text, hint, read))
    return found


def _asked(rng: random.Random, kind: str) -> Hint:
    """What the dialogue had asked for; callers who say something else were asked for anything."""
    if kind in _SLOTS or kind.startswith(_READ):
        return _SLOTS.get(kind, NO_HINT)
    return rng.choice([NO_HINT, *_SLOTS.values()])


def _talk(data: Path) -> list[Samples]:
    """Some training speech, for talk in the background."""
    path = shards.list_shards(data / "train")[0]
    return [samples.astype(np.float32) / 32768 for samples in shards.read_shard(path)[0][:200]]


def hear_nothing(ear: Ear, minutes: float) -> Iterator[np.ndarray]:
    """Log-probabilities of calls on which nobody speaks, as long as answers are."""
    rng = np.random.default_rng(_QUIET_SEED)
    for clip in clips(minutes, _QUIET_SEED):
        if clip.kind != TALK:
            wave = to_float(clip.pcm)
            length = int(rng.uniform(0.2, 1.0) * len(wave))
            yield ear.hear(wave[:length])


def error_rate(reader: PhoneReader, heard: Sequence[Heard], language: str) -> float:
    """Mean share of words that are wrong, each utterance counting by the root of its length.

    Between words and utterances: an answer of one digit would hardly count among sentences.
    """
    errors = sizes = 0.0
    for each in heard:
        rows = reader.rows(each.log_probs, each.hint)[1]
        words = len(each.said.split())
        text = " ".join(rows[0].words) if rows else ""
        errors += word_errors(each.said, text, language) / words**0.5
        sizes += words**0.5
    return errors / sizes


def fit_search(folder: Path, heard: Sequence[Heard], fitted: Fitted) -> Fitted:
    """Weights of the search, one after the other; prints each step."""
    heard = [each for each in heard if not each.read]
    best = error_rate(PhoneReader(folder, fitted), heard, fitted.language)
    print(f"  word errors {100 * best:.2f}%, as it was", flush=True)
    for knob, values in _TRIED.items():
        for value in values:
            if value == getattr(fitted.search, knob):
                continue
            search = fitted.search.model_copy(update={knob: value})
            tried = fitted.model_copy(update={"search": search})
            errors = error_rate(PhoneReader(folder, tried), heard, fitted.language)
            print(f"  word errors {100 * errors:.2f}%, {knob} {value}", flush=True)
            if errors < best:
                best, fitted = errors, tried
    return fitted


def fit_rare(folder: Path, heard: Sequence[Heard], fitted: Fitted) -> Fitted:
    """How much rare phones are raised: a share of what their rarity costs them in the head.

    The head's probabilities hold how often each phone came up in training. So does the language;
    counted twice, rare phones are lost (the usual division by priors, Bourlard and Morgan 1994).
    """
    phones = load_head(folder / "ctc.npz").phones
    total = sum(np.exp(each.log_probs).sum(axis=0) for each in heard)
    shares = total[1:] / total[1:].sum()
    rarity = np.log(shares) - shares @ np.log(shares)
    callers = [each for each in heard if not each.read]
    tries = []
    for share in _RARE_TRIED:
        rare = {p: round(float(-share * r), 3) for p, r in zip(phones[1:], rarity, strict=True)}
        tried = fitted.model_copy(update={"rare": rare if share else {}})
        errors = error_rate(PhoneReader(folder, tried), callers, fitted.language)
        print(f"  word errors {100 * errors:.2f}%, rare phones raised by {share}", flush=True)
        tries.append((errors, tried))
    return min(tries, key=lambda each: each[0])[1]


def fit_odds(
    folder: Path, heard: Sequence[Heard], nothing: Sequence[np.ndarray], fitted: Fitted
) -> Fitted:
    """Confidence and speech, from the rows that the search finds in speech and in noise."""
    reader = PhoneReader(folder, fitted)
    spoken, right, noise = [], [], []
    for each in heard:
        frames, rows = reader.rows(each.log_probs, each.hint)
        if rows and rows[0].words:
            spoken.append(features(rows, frames))
            text = " ".join(rows[0].words)
            right.append(not word_errors(each.said, text, fitted.language))
    for log_probs in nothing:
        frames, rows = reader.rows(log_probs)
        if rows and rows[0].words:
            noise.append(features(rows, frames))
    print(f"  {len(spoken)} spoken, {np.mean(right):.3f} of them right; {len(noise)} of noise")
    return fitted.model_copy(
        update={
            "confidence": odds.fit_confidence(spoken, right),
            "speech": odds.fit_speech(spoken, noise, fitted.speech),
        }
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=("en", "es"), default="en")
    parser.add_argument("--model", type=Path, required=True, help="exported model folder")
    parser.add_argument("--data", type=Path, required=True, help="folder with dev sets")
    parser.add_argument("--most", type=int, default=25, help="utterances of a kind and voice set")
    parser.add_argument("--minutes", type=float, default=15.0, help="of calls without speech")
    parser.add_argument("--keep-search", action="store_true", help="fit only the confidence")
    args = parser.parse_args()
    ear = Ear(args.model)
    heard = hear_dev(ear, args.data, args.most)
    fitted = load_fitted(args.model).model_copy(update={"language": args.language})
    print(f"{len(heard)} utterances", flush=True)
    if not args.keep_search:
        fitted = fit_search(args.model, heard, fit_rare(args.model, heard, fitted))
    fitted = fit_odds(args.model, heard, list(hear_nothing(ear, args.minutes)), fitted)
    (args.model / FILE).write_text(fitted.model_dump_json(indent=1) + "\n", "utf-8")
    write_checksums(args.model)


if __name__ == "__main__":
    main()
