r"""Makes the sets on which a recognizer is judged, apart from everything that it learns from.

    python -m models.stt.recipe.testset --out DIR/test/en --speech DIR [--language en] \
        --known DIR/train DIR/dev

A set is a folder of 8 kHz WAV files beside SET.tsv (file, text, speaker, slot, digits): clean
speech, as `appliance models eval` takes it too; `scripts/bench_hearing.py` puts the telephone in
between. Every draw has a fixed seed.

What keeps the sets apart:
    open         held-out lines of the intent model, written apart from all grammars; nothing of
                 the recipe reads them, and what the shards of --known say by chance is left out.
                 Voices: `speakers.draw_held_out`
    flows-KIND   the held-out part of the grammars (`texts.is_held_out`) without what the shards of
                 --known say; the same voices
    real-*       held-out speakers (`corpora.is_held_out_speaker`); of their recordings the half
                 that is for testing (`corpora.is_for_test`): the other half is the dev sets'
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import json
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
import yaml

from . import corpora, shards, speakers, texts
from .synth import Synthesizer

LONGEST_S = 15.0  # as long as a caller's turn may last (hearing.max_turn_ms)
_INTENTS = Path(__file__).parents[2] / "intent" / "data" / "heldout"
_SLOTS = {"zip": "zip", "yesno": "yes_no", "date": "date", "amount": "amount", "name": "name",
          "time": "time"}  # fmt: skip
_KINDS = ("zip", "digits", "yesno", "date", "amount", "time", "name")
_REAL = {
    "fsdd": "digits",
    "librispeech_train-clean-100": "books",
    "speechocean762_adult": "adults",
    "speechocean762_child": "children",
    "speech_commands_v001": "commands",
}
_DIGITS = "zero one two three four five six seven eight nine".split()  # noqa: SIM905
_FIELDS = ("file", "text", "speaker", "slot", "digits")


@dataclasses.dataclass(frozen=True)
class Spoken:
    """One utterance of a set.

    Attributes:
        samples: int16 mono at 8 kHz.
        text: its words.
        speaker: voice or label.
        slot: what a dialogue would have asked for, or "".
        digits: how many digits it would have asked for, or "".
    """

    samples: np.ndarray
    text: str
    speaker: str
    slot: str = ""
    digits: str = ""


def write_set(folder: Path, name: str, spoken: list[Spoken]) -> None:
    """Writes `folder/name.tsv` and `folder/name/*.wav`."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.tsv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        table.writerow(_FIELDS)
        for number, each in enumerate(spoken):
            path = f"{name}/{number:04d}.wav"
            soundfile.write(folder / path, each.samples, shards.RATE_HZ, subtype="PCM_16")
            table.writerow((path, each.text, each.speaker, each.slot, each.digits))
    seconds = sum(len(each.samples) for each in spoken) / shards.RATE_HZ
    voices = len({each.speaker for each in spoken})
    print(f"{name}: {len(spoken)} utterances, {voices} voices, {seconds / 60:.1f} min", flush=True)


def held_out_lines(language: str) -> list[str]:
    """All lines on which the intent model is judged, normalized, in the order of the file."""
    table = yaml.safe_load((_INTENTS / f"{language}.yaml").read_text(encoding="utf-8"))
    said = (texts.normalize(str(line), language) for entry in table for line in entry["says"])
    return list(dict.fromkeys(line for line in said if line))


def unseen(language: str, kind: str, count: int, known: frozenset[str]) -> list[str]:
    """Different sentences of a kind, of the held-out half where it has one."""
    rng = random.Random(f"test-{language}-{kind}")
    source = texts.TextSource([], [], language)
    found: dict[str, None] = {}
    for _ in range(count * 50):
        text = source.draw_split(rng, held_out=True, kind=kind)[1]
        # Short answers ("yes") are in every set: there are too few of them to keep any apart.
        if text not in known or not texts.is_held_out(text):
            found[text] = None
        if len(found) == count:
            break
    return list(found)


def say(lines: list[str], language: str, name: str, slot: str) -> list[Spoken]:
    """Lines by held-out voices, drawn for this set, of the language's engines by turns."""
    rng, voice_box = random.Random(f"voices-{language}-{name}"), Synthesizer(None, language)
    engines = speakers.HELD_OUT_ENGINES[language]
    jobs = [
        (line, speakers.draw_held_out(rng, engines[number % len(engines)], language))
        for number, line in enumerate(lines)
    ]
    spoken = []
    for (line, voice), samples in zip(jobs, voice_box.speak_all(jobs), strict=True):
        if samples is None:
            print(f"{name}: {voice.name} cannot say {line!r}")
        elif len(samples) <= LONGEST_S * shards.RATE_HZ:
            digits = "5" if slot == "zip" else ""
            spoken.append(Spoken(samples, line, f"{voice.engine}:{voice.name}", slot, digits))
    return spoken


def real(speech: Path, corpus: str, most: int) -> list[Spoken]:
    """Recordings of held-out speakers that are for testing, at most so many, spread over all."""
    with (speech / f"{corpus}.tsv").open(encoding="utf-8") as file:
        listed = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = {}
    for row in listed:
        fits = float(row["seconds"]) <= LONGEST_S and corpora.transcript(row["text"])
        if (
            fits
            and corpora.is_held_out_speaker(row["speaker"])
            and corpora.is_for_test(row["file"])
        ):
            rows[row["file"]] = row
    order = sorted(rows, key=lambda name: hashlib.sha256(name.encode()).digest())
    wanted, spoken = set(order[:most]), {}
    with tarfile.open(speech / f"{corpus}.tar") as tar:
        for member in tar:
            name, source = Path(member.name).name, tar.extractfile(member)
            if name not in wanted or source is None:
                continue
            text = corpora.transcript(rows[name]["text"]) or ""
            alone = "1" if text in _DIGITS else ""
            samples = corpora.read_audio(source.read())
            spoken[name] = Spoken(samples, text, rows[name]["speaker"], "", alone)
    return [spoken[name] for name in order if name in spoken]


def joined(digits: list[Spoken], count: int) -> Iterator[tuple[Spoken, Spoken]]:
    """ZIP codes of five joined recordings, each said twice; no recording is in both."""
    rng = random.Random("test-joined")
    takes = {word: [each for each in digits if each.text == word] for word in _DIGITS}
    for _ in range(count):
        words = [rng.choice(_DIGITS) for _ in range(5)]
        mixed = {word: rng.sample(takes[word], len(takes[word])) for word in sorted(set(words))}
        pair = []
        for take in (0, 1):
            pace, parts = rng.uniform(0.0, 0.25), []
            for word in words:
                gap_s = max(0.0, rng.gauss(pace, 0.05))
                recording = rng.choice(mixed[word][take::2])
                parts += [recording.samples, np.zeros(int(gap_s * shards.RATE_HZ), np.int16)]
            pair.append(Spoken(np.concatenate(parts), " ".join(words), digits[0].speaker,
                               "zip", "5"))  # fmt: skip
        yield pair[0], pair[1]


def known_sentences(folders: list[Path]) -> frozenset[str]:
    """What is said in shards: in training, or where the recognizer was judged while it was made."""
    found = (path for folder in folders for path in shards.list_shards(folder))
    rows = (row for path in found for row in json.loads(path.with_suffix(".json").read_text()))
    return frozenset(row[0] for row in rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the sets")
    parser.add_argument("--language", choices=("en", "es"), default="en")
    parser.add_argument("--speech", type=Path, help="folder of speech corpora (English)")
    parser.add_argument("--known", type=Path, nargs="*", default=[], help="shards to leave out")
    parser.add_argument("--open", type=int, default=300, help="held-out lines of the intent model")
    parser.add_argument("--kind", type=int, default=60, help="sentences of each kind")
    parser.add_argument("--real", type=int, default=250, help="recordings of a corpus at most")
    parser.add_argument("--zip", type=int, default=200, help="joined ZIP codes")
    args = parser.parse_args()
    known = known_sentences(args.known)
    lines = [line for line in held_out_lines(args.language) if line not in known]
    drawn = random.Random(f"test-{args.language}").sample(lines, min(args.open, len(lines)))
    write_set(args.out, "open", say(drawn, args.language, "open", ""))
    for kind in _KINDS:
        sentences = unseen(args.language, kind, args.kind, known)
        slot = _SLOTS.get(kind, "")
        write_set(args.out, f"flows-{kind}", say(sentences, args.language, kind, slot))
    if args.speech is None or args.language != "en":
        return
    for corpus, name in _REAL.items():
        spoken = real(args.speech, corpus, args.real)
        write_set(args.out, f"real-{name}", spoken)
        if name == "digits":
            first, again = zip(*joined(spoken, args.zip), strict=True)
            write_set(args.out, "real-zip", list(first))
            write_set(args.out, "real-zip-again", list(again))


if __name__ == "__main__":
    main()
