"""Examples as the shipped recognizer hears them: for training, for judging, and for noise.

    examples -> espeak-ng, flite -> noise, 300-3400 Hz, mu-law at 8 kHz -> models/stt/en
        training lines -> confusions.en.tsv, train_heard/en_heard.yaml
        every held-out utterance -> heldout_heard/en.yaml

    OPENBLAS_NUM_THREADS=1 python -m models.intent.recipe.heard [--lines 3000] [--threads 2]

Training lines are spoken by voices that the recognizer was trained on, held-out utterances half by
them and half by voices that it never heard (flite slt, some of espeak-ng's); never by the
appliance's own voice. English only: there is no confusions.es.tsv.

What was heard is kept in the journal, a line an utterance; a second run goes on where the first
ended, and `--write-only` writes what there is so far. Needs Debian's espeak-ng and flite, and the
extra `train` (scipy).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path

import numpy as np
import soundfile

from appliance.audio import channel
from appliance.audio.codecs import round_trip
from appliance.config import HearingConfig
from appliance.dialogue.letters import fold
from appliance.stt.recognizer import Hint
from appliance.stt.whisper import WhisperRecognizer
from appliance.training.examples import Example, read_examples
from models.intent.recipe.confusions import errors, kept, tabulate, write
from models.intent.recipe.labels import trainable, write_examples
from models.stt.recipe import speakers, texts
from models.stt.recipe.synth import Synthesizer

DATA = Path(__file__).parent.parent / "data"
NOISE_DB = (15.0, 25.0)
"""Noise below the speech."""
_LEVEL_DBFS = -22.0
_STRANGE = 0.5
"""Share of the held-out utterances by voices that the recognizer never heard."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One example as it was spoken and heard.

    Attributes:
        part: "train" or "heldout".
        said: its words in lower case, without marks.
        slot: as of the example; the recognizer was told it.
        voice: the voice, "known" or "strange" to the recognizer before it: `known flite:rms`.
        heard: what the recognizer wrote; empty where it heard nothing.
    """

    part: str
    said: str
    slot: str | None
    voice: str
    heard: str


Key = tuple[str, str | None, str]
"""Part, slot and words: what makes an utterance the same."""
Heard = tuple[Example, Utterance]


class Telephone:
    """Speaks an example, sends it over a line, and hears it. Thread-safe."""

    def __init__(self, threads: int) -> None:
        self._voices = Synthesizer(None)
        self._recognizer = WhisperRecognizer(Path("models/stt/en"), HearingConfig(workers=threads))

    def pass_on(self, part: str, example: Example) -> Utterance | None:
        """The example as heard; none where an engine cannot speak it. The same at every run."""
        said = plain(example.text)
        draw = random.Random(f"{part} {example.slot} {said}")
        strange = part == "heldout" and draw.random() < _STRANGE
        voice = (
            speakers.draw_held_out(draw, draw.choice(("flite", "espeak")))
            if strange
            else speakers.draw_voice(draw, piper=False)
        )
        try:
            wave = self._voices.speak(said, voice).astype(np.float32) / 32768
        except (ValueError, subprocess.CalledProcessError, soundfile.LibsndfileError):
            return None
        pcm = (np.clip(over_line(wave, draw), -1, 1) * 32767).astype("<i2").tobytes()
        heard = self._recognizer.recognize(pcm, Hint(slot=example.slot)).text
        known = "strange" if strange else "known"
        label = f"{known} {voice.engine}:{voice.name}"
        return Utterance(part, said, example.slot, label, heard)


def over_line(wave: np.ndarray, draw: random.Random) -> np.ndarray:
    """Speech at 8 kHz over a telephone line: some silence around, noise, band, mu-law."""
    rng = np.random.default_rng(draw.getrandbits(32))
    speech = channel.set_level(wave, _LEVEL_DBFS)
    call = np.concatenate([np.zeros(800, np.float32), speech, np.zeros(2400, np.float32)])
    below = _LEVEL_DBFS - draw.uniform(*NOISE_DB)
    call += channel.set_level(rng.standard_normal(len(call)).astype(np.float32), below)
    return round_trip(channel.band_limit(call, 280.0, 3450.0), "pcmu")


def plain(text: str) -> str:
    """As a recognizer writes: lower case, no marks but apostrophes, no accents."""
    return texts.normalize(fold(text))


def drawn(examples: Sequence[Example], lines: int) -> list[Example]:
    """One reading of each of so many lines, evenly over the intents; any beginning is even too.

    What is drawn of a line hangs on that line alone, so that new lines leave the rest as it is.
    """
    by_line: dict[str, list[Example]] = defaultdict(list)
    for each in examples:
        by_line[each.line].append(each)
    by_intent: dict[tuple[str, ...], list[tuple[float, Example]]] = defaultdict(list)
    for group in by_line.values():
        draw = random.Random(group[0].text)
        by_intent[group[0].intents[:1]].append((draw.random(), draw.choice(group)))
    turns = zip_longest(*(sorted(group, key=itemgetter(0)) for group in by_intent.values()))
    return [each[1] for turn in turns for each in turn if each][:lines]


def missing(
    examples: Mapping[str, list[Example]], done: Mapping[Key, Utterance], lines: int
) -> list[tuple[str, Example]]:
    """What is to be heard and was not yet, the parts in turns: each beginning has some of both."""
    chosen = {
        "train": drawn(examples["train"], lines),
        "heldout": drawn(examples["heldout"], len(examples["heldout"])),
    }
    left = [
        [(part, each) for each in found if (part, each.slot, plain(each.text)) not in done]
        for part, found in chosen.items()
    ]
    return [job for turn in zip_longest(*left) for job in turn if job]


def listen(todo: Sequence[tuple[str, Example]], journal: Path, threads: int) -> None:
    """Speak and hear utterances, and write each into the journal at once."""
    telephone, began, unspoken = Telephone(threads), time.monotonic(), 0
    with ThreadPoolExecutor(threads) as pool, journal.open("a", encoding="utf-8") as file:
        for count, found in enumerate(pool.map(lambda job: telephone.pass_on(*job), todo), 1):
            if found is None:
                unspoken += 1
            else:
                file.write(json.dumps(asdict(found)) + "\n")
                file.flush()
            if count % 100 == 0 or count == len(todo):
                took = time.monotonic() - began
                rest = took / count * (len(todo) - count)
                print(f"{count}/{len(todo)} {took / 60:.1f} min, {rest / 60:.1f} left", flush=True)
    print(f"{unspoken} that no engine could speak")


def read_journal(path: Path) -> dict[Key, Utterance]:
    """What was heard so far; a line that was cut off is left out."""
    found = {}
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        with suppress(ValueError):
            row = json.loads(line)
            each = Utterance(*(row[field.name] for field in fields(Utterance)))
            found[each.part, each.slot, each.said] = each
    return found


def write_all(parts: Mapping[str, Sequence[Heard]], examples: Mapping[str, list[Example]]) -> None:
    """The three files, of what was heard of each part and of all its examples."""
    train, heldout = parts["train"], parts["heldout"]
    pairs = [(said.said, said.heard) for _, said in train]
    table = tabulate(pairs)
    rows = kept(table)
    write(DATA / "confusions.en.tsv", rows)
    mistakes = sum(
        n for said, found in table.items() for heard, n in found.items() if heard != said
    )
    in_rows = sum(count for said, heard, count in rows if heard != said)
    print(f"confusions: {len(rows)} rows with {in_rows} of {mistakes} mistakes")
    spoken = [(example, found.said, found.heard) for example, found in train]
    usable = trainable(spoken, examples["train"], examples["heldout"])
    title = "Training examples as the recognizer heard them."
    write_examples(DATA / "train_heard" / "en_heard.yaml", usable, title)
    print(f"train_heard: {len(usable)} of {len(spoken)} utterances")
    judged = [replace(example, text=found.heard) for example, found in heldout if found.heard]
    of_all = f"{len(judged)} of {len(examples['heldout'])}"
    title = f"Held-out utterances as the recognizer heard them, {of_all}."
    write_examples(DATA / "heldout_heard" / "en.yaml", judged, title)
    print(f"heldout_heard: {of_all} utterances")


def told(name: str, heard: Sequence[Utterance]) -> Iterator[str]:
    """Figures of a part, and of its voices."""
    groups = defaultdict(list)
    for each in heard:
        group = each.voice.partition(":")[0]
        for key in (name, f"{name}, {group.split()[0]}", f"{name}, {group}"):
            groups[key].append(each)
    for key, members in sorted(groups.items()):
        words = sum(len(each.said.split()) for each in members)
        wrong = sum(errors(each.said.split(), each.heard.split()) for each in members)
        exact = sum(each.said == each.heard for each in members)
        nothing = sum(not each.heard for each in members)
        yield (
            f"{key}: {len(members)} utterances, {words} words, WER {wrong / words:.1%}, "
            f"{exact / len(members):.1%} exact, nothing heard {nothing}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", type=Path, default=Path("var/heard.jsonl"))
    parser.add_argument("--lines", type=int, default=3000, help="of the training examples")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write-only", action="store_true", help="of what the journal has")
    given = parser.parse_args()
    given.journal.parent.mkdir(parents=True, exist_ok=True)
    examples = {part: read_examples(DATA / part, "en") for part in ("train", "heldout")}
    known: dict[Key, Example] = {}
    for part, each in ((part, each) for part, found in examples.items() for each in found):
        known.setdefault((part, each.slot, plain(each.text)), each)
    done = read_journal(given.journal)
    if not given.write_only:
        todo = missing(examples, done, given.lines)
        print(f"{len(done)} in the journal, {len(todo)} to be heard", flush=True)
        listen(todo, given.journal, given.threads)
        done = read_journal(given.journal)
    parts: dict[str, list[Heard]] = {"train": [], "heldout": []}
    for key, found in done.items():
        if key in known:
            parts[key[0]].append((known[key], found))
    for part, pairs in parts.items():
        print("\n".join(told(part, [each for _, each in pairs])))
    write_all(parts, examples)


if __name__ == "__main__":
    main()
