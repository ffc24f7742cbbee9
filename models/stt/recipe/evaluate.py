"""Judges an exported model: word error rates by voice set and kind, as a table and as JSON.

    python -m models.stt.recipe.evaluate --model models/stt/en --data DIR --json FILE

Runs the served model (CTranslate2 int8, short windows, one thread): its decoder and, where the
folder has a language for it, the appliance's word search over the phone head. Heard are held-out
sentences by known synthetic voices, by flite slt and by held-out espeak variants, and held-out real
speakers. Every utterance passes through the same fixed line (`channel.plain_call`) or, with
``--harsh``, a random telephone call.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel

from appliance.stt.reader import PhoneReader, has_phone_head
from appliance.stt.recognizer import Hint

from . import channel, features, mixture, shards, texts, vocabulary

NO_SPEECH_ABOVE = 0.6  # As in OpenAI's reference decoder.


@dataclasses.dataclass
class Tally:
    """Errors counted over one set."""

    utterances: int = 0
    exact: int = 0
    unseen: int = 0
    words: int = 0
    errors: int = 0
    search_errors: int = 0
    search_exact: int = 0
    searched: bool = False

    def report(self) -> dict[str, float | int]:
        """The figures of a table row."""
        row: dict[str, float | int] = {
            "utterances": self.utterances,
            "unseen": self.unseen,
            "wer": round(100 * self.errors / max(1, self.words), 1),
            "exact": round(100 * self.exact / max(1, self.utterances), 1),
        }
        if self.searched:
            row["search_wer"] = round(100 * self.search_errors / max(1, self.words), 1)
            row["search_exact"] = round(100 * self.search_exact / max(1, self.utterances), 1)
        return row


class Server:
    """The exported model, used the way the appliance uses it."""

    def __init__(self, folder: Path) -> None:
        self._whisper = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
        self._tokenizer = self._whisper.hf_tokenizer
        self._prompt = vocabulary.prompt(self._tokenizer, "en")
        self._end = vocabulary.token_id(self._tokenizer, "<|endoftext|>")
        self._specials = [
            i
            for token in vocabulary.specials("en")[1:]
            if (i := vocabulary.token_id(self._tokenizer, token)) > self._end
        ]
        self.reader = PhoneReader(folder) if has_phone_head(folder) else None

    def hear(self, wave: np.ndarray) -> tuple[str, np.ndarray]:
        """The decoder's words and the hidden states [T/2, width] of float32 mono at 8 kHz."""
        frames = ctranslate2.StorageView.from_array(features.log_mel(wave)[None])
        hidden = self._whisper.model.encode(frames)
        found = self._whisper.model.generate(
            hidden,
            [self._prompt],
            beam_size=1,
            max_length=96,
            suppress_blank=False,
            suppress_tokens=self._specials,
            return_no_speech_prob=True,
        )[0]
        ids = [i for i in found.sequences_ids[0] if i < self._end]
        if found.no_speech_prob > NO_SPEECH_ABOVE:
            ids = []
        return self._tokenizer.decode(ids).strip(), np.asarray(hidden, np.float32)[0]


def word_errors(wanted: str, heard: str) -> int:
    """Levenshtein distance in words; "oh" and "zero" count as the same digit."""
    left, right = (text.replace("zero", "oh").split() for text in (wanted, heard))
    row = list(range(len(right) + 1))
    for i, word in enumerate(left, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(right, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def real_utterances(data: Path, most: int) -> Iterator[tuple[str, np.ndarray, str]]:
    """(set name, int16 samples, words) of the held-out real speakers."""
    rng = random.Random(5)
    for path in shards.list_shards(data / "dev", "real-*"):
        audio, rows = shards.read_shard(path)
        pairs = [(a, r.text) for a, r in zip(audio, rows, strict=True)]
        name = f"real/{path.name.removeprefix('real-')}"
        if name == "real/fsdd":
            for _ in range(most):
                samples, text = mixture.join_digits(rng, pairs, 5)
                yield "real/fsdd joined 5", samples, text
        rng.shuffle(pairs)
        for samples, text in pairs[:most]:
            if len(samples) <= mixture.LONGEST_S * shards.RATE_HZ:
                yield name, samples, text


def utterances(data: Path, most: int) -> Iterator[tuple[str, np.ndarray, str]]:
    """(set name, int16 samples, words) of all dev sets; synthetic ones by voice and kind."""
    for path in shards.list_shards(data / "dev"):
        if path.name.startswith("real-"):
            continue
        seen: dict[str, int] = {}
        for samples, row in zip(*shards.read_shard(path), strict=True):
            seen[row.kind] = seen.get(row.kind, 0) + 1
            if seen[row.kind] <= most:
                yield f"{path.name}/{row.kind}", samples, row.text
    yield from real_utterances(data, most)


def judge(
    server: Server, data: Path, most: int, harsh: bool
) -> tuple[dict[str, Tally], dict[str, float], list[tuple[str, str, str]]]:
    """Hears everything; returns tallies by set, CPU times and some mistakes."""
    kit, rng = mixture.load_kit(data), np.random.default_rng(11)
    tallies: dict[str, Tally] = {}
    mistakes: list[tuple[str, str, str]] = []
    times = []
    for name, samples, wanted in utterances(data, most):
        clean = samples.astype(np.float32) / 32768
        wave = channel.simulate(rng, clean, kit) if harsh else channel.plain_call(clean)
        began = time.process_time()
        heard, hidden = server.hear(wave)
        times.append((time.process_time() - began) * 1e3)
        tally = tallies.setdefault(name, Tally())
        errors = word_errors(wanted, heard)
        tally.utterances += 1
        tally.exact += errors == 0
        tally.unseen += texts.is_held_out(wanted)
        tally.words += len(wanted.split())
        tally.errors += errors
        if server.reader is not None:
            tally.searched = True
            slot = "zip" if name.endswith(("/zip", "joined 5")) else None
            missed = word_errors(
                wanted, " ".join(server.reader.read(hidden, Hint(slot=slot)).words)
            )
            tally.search_errors += missed
            tally.search_exact += missed == 0
        if errors and len(mistakes) < 400:
            mistakes.append((name, wanted, heard))
    cpu = {
        "median_ms": round(float(np.median(times)), 1),
        "p95_ms": round(float(np.percentile(times, 95)), 1),
    }
    return tallies, cpu, mistakes


def false_words(server: Server, data: Path, count: int) -> float:
    """Share in % of calls without speech in which the model hears words."""
    kit, rng = mixture.load_kit(data), np.random.default_rng(12)
    heard = sum(bool(server.hear(channel.simulate_no_speech(rng, kit))[0]) for _ in range(count))
    return round(100 * heard / count, 1)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="exported model folder")
    parser.add_argument("--data", type=Path, required=True, help="folder of shards")
    parser.add_argument("--most", type=int, default=60, help="utterances a set")
    parser.add_argument("--harsh", action="store_true", help="random calls instead of a good line")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--mistakes", type=int, default=0, help="how many mistakes to print")
    args = parser.parse_args()
    server = Server(args.model)
    tallies, cpu, mistakes = judge(server, args.data, args.most, args.harsh)
    figures = {
        "sets": {name: tally.report() for name, tally in tallies.items()},
        "cpu": cpu,
        "false_words_percent": false_words(server, args.data, 200),
    }
    for name, row in figures["sets"].items():
        print(f"{name:36}", "  ".join(f"{key} {value}" for key, value in row.items()))
    print("CPU", cpu, "words in calls without speech, %:", figures["false_words_percent"])
    random.Random(1).shuffle(mistakes)
    for name, wanted, heard in mistakes[: args.mistakes]:
        print(f"  {name}: {wanted!r} heard as {heard!r}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
