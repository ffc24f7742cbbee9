"""Makes the recordings of the Spanish voice: sentences spoken by a free synthesizer.

    python -m models.voice.recipe.teacher_spanish --out FOLDER [--minutes 100]

Why: no free recording of a Spanish speaker is at hand, and a diphone synthesizer is too slow in its
reaction, too large and too rough to ship. A network that learns from it is smooth, small and fast.

    text ─ piper's espeak-ng ─ phones, stress, marks ─┐
      └─── espeak-ng's library ─ times ───────────────┴─ melody ─ diphones (festival) ─ FLAC, list

Needs festival with festvox-czech-dita, and libespeak-ng (all in Debian).
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import tarfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile

from models.voice.recipe import diphones, espeak_timing, melody, teacher_texts
from models.voice.recipe.melody import Phone

NAME = "dita"
RATE_HZ = 16000
_MARKS = ",.;:?!"
_QUESTION_WORDS = "qué cuánto cuánta cuántos cuántas cuándo dónde cómo quién quiénes cuál cuáles"
_BATCH = 100


def read_aloud(text: str) -> tuple[str, set[int], dict[int, str]]:
    """What piper's espeak-ng reads: phones without signs, and the signs by place.

    Returns:
        (phones in one string, places where a stressed phone starts, mark after the phone before
        this place).
    """
    from piper.phonemize_espeak import EspeakPhonemizer

    phones, stressed, marks = "", set(), {}
    for sentence in EspeakPhonemizer().phonemize("es-419", text):
        for sign in sentence:
            if sign == "ˈ":
                stressed.add(len(phones))
            elif sign in _MARKS and phones:
                marks[len(phones)] = sign
            elif unicodedata.category(sign)[0] == "L" and sign not in "ʲːˌ":
                phones += sign
    if phones and len(phones) not in marks:
        marks[len(phones)] = "."
    return phones, stressed, marks


def raw_phones(text: str) -> list[Phone]:
    """Phones with espeak-ng's durations, stress and marks.

    Raises:
        ValueError: piper's espeak-ng and the installed one read the text differently.
    """
    phones, stressed, marks = read_aloud(text)
    done: list[Phone] = []
    start = 0
    for event in espeak_timing.clock().say(text):
        name = event.phone.replace("ː", "").replace("ʲ", "")
        if not name:
            continue
        end = start + len(name)
        done.append(Phone(phones[start:end], event.seconds, start in stressed, marks.pop(end, "")))
        start = end
    if start != len(phones) or marks or not done:
        raise ValueError(f"two versions of espeak-ng disagree about {text!r}")
    return done


def kinds(text: str) -> list[str]:
    """For each sentence of the text: "no" question, "yes-no", or one with a question "word"."""
    found = []
    for sentence in re.findall(r"[^.?!]+[.?!]", text + "."):
        asked = sentence.rpartition("¿")[2] if sentence.endswith("?") else ""
        words = re.findall(r"\w+", asked.lower())[:3]
        by_word = any(word in _QUESTION_WORDS.split() for word in words)
        found.append("no" if not asked else "word" if by_word else "yes-no")
    return found


def order(text: str) -> str:
    """festival's expression for a Spanish text.

    Raises:
        ValueError: see `raw_phones`.
        KeyError: the voice has no such sound.
    """
    phones = melody.timed_phones(raw_phones(text))
    tune = melody.tune(phones, kinds(text))
    chain: list[diphones.Sound] = [("#", melody.EDGE_S, [])]
    for place, (phone, targets) in enumerate(zip(phones, tune, strict=True)):
        chain += diphones.sounds(phone.phone, phone.seconds, targets)
        if phone.mark:
            chain.append(("#", melody.pause_s(phone.mark, place == len(phones) - 1), []))
    return diphones.order(diphones.speakable(chain))


def spoken(texts: Iterator[str]) -> Iterator[tuple[str, np.ndarray]]:
    """(text, wave) of those texts that the voice can say."""
    batch: list[tuple[str, str]] = []
    for text in texts:
        try:
            batch.append((text, order(text)))
        except (ValueError, KeyError) as error:
            print(f"left out: {error!r}: {text}")
        if len(batch) == _BATCH:
            yield from _speak(batch)
            batch = []
    yield from _speak(batch)


def _speak(batch: list[tuple[str, str]]) -> Iterator[tuple[str, np.ndarray]]:
    waves = diphones.speak([wanted for _, wanted in batch])
    for (text, _), wave in zip(batch, waves, strict=True):
        if wave is None:
            print(f"not spoken: {text}")
        else:
            yield text, wave


def main() -> None:
    """Write the archive and its list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=100.0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    seconds, count = 0.0, 0
    listing = arguments.out / f"{NAME}.tsv"
    with (
        tarfile.open(arguments.out / f"{NAME}.tar", "w") as archive,
        listing.open("w", encoding="utf-8", newline="") as lines,
    ):
        table = csv.writer(lines, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        table.writerow(("file", "speaker", "seconds", "text"))
        for text, wave in spoken(teacher_texts.sentences()):
            count += 1
            file = f"es_{count:05d}.flac"
            sound = io.BytesIO()
            soundfile.write(sound, np.clip(0.7 * wave, -1, 1), RATE_HZ, format="FLAC")
            entry = tarfile.TarInfo(file)
            entry.size = len(sound.getvalue())
            archive.addfile(entry, io.BytesIO(sound.getvalue()))
            table.writerow((file, NAME, f"{len(wave) / RATE_HZ:.3f}", text))
            seconds += len(wave) / RATE_HZ
            if seconds >= 60 * arguments.minutes:
                break
    print(f"{count} sentences, {seconds / 60:.1f} minutes")


if __name__ == "__main__":
    main()
