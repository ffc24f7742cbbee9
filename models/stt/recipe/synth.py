r"""Makes synthetic telephone callers: sentences from `texts`, voices from `speakers`.

    python -m models.stt.recipe.synth --data DIR --shards 24 [--speech DIR] [--nlu DIR] \
        [--piper ONNX]
    python -m models.stt.recipe.synth --data DIR --dev

Writes clean 8 kHz shards; the telephone channel is applied later, differently each time a sentence
is trained on. espeak-ng and flite run as programs; a Piper voice runs in the process.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import time
from collections import Counter
from pathlib import Path

from . import lines, shards, speakers, texts
from .engines import Synthesizer
from .lexicon import Lexicon


def load_sentences(speech: Path | None, nlu: Path | None) -> list[str]:
    """Outside sentences for kind "corpus": transcripts of read speech and public intent sets.

    Sentences with numerals or signs are left out: how they are read aloud is not known.
    """
    found: list[str] = []
    if nlu is not None:
        clinc = json.loads((nlu / "clinc150_train_val.json").read_text())
        found += [pair[0] for part in clinc.values() for pair in part]
        with (nlu / "banking77_train.csv").open(encoding="utf-8") as file:
            found += [row["text"] for row in csv.DictReader(file)]
    if speech is not None:
        for name in (
            "kathleen",
            "speechocean762_adult",
            "speechocean762_child",
            "librispeech_train-clean-100",
            "dc_tts_fork_male",
        ):
            lines = (speech / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
            found += [line.split("\t")[3] for line in lines]
    plain = (s for s in found if re.fullmatch(r"[A-Za-z' ,.?!;:’-]+", s.strip()))
    normal = (texts.normalize(s) for s in plain)
    return sorted({s for s in normal if 1 <= len(s.split()) <= 14})


def common_words(sentences: list[str], least: int = 3) -> list[str]:
    """Words that occur at least ``least`` times, for random word sequences."""
    counts = Counter(word for sentence in sentences for word in sentence.split())
    return sorted(word for word, n in counts.items() if n >= least and len(word) > 1)


def make_shard(
    path: Path, jobs: list[tuple[str, str, speakers.Voice]], voice_box: Synthesizer, held_out: bool
) -> None:
    """Speaks (kind, text, voice) jobs and writes one shard."""
    began = time.monotonic()
    waves = voice_box.speak_all([(text, voice) for _, text, voice in jobs])
    kept = [(job, wave) for job, wave in zip(jobs, waves, strict=True) if wave is not None]
    rows = [
        shards.Row(job[1], job[0], f"{job[2].engine}:{job[2].name}", held_out) for job, _ in kept
    ]
    shards.write_shard(path, [wave for _, wave in kept], rows)
    hours = sum(len(wave) for _, wave in kept) / shards.RATE_HZ / 3600
    took = time.monotonic() - began
    print(
        f"{path.name}: {len(kept)}/{len(jobs)} utterances, {hours:.2f} h, {took:.0f} s", flush=True
    )


def dev_jobs(
    source: texts.TextSource, per_kind: int, voice_set: str, language: str = "en"
) -> list[tuple[str, str, speakers.Voice]]:
    """Held-out sentences (where a kind has long ones) by known voices, flite slt or espeak."""
    rng = random.Random(f"dev-{voice_set}")
    jobs = []
    for kind in texts.grammar(language).dev_kinds:
        for _ in range(per_kind):
            text = source.draw_split(rng, held_out=kind != "yesno", kind=kind)[1]
            voice = (
                speakers.draw_voice(rng, False, language, festival=language == "es")
                if voice_set == "known"
                else speakers.draw_held_out(rng, voice_set, language)
            )
            jobs.append((kind, text, voice))
    return jobs


def open_jobs(
    count: int, voice_set: str, language: str = "en"
) -> list[tuple[str, str, speakers.Voice]]:
    """Lines and sentences that the language of the search does not count, by held-out voices."""
    rng = random.Random(f"open-{voice_set}")
    left = [lines.expand(rng, x) for x in lines.intent_lines(language) if texts.is_left_out(x)]
    left += [text for text in lines.general_sentences(language) if texts.is_held_out(text)]
    drawn = rng.sample(left, min(count, len(left)))
    return [
        ("open", texts.normalize(text, language), speakers.draw_held_out(rng, voice_set, language))
        for text in drawn
    ]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for shards")
    parser.add_argument("--shards", type=int, default=1, help="how many shards there shall be")
    parser.add_argument("--size", type=int, default=2000, help="utterances a shard")
    parser.add_argument("--speech", type=Path, help="folder of speech corpora (texts only here)")
    parser.add_argument("--nlu", type=Path, help="folder with CLINC150 and BANKING77")
    parser.add_argument("--piper", type=Path, help="a Piper voice to add to the speakers")
    parser.add_argument("--dev", action="store_true", help="write the dev sets and stop")
    parser.add_argument("--tiny", action="store_true", help="a few utterances, to test the recipe")
    parser.add_argument("--language", choices=texts.LANGUAGES, default="en")
    args = parser.parse_args()
    sentences = load_sentences(args.speech, args.nlu)
    source = texts.TextSource(sentences, common_words(sentences), args.language)
    voice_box = Synthesizer(args.piper, args.language)
    if args.dev:
        for voice_set in ("known", *speakers.HELD_OUT_ENGINES[args.language]):
            jobs = dev_jobs(source, 4 if args.tiny else 60, voice_set, args.language)
            make_shard(args.data / "dev" / voice_set, jobs, voice_box, held_out=True)
        for voice_set in speakers.HELD_OUT_ENGINES[args.language]:
            jobs = open_jobs(4 if args.tiny else 120, voice_set, args.language)
            make_shard(args.data / "dev" / f"open-{voice_set}", jobs, voice_box, held_out=True)
        return
    for number in range(args.shards):
        path = args.data / "train" / f"synth-{number:03d}"
        if path.with_suffix(".json").exists():
            continue
        rng = random.Random(f"train-{number}")
        jobs = []
        for _ in range(30 if args.tiny else args.size):
            kind, text = source.draw_split(rng, held_out=False)
            voice = speakers.draw_voice(rng, args.piper is not None, args.language, festival=True)
            jobs.append((kind, text, voice))
        if args.language == "es":  # Before the shard shows up, for the trainer takes it in at once.
            lexicon = Lexicon(args.data / "lexicon.json", args.language)
            lexicon.add({word for _, text, _ in jobs for word in text.split()})
        make_shard(path, jobs, voice_box, held_out=False)


if __name__ == "__main__":
    main()
