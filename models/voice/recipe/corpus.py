"""The recordings: reading the archive, and holding sentences out.

A corpus is `<name>.tar` of audio files beside `<name>.tsv` (file, speaker, seconds, text).
Several takes of one sentence exist, so the split is by sentence: no take of a held-out sentence,
and no other sentence with the same words, is ever trained on.
"""

from __future__ import annotations

import csv
import io
import random
import re
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recording:
    """One line of the list."""

    file: str
    sentence: str
    """What the file name says is being read ("a0001"); equal for all takes."""
    text: str


def read_list(path: Path, sentence: str) -> list[Recording]:
    """Recordings of a `.tsv` in its order.

    Args:
        path: the list.
        sentence: pattern whose group is the sentence's id in a file's name.

    Raises:
        ValueError: a file name carries no sentence id.
    """
    recordings = []
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            match = re.search(sentence, row["file"])
            if match is None:
                raise ValueError(f"no sentence id in the file name {row['file']!r}")
            recordings.append(Recording(row["file"], match.group(1), row["text"]))
    return recordings


def plain_words(text: str) -> str:
    """Lower-case words only: two sentences that read alike compare equal."""
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def held_out_files(recordings: Sequence[Recording], sentences: int, seed: int) -> set[str]:
    """Files of `sentences` randomly chosen sentences, and of all that share their words."""
    names = sorted({recording.sentence for recording in recordings})
    chosen = set(random.Random(seed).sample(names, sentences))
    words = {plain_words(r.text) for r in recordings if r.sentence in chosen}
    same = {r.sentence for r in recordings if plain_words(r.text) in words}
    return {r.file for r in recordings if r.sentence in same or plain_words(r.text) in words}


def read_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    """(file name, content) of each file in the archive, in its order."""
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                yield Path(member.name).name, io.BytesIO(content.read()).getvalue()
